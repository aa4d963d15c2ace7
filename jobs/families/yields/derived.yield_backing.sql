-- The backing of one opportunity now: the verdict of the lending market whose contract it is, if any, and whether a pegged asset has no
-- price feed left that is known to be fresh, so that a lost peg would go unnoticed. Of a market or vault: the debt that the collateral does not
-- cover at market prices, as far as a vault bears it, as an interval in USD, and whether an assumption of an oracle behind it is broken.
-- kind: full   grain: opportunity_id
with latest as (
  select opportunity_id, chain, address, assets
  from (
    select
      d.opportunity_id, d.chain, d.address, d.assets,
      row_number() over (partition by d.opportunity_id order by d.day desc) as place
    from derived.yield_day d
    cross join policy.yields p
    where d.day >= @now - p.keep_s - 86400 and d.observed_at > @now - p.keep_s and d.observed_at <= @now
  ) ranked
  where place = 1
),
watched as (
  select s.symbol, count(*) filter (where c.verdict = 'fresh') as fresh_feeds
  from derived.peg_source s
  left join derived.feed_verdict c on c.chain = s.chain and c.feed_address = s.feed_address
  where s.role = 'price' and s.speaks_from <= @now and s.speaks_to > @now
  group by s.symbol
),
unpriced as (
  select distinct l.opportunity_id
  from latest l
  cross join unnest(split(l.assets, ',')) as t(symbol)
  join watched w on w.symbol = t.symbol and w.fresh_feeds = 0
),
lent as (
  select
    l.opportunity_id, l.chain, lower(l.address) as id, m.market_id is not null as is_market,
    t.vault_address is not null or r.vault_address is not null as is_vault,
    case when t.vault_address is not null then b.low_usd when o.bad_debt_low_usd is not null then o.bad_debt_low_usd when m.borrowed = 0 then 0e0 end as low_usd,
    case when t.vault_address is not null then b.high_usd when o.bad_debt_high_usd is not null then o.bad_debt_high_usd when m.borrowed = 0 then 0e0 end as high_usd
  from latest l
  left join derived.market_day m on m.chain = l.chain and m.market_id = lower(l.address) and m.day = @now - @now % 86400
  left join derived.oracle_path o on o.chain = l.chain and o.market_id = lower(l.address)
  left join derived.vault_latest t on t.chain = l.chain and t.vault_address = lower(l.address)
  left join derived.vault_bad_debt b on b.chain = l.chain and b.vault_address = lower(l.address)
  left join derived.lending_vault r
    on r.chain = l.chain and r.vault_address = lower(l.address) and r.valid_from <= @now and r.valid_to > @now
),
-- The markets behind an opportunity: its own, those of a vault, and those of the vaults that the vault holds.
behind as (
  select opportunity_id, chain, id as market_id from lent
  union
  select l.opportunity_id, h.chain, h.held
  from lent l
  join derived.vault_holding h on h.chain = l.chain and h.vault_address = l.id
  where h.held_kind = 'market' and coalesce(h.assets, 1e0) > 0
  union
  select l.opportunity_id, i.chain, i.held
  from lent l
  join derived.vault_holding h on h.chain = l.chain and h.vault_address = l.id
  join derived.vault_holding i on i.chain = h.chain and i.vault_address = h.held
  where h.held_kind = 'vault' and coalesce(h.assets, 1e0) > 0 and i.held_kind = 'market' and coalesce(i.assets, 1e0) > 0
),
broken as (
  select distinct b.opportunity_id
  from behind b
  join derived.path_assumption a
    on a.chain = b.chain and a.market_id = b.market_id and a.valid_from <= @now and a.valid_to > @now
  join derived.assumption_state s on s.chain = a.chain and s.assumption_id = a.assumption_id
  where s.is_broken
)
select
  l.opportunity_id, v.verdict as market_verdict, u.opportunity_id is not null as is_price_doubtful,
  d.low_usd as uncovered_low_usd, d.high_usd as uncovered_high_usd,
  coalesce((v.verdict is not null or d.is_market or d.is_vault) and (d.low_usd is null or d.high_usd is null), false) as is_cover_unknown,
  k.opportunity_id is not null as is_assumption_broken
from latest l
join lent d on d.opportunity_id = l.opportunity_id
left join broken k on k.opportunity_id = l.opportunity_id
left join derived.market_verdict v on v.chain = l.chain and v.market_id = lower(l.address)
left join unpriced u on u.opportunity_id = l.opportunity_id
