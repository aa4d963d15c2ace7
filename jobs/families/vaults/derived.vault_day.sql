-- One vault on one UTC day: its last state, its last known price and the last empty state up to the end of the day, carried over
-- days without states.
-- kind: window   grain: chain, vault_address, day   time: day   order: day, chain, vault_address
with before as (
  select * from derived.vault_day where day = @start - 86400
),
summed as (
  select
    chain, vault_address, day, max(observed_at) as last_at,
    max(case when is_empty then observed_at end) as emptied_at,
    max(case when judged_price is not null and not is_empty then observed_at end) as judged_at
  from derived.vault_point
  where observed_at >= @start and observed_at < @end
  group by chain, vault_address, day
),
known as (
  select
    chain, vault_address, day, last_at, emptied_at, judged_at, kind, asset_decimals, share_decimals, judged_price, is_backed, share_price,
    management_fee, source_id
  from before
  union all
  select
    s.chain, s.vault_address, s.day, s.last_at, s.emptied_at, s.judged_at, j.kind, j.asset_decimals, j.share_decimals, j.judged_price,
    j.is_backed, j.share_price, j.management_fee, j.source_id
  from summed s
  left join derived.vault_point j
    on j.chain = s.chain and j.vault_address = s.vault_address and j.observed_at = s.judged_at and j.day = s.day
),
carried as (
  select
    chain, vault_address, day,
    max(last_at) over so_far as last_at, max(emptied_at) over so_far as emptied_at, max(judged_at) over so_far as judged_at,
    max_by(kind, judged_at) over so_far as kind, max_by(asset_decimals, judged_at) over so_far as asset_decimals,
    max_by(share_decimals, judged_at) over so_far as share_decimals, max_by(judged_price, judged_at) over so_far as judged_price,
    max_by(is_backed, judged_at) over so_far as is_backed,
    max_by(share_price, judged_at) over so_far as share_price, max_by(source_id, judged_at) over so_far as source_id,
    max_by(coalesce(management_fee, -1e0), judged_at) over so_far as management_fee,
    lead(day, 1, @end - 1 - (@end - 1) % 86400 + 86400) over (partition by chain, vault_address order by day) as until_day
  from known
  window so_far as (partition by chain, vault_address order by day rows between unbounded preceding and current row)
)
select
  c.chain, c.vault_address, t.day, c.last_at, c.emptied_at, c.judged_at, c.kind, c.asset_decimals, c.share_decimals, c.judged_price,
  c.is_backed, c.share_price, nullif(c.management_fee, -1e0) as management_fee, c.source_id
from carried c
cross join unnest(sequence(c.day, c.until_day - 1, 86400)) as t(day)
where t.day >= @start
