-- The price of a seat on one UTC day, by the protocol's rule for the stakes of the last response. Before protocol version 49 it is the
-- highest price at which the stakes fill all seats, each buying as many whole seats as it can; that is the n-th largest of all stakes
-- divided by 1, 2, 3 …, rounded down, for n seats. From version 49 it is one unit more than the smallest stake when all seats are taken,
-- otherwise minimum_stake_ratio times the total stake: 1/6250, from version 71 1/62500, or the ratio in the response. From version 74 the
-- ratio applies to the stake including the newcomer's, rounded up: alpha * S / (1 - alpha) (nearcore, select_validators). Without a
-- version there is no price. Amounts are divided in parts of 14, 12 and 12 digits, each exact in a double.
-- kind: window   grain: network, day   time: day   order: day, network
with answer as (
  select
    a.network, a.day, a.observed_at,
    -- The role with the most seats decides (chunk validators since version 69).
    case when a.num_validator_seats > a.num_seats or a.num_seats is null then a.num_validator_seats else a.num_seats end as num_seats,
    coalesce(a.protocol_version, p.protocol_version) as version,
    coalesce(
      a.stake_ratio_denominator, case when coalesce(a.protocol_version, p.protocol_version) >= 71 then 62500 else 6250 end
    ) as denominator,
    row_number() over (partition by a.network, a.day order by a.observed_at desc) as place
  from obs.network_b_validators a
  left join policy.network_b_version p on p.network = a.network
  where a.observed_at >= @start and a.observed_at < @end
),
stake as (
  select a.network, a.day, a.num_seats, a.version, a.denominator, v.stake_yocto
  from answer a
  join derived.network_b_validator v on v.network = a.network and v.observed_at = a.observed_at and v.role = 'current'
  where a.place = 1 and a.num_seats is not null and a.version is not null
),
total as (
  select
    network, day, num_seats, version >= 74 as is_of_whole, denominator, count(*) as validators, min(stake_yocto) as lowest_yocto,
    cast(sum(stake_yocto) as decimal(38, 0)) as total_yocto
  from stake
  where version >= 49
  group by network, day, num_seats, version, denominator
),
division as (
  select s.network, s.day, s.num_seats as wanted, s.stake_yocto as amount, t.divisor
  from stake s
  cross join unnest(sequence(1, s.num_seats)) as t(divisor)
  where s.version < 49
  union all
  select
    network, day, 1 as wanted,
    case
      when validators >= num_seats then lowest_yocto + 1
      when is_of_whole then total_yocto + (denominator - 2)
      else total_yocto
    end as amount,
    case when validators >= num_seats then 1 when is_of_whole then denominator - 1 else denominator end as divisor
  from total
),
part as (
  select
    network, day, wanted, divisor,
    cast(substr(lpad(cast(amount as varchar), 38, '0'), 1, 14) as bigint) as high,
    cast(substr(lpad(cast(amount as varchar), 38, '0'), 15, 12) as bigint) as middle,
    cast(substr(lpad(cast(amount as varchar), 38, '0'), 27, 12) as bigint) as low
  from division
),
high_divided as (
  select *, cast((high - high % divisor) / divisor as bigint) as high_seat, high % divisor * 1000000000000 + middle as middle_rest
  from part
),
middle_divided as (
  select
    *,
    cast((middle_rest - middle_rest % divisor) / divisor as bigint) as middle_seat,
    middle_rest % divisor * 1000000000000 + low as low_rest
  from high_divided
),
divided as (
  select *, cast((low_rest - low_rest % divisor) / divisor as bigint) as low_seat
  from middle_divided
),
ranked as (
  select
    *,
    row_number() over (partition by network, day order by high_seat desc, middle_seat desc, low_seat desc) as place
  from divided
)
select
  network, day,
  nullif(
    cast(high_seat as decimal(38, 0)) * cast('1000000000000000000000000' as decimal(38, 0))
      + cast(middle_seat as decimal(38, 0)) * cast('1000000000000' as decimal(38, 0))
      + cast(low_seat as decimal(38, 0)),
    cast(0 as decimal(38, 0))
  ) as seat_price_yocto
from ranked
where place = wanted
