-- The inputs of the overall score of one protocol on one of the last seven UTC days, or why there is no score (decisions 1, 2). Its quality
-- gate warns of components that are missing or use figures older than twice their daily cadence (decision 14); without a record it fails.
-- kind: full   grain: protocol, day
with listed as (
  select d.*, max(d.day) over (partition by d.protocol) as newest_day
  from derived.overall_day d
  where d.day >= @now - @now % 86400 - 604800 and d.day <= @now
),
component as (
  select
    c.protocol, c.day,
    array_agg(
      cast(
        row(
          c.component, c.score, c.gap, c.reason,
          cast(c.weight_bps as double) / 10000,
          case when c.score is not null and d.gap is null then round(cast(c.weight_bps as double) / d.known_weight_bps, 6) end,
          k.formula, c.inputs,
          case
            when c.oldest_day is not null
              then substr(cast(cast(from_unixtime(c.oldest_day) as timestamp(0)) as varchar), 1, 10)
          end,
          c.input_hash
        )
        as row(
          component varchar, score double, gap varchar, reason varchar, weight double, weight_used double, formula varchar,
          inputs varchar, oldest_input_day varchar, input_hash varchar
        )
      )
      order by k.place
    ) as components,
    array_agg(c.component order by k.place) filter (where c.gap is not null or c.oldest_day < c.day - 86400) as warnings
  from derived.overall_component c
  join listed d on d.protocol = c.protocol and d.day = c.day
  join policy.overall_component k on k.component = c.component
  where c.day >= @now - @now % 86400 - 604800 and c.day <= @now
  group by c.protocol, c.day
)
select
  d.protocol, d.day,
  concat(replace(cast(cast(from_unixtime(d.day) as timestamp(0)) as varchar), ' ', 'T'), 'Z') as timestamp,
  d.score, d.gap, d.reason, d.known_components,
  cast(d.known_weight_bps as double) / 10000 as known_weight,
  p.formula, c.components,
  cast(
    row(
      case when d.gap is not null then 'fail' when c.warnings is not null then 'warn' else 'pass' end,
      coalesce(c.warnings, array[])
    )
    as row(verdict varchar, warnings varchar array)
  ) as quality_gate,
  d.input_hash, p.methodology_version, p.policy_version
from listed d
join component c on c.protocol = d.protocol and c.day = d.day
cross join policy.overall p
where d.day > d.newest_day - 604800
