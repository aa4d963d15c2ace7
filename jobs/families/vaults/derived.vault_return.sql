-- The growth of the quoted share price of one vault up to its newest state, over a window of 1, 7, 30 or 90 days: from the last state at
-- least as old as the window, which must be recent at that time. No growth where the price broke in between,
-- or, from a price of one source to that of another one, where sources disagreed.
-- kind: full   grain: chain, vault_address, window_days
with length as (
  select t.window_days from unnest(sequence(1, 90, 1)) as t(window_days) where t.window_days in (1, 7, 30, 90)
),
latest as (
  select
    l.chain, l.vault_address, l.observed_at, l.share_price, l.source_id, w.window_days, l.observed_at - 86400 * w.window_days as due_at
  from derived.vault_latest l
  cross join length w
  where l.share_price is not null and not l.is_empty
),
point as (
  select v.chain, v.vault_address, v.observed_at, v.day, v.share_price, v.source_id
  from derived.vault_point v
  cross join policy.vaults p
  where v.observed_at > @now - 92 * 86400 - p.state_max_age_s and v.share_price > 0 and not v.is_empty
),
-- The days on which a state that is recent enough may have been read, so that rows join by equality.
due as (
  select l.*, l.due_at - l.due_at % 86400 - 86400 * t.days_before as day, p.state_max_age_s
  from latest l
  cross join policy.vaults p
  cross join unnest(sequence(0, cast(floor(p.state_max_age_s / 86400e0) as bigint) + 1, 1)) as t(days_before)
),
started as (
  select
    d.chain, d.vault_address, d.window_days, d.observed_at, d.share_price, max(b.observed_at) as from_at,
    max_by(b.share_price, b.observed_at) as from_price, max_by(b.source_id, b.observed_at) is distinct from d.source_id as is_other_source
  from due d
  join point b
    on b.chain = d.chain and b.vault_address = d.vault_address and b.day = d.day and b.observed_at <= d.due_at
    and b.observed_at > d.due_at - d.state_max_age_s
  group by d.chain, d.vault_address, d.window_days, d.observed_at, d.share_price, d.source_id
),
broken as (
  select s.chain, s.vault_address, s.window_days, count(*) as breaks
  from started s
  join derived.vault_break b
    on b.chain = s.chain and b.vault_address = s.vault_address and b.observed_at > s.from_at and b.observed_at <= s.observed_at
  where s.is_other_source or b.reason <> 'sources_disagree'
  group by s.chain, s.vault_address, s.window_days
)
select
  s.chain, s.vault_address, s.window_days, s.from_at, s.observed_at as to_at, coalesce(b.breaks, 0) as breaks,
  case
    when coalesce(b.breaks, 0) = 0
      then 100 * (power(exact_double(s.share_price) / exact_double(s.from_price), 31536000e0 / (s.observed_at - s.from_at)) - 1)
  end as net_apy_pct
from started s
left join broken b on b.chain = s.chain and b.vault_address = s.vault_address and b.window_days = s.window_days
