-- The known price history of one feed at the end of one day (or at the end of the window), carried over days without rounds: the
-- checkpoint from which every later window starts. Only valid rounds count as rows present.
-- kind: window   grain: chain, feed_address, day   time: day   order: day, chain, feed_address
with step as (
  select
    chain, feed_address, day,
    count(*) filter (where is_valid) as rows_present,
    count(*) filter (where not is_valid) as invalid_rounds,
    min(case when is_valid then observed_at end) as first_at,
    max(case when is_valid then observed_at end) as last_at
  from obs.feed_round
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
    from obs.feed_round r
    join step s on s.chain = r.chain and s.feed_address = r.feed_address and s.last_at = r.observed_at
    where r.is_valid and r.observed_at >= @start and r.observed_at < @end
  ) ranked
  where place = 1
),
known as (
  select
    chain, feed_address, day, rows_present, invalid_rounds, first_at, last_at,
    last_round_id, last_answer, last_decimals, last_price
  from derived.feed_state
  where day = @start - 86400
  union all
  select
    s.chain, s.feed_address, s.day, s.rows_present, s.invalid_rounds, s.first_at, s.last_at,
    r.round_id, r.answer, r.decimals, r.price
  from step s
  left join last_round r on r.chain = s.chain and r.feed_address = s.feed_address and r.day = s.day
),
total as (
  select
    chain, feed_address, day,
    cast(sum(rows_present) over so_far as bigint) as rows_present,
    cast(sum(invalid_rounds) over so_far as bigint) as invalid_rounds,
    min(first_at) over so_far as first_at,
    max(last_at) over so_far as last_at,
    max_by(last_round_id, case when last_at is not null then day end) over so_far as last_round_id,
    max_by(last_answer, case when last_at is not null then day end) over so_far as last_answer,
    max_by(last_decimals, case when last_at is not null then day end) over so_far as last_decimals,
    max_by(last_price, case when last_at is not null then day end) over so_far as last_price,
    lead(day, 1, @end - 1 - (@end - 1) % 86400 + 86400) over (partition by chain, feed_address order by day) as until_at
  from known
  window so_far as (partition by chain, feed_address order by day rows between unbounded preceding and current row)
)
select
  s.chain, s.feed_address, t.day, s.rows_present, s.invalid_rounds, s.first_at, s.last_at,
  s.last_round_id, s.last_answer, s.last_decimals, s.last_price
from total s
cross join unnest(sequence(s.day, s.until_at - 1, 86400)) as t(day)
where t.day >= @start
