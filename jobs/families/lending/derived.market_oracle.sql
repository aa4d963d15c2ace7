-- One feed behind one market over one period. Each report of a market's oracles lists all of them, so a later report replaces it.
-- kind: full   grain: chain, market_id, feed_address, valid_from
with telling as (
  select
    chain, market_id, observed_at as valid_from,
    lead(observed_at, 1, 253402300799) over (partition by chain, market_id order by observed_at) as valid_to
  from (select distinct chain, market_id, observed_at from obs.market_oracle where observed_at < @end) instant
)
select
  o.chain, o.market_id, o.feed_address, min(o.oracle_address) as oracle_address, min(o.provider) as provider,
  t.valid_from, max(t.valid_to) as valid_to
from obs.market_oracle o
join telling t on t.chain = o.chain and t.market_id = o.market_id and t.valid_from = o.observed_at
group by o.chain, o.market_id, o.feed_address, t.valid_from
