-- The transactions of one network on one UTC day, in exact wei. For each quantity: minimum, maximum, sum, and the number of transactions
-- with a known value. The price paid is the smaller of fee cap and base fee plus tip cap (EIP-1559) or, if the base fee is unknown, the
-- price that the source reports. fee is gas used times that price, plus the blob gas at its own base fee; saved is the additional cost
-- at the fee cap. Without a receipt, fee and saving are unknown. A price is disputed when the source reports a different one.
-- kind: window   grain: network, day   time: day   order: day, network
with priced as (
  select
    t.network, t.day, t.fee_cap_wei, t.tip_cap_wei, t.gas_used, t.blob_gas_used, b.blob_base_fee_wei,
    t.quoted_price_wei,
    case
      when t.fee_cap_wei < b.base_fee_wei + t.tip_cap_wei then t.fee_cap_wei
      else b.base_fee_wei + t.tip_cap_wei
    end as computed_price_wei
  from obs.network_a_transaction t
  left join obs.network_a_block b
    on b.network = t.network and b.block_number = t.block_number and b.observed_at >= @start and b.observed_at < @end
  where t.observed_at >= @start and t.observed_at < @end
),
settled as (
  select *, case when fee_cap_wei is not null and computed_price_wei is not null then computed_price_wei else quoted_price_wei end as price_wei
  from priced
),
paid as (
  select
    network, day, fee_cap_wei, tip_cap_wei, price_wei,
    price_wei <> quoted_price_wei as is_disputed,
    price_wei * gas_used + case when coalesce(blob_gas_used, 0) > 0 then blob_base_fee_wei * blob_gas_used else 0 end as fee_wei,
    (fee_cap_wei - price_wei) * gas_used as saved_wei
  from settled
)
select
  network, day,
  count(*) as transactions,
  cast(count(*) filter (where is_disputed) as bigint) as disputed_prices,
  count(fee_cap_wei) as fee_cap_count,
  min(fee_cap_wei) as fee_cap_min_wei,
  max(fee_cap_wei) as fee_cap_max_wei,
  cast(sum(fee_cap_wei) as decimal(38, 0)) as fee_cap_total_wei,
  count(tip_cap_wei) as tip_cap_count,
  min(tip_cap_wei) as tip_cap_min_wei,
  max(tip_cap_wei) as tip_cap_max_wei,
  cast(sum(tip_cap_wei) as decimal(38, 0)) as tip_cap_total_wei,
  count(price_wei) as price_count,
  min(price_wei) as price_min_wei,
  max(price_wei) as price_max_wei,
  cast(sum(price_wei) as decimal(38, 0)) as price_total_wei,
  count(fee_wei) as fee_count,
  min(fee_wei) as fee_min_wei,
  max(fee_wei) as fee_max_wei,
  cast(sum(fee_wei) as decimal(38, 0)) as fee_total_wei,
  count(saved_wei) as saved_count,
  min(saved_wei) as saved_min_wei,
  max(saved_wei) as saved_max_wei,
  cast(sum(saved_wei) as decimal(38, 0)) as saved_total_wei
from paid
group by network, day
union all
select
  network, day,
  cast(sum(transactions) as bigint) as transactions,
  0 as disputed_prices,
  coalesce(cast(sum(fee_cap_count) as bigint), 0) as fee_cap_count,
  min(fee_cap_min_wei) as fee_cap_min_wei,
  max(fee_cap_max_wei) as fee_cap_max_wei,
  cast(sum(fee_cap_total_wei) as decimal(38, 0)) as fee_cap_total_wei,
  coalesce(cast(sum(tip_cap_count) as bigint), 0) as tip_cap_count,
  min(tip_cap_min_wei) as tip_cap_min_wei,
  max(tip_cap_max_wei) as tip_cap_max_wei,
  cast(sum(tip_cap_total_wei) as decimal(38, 0)) as tip_cap_total_wei,
  coalesce(cast(sum(price_count) as bigint), 0) as price_count,
  min(price_min_wei) as price_min_wei,
  max(price_max_wei) as price_max_wei,
  cast(sum(price_total_wei) as decimal(38, 0)) as price_total_wei,
  coalesce(cast(sum(fee_count) as bigint), 0) as fee_count,
  min(fee_min_wei) as fee_min_wei,
  max(fee_max_wei) as fee_max_wei,
  cast(sum(fee_total_wei) as decimal(38, 0)) as fee_total_wei,
  coalesce(cast(sum(saved_count) as bigint), 0) as saved_count,
  min(saved_min_wei) as saved_min_wei,
  max(saved_max_wei) as saved_max_wei,
  cast(sum(saved_total_wei) as decimal(38, 0)) as saved_total_wei
from derived.network_a_summary_day
where day >= @start and day < @end
group by network, day
