-- The overall score of one protocol on one UTC day, or why there is none (decision 1). Weights are whole basis points and scores whole
-- millionths, so sums and the rounding to four decimals are exact.
-- kind: window   grain: protocol, day   time: day   order: day, protocol
with summed as (
  select
    protocol, day,
    count(score) as known_components,
    cast(coalesce(sum(case when score is not null then weight_bps end), 0) as bigint) as known_weight_bps,
    cast(coalesce(sum(weight_bps * cast(round(score * 1000000) as bigint)), 0) as bigint) as weighted,
    array_join(array_agg(concat(component, '=', coalesce(input_hash, gap)) order by component), ';') as inputs
  from derived.overall_component
  where day >= @start and day < @end
  group by protocol, day
),
judged as (
  select
    s.protocol, s.day, s.known_components, s.known_weight_bps, s.inputs,
    case
      when s.known_components < p.min_components then 'too_few_components'
      when s.known_weight_bps < p.min_weight_bps then 'too_little_weight'
    end as gap,
    -- Rounds half up: twice the score in ten-thousandths plus one, halved and rounded down.
    2 * s.weighted + 100 * s.known_weight_bps as doubled,
    nullif(200 * s.known_weight_bps, 0) as divisor,
    p.min_components, p.min_weight_bps
  from summed s
  cross join policy.overall p
)
select
  protocol, day, known_components, known_weight_bps, gap,
  case gap
    when 'too_few_components'
      then concat(cast(known_components as varchar), ' of 6 components are known, ', cast(min_components as varchar), ' are needed')
    when 'too_little_weight'
      then concat(
        'the known components weigh ', cast(known_weight_bps as varchar), ' of 10000, ', cast(min_weight_bps as varchar), ' are needed'
      )
  end as reason,
  case when gap is null then cast(doubled - doubled % divisor as double) / divisor / 10000 end as score,
  lower(to_hex(sha256(to_utf8(inputs)))) as input_hash
from judged
