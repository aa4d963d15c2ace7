-- One sandwich: within one block and pool, an actor buys before others buy, and sells what it bought after them. The actor is the account
-- that signed or, where the accounts differ, the contract they called, unless anyone may call that contract: whoever shares an account or
-- such a contract, directly or through a third swap, is one actor. Its swaps are an inventory: each sale takes what was bought last and not
-- sold yet, so nested sandwiches are distinguished, and purchases in several transactions are one front-run if one sale takes them.
-- Purchases and sales joined that way are one sandwich if someone else buys between the first purchase and the last sale; an overlap of no
-- more than mev.leg_tolerance of the smaller leg is a remainder and joins nothing. Legs are settled over the amount that they share: what
-- was bought and not sold is not counted, nor what was sold without having been bought in the block, and covered_share is the share of the
-- sales that was bought. The extraction is priced by the first known value of the token that the front-run gave: by the front-run, by the back-run, by
-- our own feeds; else by the first known value of the token that it received: by the front-run, by the back-run, by our own feeds. It is
-- null if no value is known. `other_extracted_usd` is the extraction by the second known value.
-- kind: window   grain: chain, block_number, pool_id, front_index   time: observed_at   order: day, chain, block_number, pool_id, front_index
with swap as (
  select
    s.*, r.contract is not null as is_open,
    case
      when r.contract is not null or s.contract is null then s.sender
      else min(s.sender) over (partition by s.chain, s.block_number, s.contract)
    end as actor_1
  from obs.mev_swap s
  left join policy.mev_router r on r.contract = s.contract
  where s.observed_at >= @start and s.observed_at < @end
),
swap_2 as (
  select *, min(actor_1) over (partition by chain, block_number, sender) as actor_2 from swap
),
swap_3 as (
  select
    *,
    case
      when is_open or contract is null then actor_2 else min(actor_2) over (partition by chain, block_number, contract)
    end as actor_3
  from swap_2
),
acted as (
  select *, min(actor_3) over (partition by chain, block_number, sender) as actor from swap_3
),
-- Each swap is a purchase of what it took and a sale of what it gave; `base` is what is bought and sold, `quote` what is paid for it.
leg as (
  select
    chain, block_number, pool_id, actor, token_out as base, token_in as quote, tx_index, swap_index, tx_hash, sender, 1 as side,
    amount_out as base_amount, amount_in as quote_amount, amount_out_usd as base_usd, amount_in_usd as quote_usd
  from acted
  where amount_out > 0
  union all
  select
    chain, block_number, pool_id, actor, token_in as base, token_out as quote, tx_index, swap_index, tx_hash, sender, -1 as side,
    amount_in as base_amount, amount_out as quote_amount, amount_in_usd as base_usd, amount_out_usd as quote_usd
  from acted
  where amount_in > 0
),
traded as (
  select
    *,
    min(case when side = 1 then tx_index end) over of_actor as first_purchase,
    max(case when side = -1 then tx_index end) over of_actor as last_sale,
    sum(side * base_amount) over (of_actor order by tx_index, swap_index, side rows between unbounded preceding and current row) as level_after
  from leg
  window of_actor as (partition by chain, block_number, pool_id, actor, base, quote)
),
moved as (
  select
    *,
    lag(level_after, 1, 0e0) over (partition by chain, block_number, pool_id, actor, base, quote order by tx_index, swap_index, side) as level_before
  from traded
  where first_purchase < last_sale
),
spanned as (
  select
    *, case when level_before < level_after then level_before else level_after end as low,
    case when level_before < level_after then level_after else level_before end as high
  from moved
),
cut as (
  select
    chain, block_number, pool_id, actor, base, quote, level,
    lead(level) over (partition by chain, block_number, pool_id, actor, base, quote order by level) as next_level
  from (
    select chain, block_number, pool_id, actor, base, quote, low as level from spanned
    union
    select chain, block_number, pool_id, actor, base, quote, high as level from spanned
  ) both_ends
),
-- At each level of the inventory purchases and sales take turns: a sale sells what the purchase before it bought.
crossed as (
  select
    s.chain, s.block_number, s.pool_id, s.actor, s.base, s.quote, s.swap_index, s.tx_index, s.side, c.next_level - c.level as amount,
    lag(s.side) over at_level as side_before,
    lag(s.swap_index) over at_level as index_before,
    lag(s.tx_index) over at_level as tx_before
  from cut c
  join spanned s
    on s.chain = c.chain and s.block_number = c.block_number and s.pool_id = c.pool_id and s.actor = c.actor and s.base = c.base
    and s.quote = c.quote and s.low <= c.level and s.high >= c.next_level
  where c.next_level is not null
  window at_level as (
    partition by s.chain, s.block_number, s.pool_id, s.actor, s.base, s.quote, c.level order by s.tx_index, s.swap_index, s.side
  )
),
sold as (
  select
    chain, block_number, pool_id, actor, base, quote, index_before as front_index, swap_index as back_index,
    tx_before < tx_index as is_later, sum(amount) as amount
  from crossed
  where side = -1 and side_before = 1
  group by chain, block_number, pool_id, actor, base, quote, index_before, swap_index, tx_before < tx_index
),
matched as (
  select
    c.chain, c.block_number, c.pool_id, c.actor, c.base, c.quote, c.front_index, c.back_index, c.amount,
    f.tx_index as front_place, f.tx_hash as front_tx, f.sender as front_sender, f.base_amount as front_base, f.quote_amount as front_quote,
    f.base_usd as front_base_usd, f.quote_usd as front_quote_usd,
    b.tx_index as back_place, b.tx_hash as back_tx, b.sender as back_sender, b.base_amount as back_base, b.quote_amount as back_quote,
    b.base_usd as back_base_usd, b.quote_usd as back_quote_usd
  from sold c
  cross join policy.mev p
  join spanned f
    on f.chain = c.chain and f.block_number = c.block_number and f.pool_id = c.pool_id and f.actor = c.actor and f.base = c.base
    and f.quote = c.quote and f.side = 1 and f.swap_index = c.front_index
  join spanned b
    on b.chain = c.chain and b.block_number = c.block_number and b.pool_id = c.pool_id and b.actor = c.actor and b.base = c.base
    and b.quote = c.quote and b.side = -1 and b.swap_index = c.back_index
  where c.is_later
    and c.amount > p.leg_tolerance * case when f.base_amount < b.base_amount then f.base_amount else b.base_amount end
),
-- Purchases and sales that share one are one position, named by its first purchase.
joined_1 as (
  select *, min(front_index) over (partition by chain, block_number, pool_id, actor, base, quote, back_index) as first_1 from matched
),
joined_2 as (
  select *, min(first_1) over (partition by chain, block_number, pool_id, actor, base, quote, front_index) as first_2 from joined_1
),
joined_3 as (
  select *, min(first_2) over (partition by chain, block_number, pool_id, actor, base, quote, back_index) as first_3 from joined_2
),
joined_4 as (
  select
    *, row_number() over (partition by chain, block_number, pool_id, actor, base, quote, back_index order by front_index) as back_turn,
    min(first_3) over (partition by chain, block_number, pool_id, actor, base, quote, front_index) as first_index
  from joined_3
),
settled as (
  select
    chain, block_number, pool_id, actor, base as token_out, quote as token_in, first_index as front_index,
    min(front_place) as front_place, max(back_place) as back_place,
    min_by(front_tx, front_index) as front_tx, max_by(back_tx, back_index) as back_tx, max(back_index) as back_index,
    array_join(array_agg(distinct front_tx order by front_tx), ',') as front_txs,
    array_join(array_agg(distinct back_tx order by back_tx), ',') as back_txs,
    min_by(front_sender, front_index) as sender,
    min(front_sender) = max(front_sender) and min(back_sender) = max(back_sender) and min(front_sender) = min(back_sender) as is_one_sender,
    sum(back_quote * amount / back_base - front_quote * amount / front_base) as extracted,
    sum(front_quote_usd) / nullif(sum(case when front_quote_usd is not null then front_quote end), 0) as front_unit_usd,
    sum(back_quote_usd) / nullif(sum(case when back_quote_usd is not null then back_quote end), 0) as back_unit_usd,
    sum(front_base_usd) / nullif(sum(case when front_base_usd is not null then front_quote end), 0) as front_counter_usd,
    sum(back_base_usd) / nullif(sum(case when back_base_usd is not null then back_quote end), 0) as back_counter_usd,
    sum(front_base) / nullif(sum(front_quote), 0) as front_rate,
    sum(amount) / sum(case when back_turn = 1 then back_base end) as covered_share
  from joined_4
  group by chain, block_number, pool_id, actor, base, quote, first_index
),
between_them as (
  select
    s.chain, s.block_number, s.pool_id, s.front_index,
    min(v.observed_at) as observed_at, min(v.day) as day, min(v.protocol) as protocol,
    count(distinct v.tx_hash) as victims,
    array_join(array_agg(distinct v.tx_hash order by v.tx_hash), ',') as victim_txs
  from settled s
  join acted v
    on v.chain = s.chain and v.block_number = s.block_number and v.pool_id = s.pool_id and v.actor <> s.actor
    and v.tx_index > s.front_place and v.tx_index < s.back_place and v.token_in = s.token_in and v.token_out = s.token_out
  group by s.chain, s.block_number, s.pool_id, s.front_index
),
candidate as (
  select
    s.chain, s.block_number, s.pool_id, s.front_index, p.place, p.priced_by,
    case p.priced_by
      when 'front_run' then s.front_unit_usd
      when 'back_run' then s.back_unit_usd
      when 'feed' then t.unit_usd
      when 'front_run_counter' then s.front_counter_usd
      when 'back_run_counter' then s.back_counter_usd
      else c.unit_usd * s.front_rate
    end as unit_usd
  from settled s
  join between_them n
    on n.chain = s.chain and n.block_number = s.block_number and n.pool_id = s.pool_id and n.front_index = s.front_index
  cross join (
    values
      (1, 'front_run'),
      (2, 'back_run'),
      (3, 'feed'),
      (4, 'front_run_counter'),
      (5, 'back_run_counter'),
      (6, 'feed_counter')
  ) as p(place, priced_by)
  left join derived.mev_feed_price t
    on t.chain = s.chain and t.block_number = s.block_number and t.token = s.token_in and t.observed_at >= @start and t.observed_at < @end
  left join derived.mev_feed_price c
    on c.chain = s.chain and c.block_number = s.block_number and c.token = s.token_out and c.observed_at >= @start and c.observed_at < @end
),
known as (
  select
    *, row_number() over (partition by chain, block_number, pool_id, front_index order by place) as choice
  from candidate
  where unit_usd is not null
)
select
  s.chain, s.block_number, s.pool_id, s.front_index, n.observed_at, n.day, n.protocol, s.sender,
  case when s.is_one_sender then 'sender' else 'contract' end as same_by,
  s.front_tx, s.front_txs, s.back_index, s.back_tx, s.back_txs, n.victims, n.victim_txs, s.token_in as token, s.extracted, round(s.covered_share, 6) as covered_share,
  round(s.extracted * k.unit_usd, 2) as extracted_usd,
  k.priced_by,
  round(s.extracted * o.unit_usd, 2) as other_extracted_usd
from settled s
join between_them n
  on n.chain = s.chain and n.block_number = s.block_number and n.pool_id = s.pool_id and n.front_index = s.front_index
left join known k
  on k.chain = s.chain and k.block_number = s.block_number and k.pool_id = s.pool_id and k.front_index = s.front_index and k.choice = 1
left join known o
  on o.chain = s.chain and o.block_number = s.block_number and o.pool_id = s.pool_id and o.front_index = s.front_index and o.choice = 2
