-- One independent source of one assumption: a feed that prices the left symbol in the right one (direct), or in a unit from which it can be
-- converted. A feed that the assumption is about, or that a market whose price is tested reads, is none; nor is a rate that a contract
-- states. The pairs of symbols are those of wrapped assets' own assets.
-- kind: full   grain: chain, assumption_id, feed_chain, feed_address
with assumption as (
  select
    chain, assumption_id, min(kind) as kind, min(left_symbol) as left_symbol, min(right_symbol) as right_symbol, min(contract) as contract,
    min(market_id) as market_id
  from derived.path_assumption
  where left_symbol is not null and right_symbol is not null and kind <> 'standby' and kind <> 'cap'
  group by chain, assumption_id
),
spelled as (
  select
    a.chain, a.assumption_id, a.kind, a.contract, a.market_id, coalesce(l.same_as, a.left_symbol) as left_symbol, coalesce(r.same_as, a.right_symbol) as right_symbol
  from assumption a
  left join policy.oracle_identity l on l.symbol = a.left_symbol
  left join policy.oracle_identity r on r.symbol = a.right_symbol
),
feed as (
  select
    f.chain, f.feed_address, coalesce(b.same_as, f.base) as base, coalesce(q.same_as, f.quote) as quote, coalesce(f.heartbeat_s, p.default_heartbeat_s) as heartbeat_s, f.deviation_bps,
    f.source_kind
  from derived.feed f
  cross join policy.oracle_paths p
  left join policy.oracle_identity b on b.symbol = f.base
  left join policy.oracle_identity q on q.symbol = f.quote
  where not f.is_deprecating and strpos(f.category, 'rate') = 0 and strpos(f.category, 'reserve') = 0
),
own as (
  select distinct p.chain, p.assumption_id, l.contract
  from derived.path_assumption p
  join derived.oracle_path_leg l on l.chain = p.chain and l.market_id = p.market_id and l.observed_at = p.valid_from
  where p.kind = 'path'
)
select
  a.chain, a.assumption_id, a.kind, f.chain as feed_chain, f.feed_address, a.left_symbol, a.right_symbol, f.quote as unit, f.quote = a.right_symbol as is_direct,
  f.heartbeat_s, f.deviation_bps, f.source_kind
from spelled a
join feed f on f.base = a.left_symbol
left join own o
  on o.chain = a.chain and o.assumption_id = a.assumption_id and o.contract = case when f.chain = a.chain then f.feed_address end
left join policy.oracle_unit u on u.symbol = a.left_symbol
left join policy.oracle_unit q on q.symbol = f.quote
where o.contract is null
  and not (f.chain = a.chain and coalesce(a.contract, '') = f.feed_address)
  -- A unit of account is the same everywhere; other symbols may stand for another asset on another chain.
  and (f.chain = a.chain or u.symbol is not null)
  and (f.quote = a.right_symbol or q.symbol is not null)
