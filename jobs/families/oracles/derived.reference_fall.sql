-- A fall of a redemption rate, which only rises: an answer of a feed of a peg's reference that is at least peg.reference_fall_bps below its
-- highest value of the past seven days, at the first answer of each grade. `high` from the deviation at which a depeg starts, `warn` below
-- it. A return to within peg.reference_fall_bps of the highest value ends the fall and is no news. A reference that has fallen in more than
-- a tenth of at least ten answers of the past 30 days is a market price: its falls are none of this.
-- kind: window   grain: chain, symbol, quote, asset_id, feed_address, observed_at, round_id   time: observed_at   order: observed_at, chain, symbol, asset_id, feed_address, round_id
with reference as (
  select
    s.chain, s.symbol, s.quote, s.asset_id, s.feed_address, s.is_inverted, s.speaks_from, s.speaks_to, a.asset_name, a.kind, a.reference_pair,
    a.enter_bps, a.reference_fall_bps
  from derived.peg_source s
  join derived.peg_asset a on a.chain = s.chain and a.symbol = s.symbol and a.quote = s.quote and a.asset_id = s.asset_id
  where s.role = 'reference' and a.reference_fall_bps > 0
),
answered as (
  select
    r.*, p.known_at, p.is_carried, p.round_id, p.tx_hash, p.block_number, p.log_index,
    case when r.is_inverted then power(10, p.decimals) / cast(p.answer as double) else cast(p.answer as double) / power(10, p.decimals) end as rate
  from reference r
  join derived.peg_answer p
    on p.chain = r.chain and p.feed_address = r.feed_address and p.known_at >= r.speaks_from and p.known_at < r.speaks_to
  where p.is_valid and p.known_at >= @start - 3196800 and p.known_at < @end
),
ordered as (
  select
    *,
    row_number() over (
      partition by chain, symbol, quote, asset_id, feed_address
      order by known_at, case when is_carried then 0 else 1 end, length(round_id), round_id
    ) as place
  from answered
),
compared as (
  select
    *,
    max(rate) over (
      partition by chain, symbol, quote, asset_id, feed_address order by known_at range between 604800 preceding and current row
    ) as highest,
    case when is_carried then 0 else 1 end as is_answer,
    -- A millionth of a basis point is rounding.
    case
      when not is_carried and rate < (1 - 1e-10) * lag(rate) over (
        partition by chain, symbol, quote, asset_id, feed_address order by place
      ) then 1
      else 0
    end as is_fall
  from ordered
),
counted as (
  select
    *,
    -- Rounded, so that in doubles a fall of exactly the limit reaches it.
    round((1 - rate / highest) * 10000, 6) as fall_bps,
    coalesce(sum(is_answer) over month_before, 0) as answers_before,
    coalesce(sum(is_fall) over month_before, 0) as falls_before
  from compared
  window month_before as (
    partition by chain, symbol, quote, asset_id, feed_address order by known_at range between 2592000 preceding and 1 preceding
  )
),
graded as (
  select
    *,
    case
      when fall_bps < reference_fall_bps or (answers_before >= 10 and falls_before * 10 > answers_before) then 0
      when fall_bps >= enter_bps then 2
      else 1
    end as grade_rank
  from counted
  where known_at >= @start - 604800
),
parted as (
  select
    *,
    sum(case when grade_rank = 0 then 1 else 0 end) over (
      partition by chain, symbol, quote, asset_id, feed_address order by place rows between unbounded preceding and current row
    ) as fall_no
  from graded
),
risen as (
  select
    *,
    coalesce(
      max(grade_rank) over (
        partition by chain, symbol, quote, asset_id, feed_address, fall_no order by place rows between unbounded preceding and 1 preceding
      ),
      0
    ) as rank_before
  from parted
)
select
  chain, symbol, quote, asset_id, asset_name, kind, reference_pair, feed_address, known_at as observed_at, known_at - known_at % 86400 as day,
  round_id, block_number, tx_hash, log_index,
  case when grade_rank = 2 then 'high' else 'warn' end as grade, rate, highest as rate_before, fall_bps, reference_fall_bps
from risen
where not is_carried and grade_rank > rank_before and known_at >= @start
