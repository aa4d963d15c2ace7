-- One leg of one reading of a path with the pair that it is known to price: by the registry of feeds, else as reported, unless only the
-- contract's own description says so. The registry also vouches for what kind of contract a feed is. A wrapped asset has the symbol of what
-- it stands for (from_unit, to_unit).
-- settings: what an adapter was set to, apart from what it reads; null for none, or if a part was not read.
-- is_decimals_wrong: the feed reports other decimals than its registry. is_uncomputed: the answer follows from inputs of which one was not read. is_cyclic: the leg is read by itself, or by a later one.
-- kind: window   grain: chain, market_id, oracle_address, observed_at, leg_index   time: observed_at   order: day, chain, market_id, observed_at, leg_index
with leg as (
  select * from obs.oracle_leg where observed_at >= @start and observed_at < @end
),
known as (
  select
    l.chain, l.market_id, l.oracle_address, l.observed_at, l.day, l.leg_index, l.parent_index, l.is_standby, l.side, l.role, l.contract, l.kind,
    case when f.chain is not null and l.role = 'feed' then 'registry' else l.kind_by end as kind_by, l.decimals, l.share_decimals, l.sample, l.value, l.rate, l.unread_reason, l.answered_at, l.min_value, l.max_value, l.cap,
    l.parameters, l.implementation, l.code_hash, l.changed_by, l.changed_how, l.change_delay_s, l.computed_value,
    case when f.chain is not null and l.role = 'feed' then f.base when l.pair_by in ('token', 'registry') then upper(l.from_symbol) end as from_symbol,
    case when f.chain is not null and l.role = 'feed' then f.quote when l.pair_by in ('token', 'registry') then upper(l.to_symbol) end as to_symbol,
    f.decimals as registry_decimals, f.deviation_bps, f.heartbeat_s,
    coalesce(
      l.unread_reason in ('cycle', 'too_deep') or l.parent_index >= l.leg_index or p.contract = l.contract or g.contract = l.contract, false
    ) as is_cyclic
  from leg l
  left join derived.feed f on f.chain = l.chain and f.feed_address = l.contract
  left join leg p
    on p.chain = l.chain and p.market_id = l.market_id and p.oracle_address = l.oracle_address and p.observed_at = l.observed_at
    and p.leg_index = l.parent_index
  left join leg g
    on g.chain = l.chain and g.market_id = l.market_id and g.oracle_address = l.oracle_address and g.observed_at = l.observed_at
    and g.leg_index = p.parent_index
)
select
  k.chain, k.market_id, k.oracle_address, k.observed_at, k.day, k.leg_index, k.parent_index, k.is_standby, k.side, k.role, k.contract, k.kind,
  k.kind_by, k.from_symbol, k.to_symbol, coalesce(a.same_as, k.from_symbol) as from_unit, coalesce(b.same_as, k.to_symbol) as to_unit,
  k.decimals, k.share_decimals, k.sample, k.value, k.rate, k.unread_reason, k.answered_at, k.min_value, k.max_value, k.cap, k.parameters,
  k.implementation, k.code_hash, k.changed_by, k.changed_how, k.change_delay_s, k.computed_value, k.deviation_bps, k.heartbeat_s, k.is_cyclic,
  k.role = 'feed' and coalesce(k.decimals <> k.registry_decimals, false) as is_decimals_wrong,
  k.kind in ('capo_stable', 'capo_eur', 'capo_pendle', 'capo_rate', 'pendle_linear', 'constant') and k.value is not null and k.computed_value is null
    as is_uncomputed,
  case k.kind
    when 'capo_stable' then coalesce(k.cap, json_extract_scalar(k.parameters, '$.cap'))
    when 'capo_eur' then json_extract_scalar(k.parameters, '$.cap_ratio')
    when 'capo_rate' then
      json_extract_scalar(k.parameters, '$.snapshot_ratio') || '/' || json_extract_scalar(k.parameters, '$.snapshot_at') || '/'
        || json_extract_scalar(k.parameters, '$.max_growth_per_second_scaled')
    when 'capo_pendle' then json_extract_scalar(k.parameters, '$.maturity') || '/' || json_extract_scalar(k.parameters, '$.discount_per_year')
    when 'pendle_linear'
      then json_extract_scalar(k.parameters, '$.maturity') || '/' || json_extract_scalar(k.parameters, '$.base_discount_per_year')
    when 'pendle_twap' then json_extract_scalar(k.parameters, '$.window_s')
    when 'oval' then json_extract_scalar(k.parameters, '$.lock_window_s') || '/' || json_extract_scalar(k.parameters, '$.max_traversal')
    when 'constant' then json_extract_scalar(k.parameters, '$.constant')
  end as settings
from known k
left join policy.oracle_identity a on a.symbol = k.from_symbol
left join policy.oracle_identity b on b.symbol = k.to_symbol
