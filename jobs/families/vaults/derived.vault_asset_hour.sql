-- Price of one lent asset in one hour by the amounts of the largest market that lends it: of its last state in that hour, else in the hour
-- before.
-- kind: window   grain: chain, asset_address, hour   time: hour   order: day, chain, asset_address, hour
with state as (
  select
    s.chain, m.loan_asset as asset_address, s.observed_at, s.observed_at - s.observed_at % 3600 as hour, s.supplied_usd,
    s.supplied_usd / s.supplied as price
  from obs.market_state s
  join derived.lending_market m
    on m.chain = s.chain and m.market_id = s.market_id and m.valid_from <= s.observed_at and m.valid_to > s.observed_at
  where s.observed_at >= @start - 3600 and s.observed_at < @end and s.supplied > 0 and s.supplied_usd > 0 and m.loan_asset is not null
),
ranked as (
  select
    *, row_number() over (partition by chain, asset_address, hour order by supplied_usd desc, observed_at desc, price) as place
  from state
),
spread as (
  select chain, asset_address, hour, price, 0 as age_hours from ranked where place = 1
  union all
  select chain, asset_address, hour + 3600 as hour, price, 1 as age_hours from ranked where place = 1
)
select chain, asset_address, hour, hour - hour % 86400 as day, min_by(price, age_hours) as price_usd
from spread
where hour >= @start and hour < @end
group by chain, asset_address, hour
