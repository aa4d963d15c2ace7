-- One period in which one feed is a price source of one pegged asset, or of the pair that the asset refers to: the registry lists the feed
-- under that pair or its inverse, and the feed has answered, is not being deprecated, and has a weight. is_own_weight:
-- configuration gives that weight to this very feed. An asset is identified by chain and
-- id; a feed without an id belongs to the asset with its symbol on that chain. Configuration of an asset by id takes precedence over
-- configuration by symbol.
-- kind: full   grain: chain, symbol, quote, asset_id, role, feed_address, speaks_from
with stretch as (
  select
    v.chain, v.feed_address, v.base, v.quote, v.heartbeat_s, v.deviation_bps, v.market_hours, v.is_market_modelled,
    coalesce(s.asset_id, v.asset_id) as asset_id,
    coalesce(s.source_kind, v.source_kind) as source_kind,
    coalesce(s.pool_address, v.pool_address) as pool_address,
    exact_decimal(coalesce(s.weight, w.weight), 18, 6) as weight,
    s.weight is not null as is_own_weight,
    greatest(v.valid_from, f.first_at) as speaks_from,
    v.valid_to as speaks_to
  from derived.feed_version v
  join derived.feed_first f on f.chain = v.chain and f.feed_address = v.feed_address
  left join policy.peg_source s on s.chain = v.chain and s.feed_address = v.feed_address
  join policy.peg_weight w on w.source_kind = coalesce(s.source_kind, v.source_kind)
  where f.first_at < v.valid_to and not v.is_deprecating and coalesce(s.weight, w.weight) > 0
),
wanted as (
  select
    s.*, a.symbol, a.quote as asset_quote, a.asset_id as rule_id, a.chain as rule_chain, s.base <> a.symbol as is_inverted,
    row_number() over (
      partition by s.chain, s.feed_address, s.speaks_from, a.quote
      order by case when a.asset_id = '' then 1 else 0 end, case when a.chain = '' then 1 else 0 end, a.symbol
    ) as place
  from stretch s
  join policy.peg_asset a
    on (a.chain = '' or a.chain = s.chain)
    and (
      (a.asset_id = '' and s.base = a.symbol and s.quote = a.quote)
      or (a.asset_id = '' and s.base = a.quote and s.quote = a.symbol and s.asset_id = '')
      or (a.asset_id <> '' and s.asset_id = a.asset_id and s.quote = a.quote)
    )
),
asset as (
  select distinct chain, symbol, asset_quote as quote, asset_id, rule_id, rule_chain
  from wanted
  where place = 1
)
select
  chain, symbol, asset_quote as quote, asset_id, 'price' as role, feed_address, is_inverted and rule_id = '' as is_inverted, source_kind,
  weight, is_own_weight, pool_address, heartbeat_s, deviation_bps, market_hours, is_market_modelled, rule_id, rule_chain, speaks_from,
  speaks_to
from wanted
where place = 1
union all
select
  t.chain, t.symbol, t.quote, t.asset_id, 'reference' as role, s.feed_address, concat(s.base, '-', s.quote) <> a.reference_pair as is_inverted,
  s.source_kind, s.weight, s.is_own_weight, s.pool_address, s.heartbeat_s, s.deviation_bps, s.market_hours, s.is_market_modelled,
  t.rule_id, t.rule_chain, s.speaks_from, s.speaks_to
from asset t
join policy.peg_asset a
  on a.symbol = t.symbol and a.quote = t.quote and a.asset_id = t.rule_id and a.chain = t.rule_chain
join stretch s
  on s.chain = t.chain and a.reference_pair in (concat(s.base, '-', s.quote), concat(s.quote, '-', s.base))
