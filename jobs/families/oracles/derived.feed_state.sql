-- The known price history of one feed at the end of one day (or at the end of the window), carried over days without rounds: the
-- checkpoint from which every later window starts. Only valid rounds count as rows present. invalid_reason is that of the last round, if it
-- is invalid, with the first of the invalid rounds that it ends. highest_round_id is the highest of all valid ones, padded to 38 digits.
-- kind: window   grain: chain, feed_address, day   time: day   order: day, chain, feed_address
with step as (
  select
    chain, feed_address, day,
    count(*) filter (where is_valid) as rows_present,
    count(*) filter (where not is_valid) as invalid_rounds,
    min(case when is_valid then observed_at end) as first_at,
    max(case when is_valid then observed_at end) as last_at,
    max(case when is_valid then lpad(round_id, 38, '0') end) as highest_round_id
  from derived.feed_answer
  where observed_at >= @start and observed_at < @end
  group by chain, feed_address, day
),
last_round as (
  select chain, feed_address, day, round_id, answer, decimals, price
  from (
    select
      r.chain, r.feed_address, r.day, r.round_id, r.answer, r.decimals, r.price,
      row_number() over (
        partition by r.chain, r.feed_address, r.day order by length(r.round_id) desc, r.round_id desc
      ) as place
    from derived.feed_answer r
    join step s on s.chain = r.chain and s.feed_address = r.feed_address and s.last_at = r.observed_at
    where r.is_valid and r.observed_at >= @start and r.observed_at < @end
  ) ranked
  where place = 1
),
-- Only feeds with an invalid round in the window are ordered.
ordered as (
  select
    r.chain, r.feed_address, r.day, r.observed_at, r.round_id, r.is_valid, r.invalid_reason,
    row_number() over in_order as place,
    row_number() over (
      partition by r.chain, r.feed_address, r.day order by r.observed_at desc, length(r.round_id) desc, r.round_id desc
    ) as from_last
  from derived.feed_answer r
  join (select distinct chain, feed_address from step where invalid_rounds > 0) s on s.chain = r.chain and s.feed_address = r.feed_address
  where r.observed_at >= @start and r.observed_at < @end
  window in_order as (partition by r.chain, r.feed_address order by r.observed_at, length(r.round_id), r.round_id)
),
running as (
  select
    *,
    coalesce(
      max(case when is_valid then place end) over (
        partition by chain, feed_address order by place rows between unbounded preceding and current row
      ),
      0
    ) as run
  from ordered
),
carried as (
  select * from derived.feed_state where day = @start - 86400
),
ended as (
  select
    r.chain, r.feed_address, r.day, r.invalid_reason,
    case when r.run = 0 and c.invalid_reason is not null then c.invalid_since_at else f.observed_at end as invalid_since_at,
    case when r.run = 0 and c.invalid_reason is not null then c.invalid_round_id else f.round_id end as invalid_round_id
  from running r
  join running f on f.chain = r.chain and f.feed_address = r.feed_address and f.run = r.run and f.place = r.run + 1
  left join carried c on c.chain = r.chain and c.feed_address = r.feed_address
  where r.from_last = 1 and not r.is_valid
),
known as (
  select
    chain, feed_address, day, rows_present, invalid_rounds, first_at, last_at,
    last_round_id, last_answer, last_decimals, last_price, highest_round_id, invalid_reason, invalid_since_at, invalid_round_id
  from carried
  union all
  select
    s.chain, s.feed_address, s.day, s.rows_present, s.invalid_rounds, s.first_at, s.last_at,
    r.round_id, r.answer, r.decimals, r.price, s.highest_round_id, e.invalid_reason, e.invalid_since_at, e.invalid_round_id
  from step s
  left join last_round r on r.chain = s.chain and r.feed_address = s.feed_address and r.day = s.day
  left join ended e on e.chain = s.chain and e.feed_address = s.feed_address and e.day = s.day
),
counted as (
  select
    k.*,
    cast(sum(rows_present) over so_far as bigint) as rows_so_far,
    cast(sum(invalid_rounds) over so_far as bigint) as invalid_so_far,
    min(first_at) over so_far as first_so_far,
    max(last_at) over so_far as last_so_far,
    max(highest_round_id) over so_far as highest_so_far,
    max(case when last_at is not null then day end) over so_far as answered_day,
    lead(day, 1, @end - 1 - (@end - 1) % 86400 + 86400) over (partition by chain, feed_address order by day) as until_at
  from known k
  window so_far as (partition by chain, feed_address order by day rows between unbounded preceding and current row)
),
total as (
  select
    c.chain, c.feed_address, c.day, c.rows_so_far as rows_present, c.invalid_so_far as invalid_rounds, c.first_so_far as first_at,
    c.last_so_far as last_at, a.last_round_id, a.last_answer, a.last_decimals, a.last_price, c.highest_so_far as highest_round_id,
    c.invalid_reason, c.invalid_since_at, c.invalid_round_id, c.until_at
  from counted c
  left join known a on a.chain = c.chain and a.feed_address = c.feed_address and a.day = c.answered_day
)
select
  s.chain, s.feed_address, t.day, s.rows_present, s.invalid_rounds, s.first_at, s.last_at,
  s.last_round_id, s.last_answer, s.last_decimals, s.last_price, s.highest_round_id, s.invalid_reason, s.invalid_since_at,
  s.invalid_round_id
from total s
cross join unnest(sequence(s.day, s.until_at - 1, 86400)) as t(day)
where t.day >= @start
