-- What the overall score of one protocol on one of the last seven UTC days was made of, or why there is none (decisions 1, 2).
-- kind: full   grain: protocol, day
with component as (
  select
    c.protocol, c.day,
    array_agg(
      cast(
        row(
          c.component, c.score, c.gap, c.reason,
          cast(c.weight_bps as double) / 10000,
          case when c.score is not null and d.gap is null then round(cast(c.weight_bps as double) / d.known_weight_bps, 6) end,
          k.formula, c.inputs, c.input_hash
        )
        as row(
          component varchar, score double, gap varchar, reason varchar, weight double, weight_used double, formula varchar,
          inputs varchar, input_hash varchar
        )
      )
      order by k.place
    ) as components
  from derived.overall_component c
  join derived.overall_day d
    on d.protocol = c.protocol and d.day = c.day and d.day >= @now - @now % 86400 - 518400 and d.day <= @now
  join obs.overall_component k on k.component = c.component
  where c.day >= @now - @now % 86400 - 518400 and c.day <= @now
  group by c.protocol, c.day
)
select
  d.protocol, d.day,
  concat(replace(cast(cast(from_unixtime(d.day) as timestamp(0)) as varchar), ' ', 'T'), 'Z') as timestamp,
  d.score, d.gap, d.reason, d.known_components,
  cast(d.known_weight_bps as double) / 10000 as known_weight,
  p.formula, c.components, d.input_hash, p.methodology_version, p.policy_version
from derived.overall_day d
join component c on c.protocol = d.protocol and c.day = d.day
cross join obs.overall_policy p
where d.day >= @now - @now % 86400 - 518400 and d.day <= @now
