-- From which sentiment on a message is positive or negative, how many mid-level topics a record lists, whether words of crypto count on top of
-- VADER's, and whether messages without text do.
-- kind: view   grain: positive_from
select positive_from, negative_to, mid_topics_max, crypto_words, counts_empty from landing.social_policy
