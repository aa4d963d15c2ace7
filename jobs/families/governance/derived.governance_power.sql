-- The distribution of voting power over all voters so far, each with the highest power used, at the end of one UTC day with votes. A voter
-- of unknown weight counts as 0. Null while no voter has weight; with a single voter the measures are at their maximum. hhi and gini are
-- not normalized; autocracy is the hhi normalized for the number of voters. nakamoto: the smallest number of voters with a majority.
-- kind: window   grain: protocol, day   time: day   order: day, protocol
with voted as (
  select distinct protocol, day
  from derived.governance_ballot
  where day >= @start and day < @end and is_listed
),
held as (
  select
    protocol, voter, day, power,
    lead(day, 1, @end - 1 - (@end - 1) % 86400 + 86400) over (partition by protocol, voter order by day) as until_day
  from derived.governance_voter
  where day >= @start - 86400 - (@start - 86400) % 2764800 and day < @end
),
ranked as (
  select
    d.protocol, d.day, h.power,
    sum(h.power) over (partition by d.protocol, d.day) as total,
    exact_double(h.power) / nullif(exact_double(sum(h.power) over (partition by d.protocol, d.day)), 0) as share,
    row_number() over (partition by d.protocol, d.day order by h.power, h.voter) as place,
    row_number() over (partition by d.protocol, d.day order by h.power desc, h.voter) as rank,
    sum(h.power) over (
      partition by d.protocol, d.day order by h.power desc, h.voter rows between unbounded preceding and current row
    ) as power_to_rank,
    count(*) over (partition by d.protocol, d.day) as voters
  from voted d
  join held h on h.protocol = d.protocol and h.day <= d.day and h.until_day > d.day
),
summed as (
  select
    protocol, day,
    max(voters) as voters,
    count(*) filter (where power_to_rank <= total - power_to_rank) + 1 as nakamoto,
    exact_double(sum(power) filter (where rank <= 10)) / nullif(exact_double(max(total)), 0) as top10_share,
    exact_double(sum(exact_decimal(share * share, 38, 18))) as concentration,
    exact_double(sum(exact_decimal((2 * place - voters - 1) * share, 38, 18))) / max(voters) as gini
  from ranked
  group by protocol, day
)
select
  protocol, day, voters,
  case
    when concentration is null or voters = 1 then concentration
    else least(greatest((concentration - 1e0 / voters) / (1 - 1e0 / voters), 0e0), 1e0)
  end as autocracy,
  case when voters = 1 then concentration - 1 when gini is not null then least(greatest(1 - gini, 0e0), 1e0) end as voter_distribution,
  concentration as hhi,
  case when gini is not null then least(greatest(gini, 0e0), 1e0) end as gini,
  case when concentration is not null then nakamoto end as nakamoto,
  top10_share
from summed
