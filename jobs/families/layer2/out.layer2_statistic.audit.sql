-- Unknown figures: served networks without a record, and null fields of records.
-- verdict: warn
with named as (
  select
    n.network, s.day,
    count(*) over () as networks,
    concat(
      case when s.validation_mechanism is null then ', validation_mechanism' else '' end,
      case when s.soft_finality is null then ', soft_finality' else '' end,
      case when s.hard_finality is null then ', hard_finality' else '' end,
      case when s.settlement_layer_finality is null then ', settlement_layer_finality' else '' end,
      case when s.tx_per_sec_capacity is null then ', tx_per_sec_capacity' else '' end,
      case when s.withdrawal_time_sec is null then ', withdrawal_time_sec' else '' end,
      case when s.tx_daily is null then ', tx_daily' else '' end,
      case when s.tx_weekly is null then ', tx_weekly' else '' end,
      case when s.tx_monthly is null then ', tx_monthly' else '' end,
      case when s.tvl_usd is null then ', tvl_usd' else '' end,
      case when s.fees_daily is null then ', fees_daily' else '' end,
      case when s.fees_weekly is null then ', fees_weekly' else '' end,
      case when s.fees_monthly is null then ', fees_monthly' else '' end,
      case when s.avg_block_time is null then ', avg_block_time' else '' end
    ) as gaps
  from obs.layer2_network n
  left join out.layer2_statistic s on s.network = n.network
)
select
  case
    when day is null then concat(network, ': no complete day of the last seven is known')
    else concat(network, ': not known: ', substr(gaps, 3))
  end as reason,
  case
    when day is null then 1e0
    -- Fourteen fields; each gap has one comma.
    else cast(length(gaps) - length(replace(gaps, ',', '')) as double) / 14
  end / networks as weight
from named
where gaps <> ''
order by network
