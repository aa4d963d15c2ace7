-- The completeness of the blocks of each of the last seven UTC days (decision 57). A day is complete when it is over, its block numbers are
-- contiguous with the day before and the day after, and no block is missing (and no transaction, if transactions are delivered).
-- missing_s estimates how much of the day the missing blocks would fill; unseen_before and unseen_after estimate how many blocks would
-- fit before the first and after the last one.
-- kind: full   grain: network, day
with week as (
  select network, day, blocks, first_block, last_block, first_at, last_at, follows_on, transactions, landed_transactions
  from derived.network_a_block_day
  where day >= @now - @now % 86400 - 604800 and day <= @now
),
judged as (
  select
    network, day, max(day) over (partition by network) as newest_day, blocks, last_block - first_block + 1 as blocks_spanned, first_at, last_at,
    day + 86400 > @now as is_running,
    not follows_on as starts_late,
    coalesce(lead(follows_on) over in_order and lead(day) over in_order = day + 86400, false) as leads_on,
    transactions - landed_transactions as missing_transactions,
    cast(last_at - first_at as double) / nullif(last_block - first_block, 0) as block_time_s
  from week
  window in_order as (partition by network order by day)
)
select
  network, day, blocks, first_at, last_at, is_running, starts_late,
  not is_running and not leads_on as ends_early,
  blocks_spanned - blocks as missing_blocks,
  case when starts_late then cast(floor((first_at - day) / block_time_s) as bigint) else 0 end as unseen_before,
  case when not is_running and not leads_on then cast(floor((day + 86399 - last_at) / block_time_s) as bigint) else 0 end as unseen_after,
  coalesce(missing_transactions, 0) as missing_transactions,
  is_running or starts_late or not leads_on or blocks_spanned > blocks or coalesce(missing_transactions, 0) > 0 as is_partial,
  (case when starts_late then first_at - day else 0 end)
    + (case when not is_running and not leads_on then day + 86400 - last_at else 0 end)
    + (blocks_spanned - blocks) * coalesce(block_time_s, 0e0) as missing_s
from judged
where day > newest_day - 604800
