-- How whole the blocks of one of the last seven UTC days are: whole when the day is over, its numbers follow on from the day before and
-- lead on to the day after, and nothing between is missing: no block, and no transaction where transactions are delivered at all.
-- missing_s is about how much of the day the missing blocks would have filled.
-- kind: full   grain: network, day
with week as (
  select network, day, blocks, first_block, last_block, first_at, last_at, follows_on, transactions, landed_transactions
  from derived.network_a_block_day
  where day >= @now - @now % 86400 - 518400 and day <= @now
),
judged as (
  select
    network, day, blocks, last_block - first_block + 1 as blocks_spanned, first_at, last_at,
    day + 86400 > @now as is_running,
    not follows_on as starts_late,
    coalesce(lead(follows_on) over in_order and lead(day) over in_order = day + 86400, false) as leads_on,
    transactions - landed_transactions as missing_transactions
  from week
  window in_order as (partition by network order by day)
)
select
  network, day, is_running, starts_late,
  not is_running and not leads_on as ends_early,
  blocks_spanned - blocks as missing_blocks,
  coalesce(missing_transactions, 0) as missing_transactions,
  is_running or starts_late or not leads_on or blocks_spanned > blocks or coalesce(missing_transactions, 0) > 0 as is_partial,
  (case when starts_late then first_at - day else 0 end)
    + (case when not is_running and not leads_on then day + 86400 - last_at else 0 end)
    + (blocks_spanned - blocks) * coalesce(cast(last_at - first_at as double) / nullif(blocks_spanned - 1, 0), 0e0) as missing_s
from judged
