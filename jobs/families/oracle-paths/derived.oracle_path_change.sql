-- A change of the path of one market between two readings, with its price before: the last one read, unless that is too old.
-- kind: full   grain: chain, market_id, valid_from
with before as (
  select s.chain, s.market_id, s.valid_from, max_by(o.price_number, o.observed_at) as price_before
  from derived.oracle_path_span s
  cross join policy.oracle_paths p
  join obs.oracle_price o
    on o.chain = s.chain and o.market_id = s.market_id and o.observed_at < s.valid_from and o.observed_at > s.valid_from - p.price_max_age_s
  where s.previous_hash is not null
  group by s.chain, s.market_id, s.valid_from
),
lent as (
  select s.chain, s.market_id, s.valid_from, max_by(m.borrowed_usd, m.observed_at) as debt_usd
  from derived.oracle_path_span s
  join obs.market_state m
    on m.chain = s.chain and m.market_id = s.market_id and m.observed_at <= s.valid_from and m.observed_at > s.valid_from - 86400
  where s.previous_hash is not null
  group by s.chain, s.market_id, s.valid_from
)
select
  s.chain, s.market_id, s.valid_from, s.oracle_address, s.previous_oracle_address, s.path_hash, s.previous_hash, s.price_number as price_after, b.price_before,
  round((s.price_number / b.price_before - 1) * 10000, 2) as change_bps, s.failed <> '' and coalesce(s.previous_failed, '') = '' as is_newly_failed,
  s.failed, coalesce(s.change_cause, case when s.is_only_settings then 'settings' end) as change_cause, s.change_tx_hash, s.change_caller, s.block_number, l.debt_usd
from derived.oracle_path_span s
left join before b on b.chain = s.chain and b.market_id = s.market_id and b.valid_from = s.valid_from
left join lent l on l.chain = s.chain and l.market_id = s.market_id and l.valid_from = s.valid_from
where s.previous_hash is not null
