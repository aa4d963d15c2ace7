-- Tokenomics of one protocol on one UTC day (decision 2): the share of its token held by the ten largest holders, and the share of the
-- yield that is newly issued, each as last reported within token_s. An unknown part is omitted; without both parts the day is a gap.
-- oldest_day: the day of the older of the two reports.
-- kind: window   grain: protocol, day   time: day   order: day, protocol
with figure as (
  select
    d.protocol, d.day,
    max_by(t.top10_share, case when t.top10_share is not null then t.observed_at end) as top10_share,
    max_by(t.yield_usd, case when t.yield_usd > 0 and t.emissions_usd is not null then t.observed_at end) as yield_usd,
    max_by(t.emissions_usd, case when t.yield_usd > 0 and t.emissions_usd is not null then t.observed_at end) as emissions_usd,
    max(case when t.top10_share is not null then t.day end) as holders_day,
    max(case when t.yield_usd > 0 and t.emissions_usd is not null then t.day end) as emissions_day
  from derived.overall_protocol_day d
  cross join policy.overall p
  join obs.overall_token t on t.protocol = d.protocol and t.day <= d.day and t.day > d.day - p.token_s
  -- The policy does not allow a figure to apply for longer than 30 days.
  where d.day >= @start and d.day < @end and t.observed_at >= @start - 2592000 and t.observed_at < @end
  group by d.protocol, d.day
),
measured as (
  select
    d.protocol, d.day, f.top10_share, f.yield_usd, f.emissions_usd,
    case
      when f.holders_day is null then f.emissions_day
      when f.emissions_day is null then f.holders_day
      else least(f.holders_day, f.emissions_day)
    end as oldest_day,
    case when f.yield_usd > 0 then least(f.emissions_usd / f.yield_usd, 1e0) end as emission_share
  from derived.overall_protocol_day d
  left join figure f on f.protocol = d.protocol and f.day = d.day
  where d.day >= @start and d.day < @end
)
select
  m.protocol, m.day,
  round(
    (
      p.holders_weight * coalesce(1 - m.top10_share, 0e0) + p.emissions_weight * coalesce(1 - m.emission_share, 0e0)
    ) / nullif(
      case when m.top10_share is null then 0e0 else p.holders_weight end
      + case when m.emission_share is null then 0e0 else p.emissions_weight end,
      0
    ),
    6
  ) as score,
  case when m.top10_share is null and m.emission_share is null then 'no_data' end as gap,
  case
    when m.top10_share is null and m.emission_share is null
      then concat('neither holders nor emissions were reported for ', cast(cast(p.token_s / 86400 as bigint) as varchar), ' days')
  end as reason,
  case
    when m.top10_share is null and m.emission_share is null then null
    else concat(
      case
        when m.emission_share is not null then concat('emissions_usd=', cast(exact_decimal(m.emissions_usd, 38, 2) as varchar))
        else ''
      end,
      case when m.top10_share is not null and m.emission_share is not null then ';' else '' end,
      case when m.top10_share is not null then concat('top10_share=', cast(exact_decimal(m.top10_share, 38, 6) as varchar)) else '' end,
      case
        when m.emission_share is not null then concat(';yield_usd=', cast(exact_decimal(m.yield_usd, 38, 2) as varchar))
        else ''
      end
    )
  end as inputs,
  m.oldest_day
from measured m
cross join policy.overall p
