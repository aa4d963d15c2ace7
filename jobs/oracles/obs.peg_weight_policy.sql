-- The weight of one kind of source in the centre of all prices.
-- kind: view   grain: source_kind
select * from landing.peg_weight_policy
