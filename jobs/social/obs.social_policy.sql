-- From which sentiment on a message is positive or negative, and how many mid-level topics a record lists.
-- kind: view   grain: positive_from
select positive_from, negative_to, mid_topics_max from landing.social_policy
