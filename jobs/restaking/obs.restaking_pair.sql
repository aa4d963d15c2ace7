-- The pair that prices a native unit of one protocol in USD; `*` stands for every protocol that is not named.
-- kind: view   grain: name
select name, pair from landing.restaking_pair_policy
