-- The value in USD of the smallest unit of one token at the time of a block, by our own feeds: the median of the latest answers of all
-- usable feeds of its pair that are no older than their heartbeat, or than a day if the heartbeat is unknown. Covers the tokens that the
-- policy names, in blocks in which a pool was traded in both directions.
-- kind: window   grain: chain, block_number, token   time: observed_at   order: day, chain, block_number, token
with wanted as (
  select distinct s.chain, s.block_number, s.observed_at, s.day, t.token, t.pair, t.decimals
  from obs.mev_swap s
  join obs.mev_swap b
    on b.chain = s.chain and b.block_number = s.block_number and b.pool_id = s.pool_id and b.token_in = s.token_out
    and b.observed_at >= @start and b.observed_at < @end
  join policy.mev_token t on t.chain = s.chain and (t.token = s.token_in or t.token = s.token_out)
  where s.observed_at >= @start and s.observed_at < @end
),
answer as (
  select
    w.chain, w.block_number, w.observed_at, w.day, w.token, w.decimals, r.price,
    row_number() over (
      partition by w.chain, w.block_number, w.token, r.chain, r.feed_address
      order by r.observed_at desc, length(r.round_id) desc, r.round_id desc
    ) as place
  from wanted w
  join derived.pair_feed f on f.pair = w.pair and f.speaks_from <= w.observed_at and f.speaks_to > w.observed_at
  join derived.feed_answer r
    on r.chain = f.chain and r.feed_address = f.feed_address and r.observed_at <= w.observed_at
    and r.observed_at > w.observed_at - least(coalesce(f.heartbeat_s, 86400) + 60, 90000)
  where r.is_valid and r.observed_at >= @start - 90000 and r.observed_at < @end
),
ranked as (
  select
    chain, block_number, observed_at, day, token, decimals, price,
    row_number() over (partition by chain, block_number, token order by price) as rank,
    count(*) over (partition by chain, block_number, token) as feeds
  from answer
  where place = 1
)
select
  chain, block_number, token, observed_at, day,
  avg(price) / power(1e1, max(decimals)) as unit_usd,
  max(feeds) as feeds
from ranked
where 2 * rank >= feeds and 2 * rank <= feeds + 2
group by chain, block_number, token, observed_at, day
