-- The transactions of one type on one UTC day, from summaries, for days without landed single transactions.
-- kind: window   grain: network, day, tx_type   time: day   order: day, network, tx_type
with single as (
  select distinct network, day from obs.network_a_transaction where observed_at >= @start and observed_at < @end
)
select
  s.network, s.day, s.tx_type,
  cast(sum(s.transactions) as bigint) as transactions,
  cast(sum(s.creations) as bigint) as creations,
  cast(sum(s.contract_calls) as bigint) as contract_calls,
  cast(sum(s.transfers) as bigint) as transfers,
  cast(sum(case when s.fee_cap_total_wei is not null then s.transactions end) as bigint) as fee_cap_count,
  min(s.fee_cap_min_wei) as fee_cap_min_wei,
  max(s.fee_cap_max_wei) as fee_cap_max_wei,
  cast(sum(s.fee_cap_total_wei) as decimal(38, 0)) as fee_cap_total_wei,
  cast(sum(case when s.tip_cap_total_wei is not null then s.transactions end) as bigint) as tip_cap_count,
  min(s.tip_cap_min_wei) as tip_cap_min_wei,
  max(s.tip_cap_max_wei) as tip_cap_max_wei,
  cast(sum(s.tip_cap_total_wei) as decimal(38, 0)) as tip_cap_total_wei,
  cast(sum(case when s.price_total_wei is not null then s.transactions end) as bigint) as price_count,
  min(s.price_min_wei) as price_min_wei,
  max(s.price_max_wei) as price_max_wei,
  cast(sum(s.price_total_wei) as decimal(38, 0)) as price_total_wei,
  cast(sum(case when s.fee_total_wei is not null then s.transactions end) as bigint) as fee_count,
  min(s.fee_min_wei) as fee_min_wei,
  max(s.fee_max_wei) as fee_max_wei,
  cast(sum(s.fee_total_wei) as decimal(38, 0)) as fee_total_wei,
  cast(sum(case when s.saved_total_wei is not null then s.transactions end) as bigint) as saved_count,
  min(s.saved_min_wei) as saved_min_wei,
  max(s.saved_max_wei) as saved_max_wei,
  cast(sum(s.saved_total_wei) as decimal(38, 0)) as saved_total_wei
from obs.network_a_transaction_summary s
left join single x on x.network = s.network and x.day = s.day
where s.observed_at >= @start and s.observed_at < @end and x.network is null
group by s.network, s.day, s.tx_type
