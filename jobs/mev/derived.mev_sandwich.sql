-- One sandwich: within one block and pool, an actor buys before others buy, and sells what it bought after them. The actor is the account
-- that signed or, where the accounts differ, the contract they called, unless anyone may call that contract. A front-run is paired with
-- the nearest back-run that has a victim in between. Both legs are settled over the amount they share: a part that was not sold back is not
-- counted. The extraction is priced by the first known value of the token that the front-run gave: by the front-run, by the back-run, by
-- our own feeds; else by the first known value of the token that it received: by the front-run, by the back-run, by our own feeds. It is
-- null if no value is known or a leg is zero. `other_extracted_usd` is the extraction by the second known value.
-- kind: window   grain: chain, block_number, pool_id, front_index   time: observed_at   order: day, chain, block_number, pool_id, front_index
with swap as (
  select s.*, case when r.contract is null then s.contract end as own_contract
  from obs.mev_swap s
  left join policy.mev_router r on r.contract = s.contract
  where s.observed_at >= @start and s.observed_at < @end
),
pair as (
  select
    f.chain, f.block_number, f.pool_id, f.observed_at, f.day, f.protocol, f.token_in, f.token_out, f.sender, f.own_contract,
    b.sender as back_sender, f.tx_index as front_place, f.swap_index as front_index, f.tx_hash as front_tx,
    b.tx_index as back_place, b.swap_index as back_index, b.tx_hash as back_tx,
    f.amount_in as front_in, f.amount_out as front_out, b.amount_in as back_in, b.amount_out as back_out,
    f.amount_in_usd / nullif(f.amount_in, 0) as front_unit_usd, b.amount_out_usd / nullif(b.amount_out, 0) as back_unit_usd,
    f.amount_out_usd / nullif(f.amount_in, 0) as front_counter_usd, b.amount_in_usd / nullif(b.amount_out, 0) as back_counter_usd
  from swap f
  join swap b
    on b.chain = f.chain and b.block_number = f.block_number and b.pool_id = f.pool_id and b.tx_index > f.tx_index
    and b.token_in = f.token_out and b.token_out = f.token_in and (b.sender = f.sender or b.own_contract = f.own_contract)
),
between_them as (
  select
    p.chain, p.block_number, p.pool_id, p.front_index, p.back_index, p.front_place, p.back_place,
    count(distinct v.tx_hash) as victims,
    array_join(array_agg(distinct v.tx_hash order by v.tx_hash), ',') as victim_txs
  from pair p
  join swap v
    on v.chain = p.chain and v.block_number = p.block_number and v.pool_id = p.pool_id
    and v.tx_index > p.front_place and v.tx_index < p.back_place and v.token_in = p.token_in and v.token_out = p.token_out
    and v.sender <> p.sender and v.sender <> p.back_sender
    and (v.own_contract is null or p.own_contract is null or v.own_contract <> p.own_contract)
  group by p.chain, p.block_number, p.pool_id, p.front_index, p.back_index, p.front_place, p.back_place
),
nearest as (
  select
    *,
    row_number() over (partition by chain, block_number, pool_id, back_index order by front_place desc, front_index desc) as front_rank,
    row_number() over (partition by chain, block_number, pool_id, front_index order by back_place, back_index) as back_rank
  from between_them
),
settled as (
  select
    p.*, n.victims, n.victim_txs,
    case
      when p.front_out > 0 and p.back_in > 0
        then p.back_out * least(p.front_out / p.back_in, 1e0) - p.front_in * least(p.back_in / p.front_out, 1e0)
    end as extracted
  from nearest n
  join pair p
    on p.chain = n.chain and p.block_number = n.block_number and p.pool_id = n.pool_id
    and p.front_index = n.front_index and p.back_index = n.back_index
  where n.front_rank = 1 and n.back_rank = 1
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
      else c.unit_usd * s.front_out / nullif(s.front_in, 0)
    end as unit_usd
  from settled s
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
  s.chain, s.block_number, s.pool_id, s.front_index, s.observed_at, s.day, s.protocol, s.sender,
  case when s.sender = s.back_sender then 'sender' else 'contract' end as same_by,
  s.front_tx, s.back_index, s.back_tx, s.victims, s.victim_txs, s.token_in as token, s.extracted,
  round(s.extracted * k.unit_usd, 2) as extracted_usd,
  case when s.extracted is not null then k.priced_by end as priced_by,
  round(s.extracted * o.unit_usd, 2) as other_extracted_usd
from settled s
left join known k
  on k.chain = s.chain and k.block_number = s.block_number and k.pool_id = s.pool_id and k.front_index = s.front_index and k.choice = 1
left join known o
  on o.chain = s.chain and o.block_number = s.block_number and o.pool_id = s.pool_id and o.front_index = s.front_index and o.choice = 2
