-- The price of a seat on one UTC day, by the protocol's rule for the stakes of the last answer. Before protocol version 49 it is the highest
-- price at which the stakes buy all seats, each as many whole seats as its stake pays for; that is the n-th largest of all stakes divided
-- by 1, 2, 3 …, rounded down, for n seats. From version 49 on it is one unit more than the smallest stake when all seats are taken, else
-- the total stake divided by 6250 (minimum_stake_ratio). Amounts are divided in parts of 14, 12 and 12 digits, each exact in a double.
-- kind: window   grain: network, day   time: day   order: day, network
with answer as (
  select
    network, day, observed_at, num_seats, coalesce(protocol_version, 0) >= 49 as has_minimum,
    row_number() over (partition by network, day order by observed_at desc) as place
  from obs.network_b_validators
  where observed_at >= @start and observed_at < @end
),
stake as (
  select a.network, a.day, a.num_seats, a.has_minimum, v.stake_yocto
  from answer a
  join derived.network_b_validator v on v.network = a.network and v.observed_at = a.observed_at and v.role = 'current'
  where a.place = 1 and a.num_seats is not null
),
total as (
  select
    network, day, num_seats, count(*) as validators, min(stake_yocto) as lowest_yocto,
    cast(sum(stake_yocto) as decimal(38, 0)) as total_yocto
  from stake
  where has_minimum
  group by network, day, num_seats
),
division as (
  select s.network, s.day, s.num_seats as wanted, s.stake_yocto as amount, t.divisor
  from stake s
  cross join unnest(sequence(1, s.num_seats)) as t(divisor)
  where not s.has_minimum
  union all
  select
    network, day, 1 as wanted,
    case when validators < num_seats then total_yocto else lowest_yocto + 1 end as amount,
    case when validators < num_seats then 6250 else 1 end as divisor
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
