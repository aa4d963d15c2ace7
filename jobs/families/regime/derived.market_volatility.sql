-- How far one watched pair moved in the 24 hours that ended at `hour`: the square root of the sum of squared hourly returns. An hour
-- with fewer than 18 returns has no row; a price change over more than three hours is not used as a return.
-- kind: window   grain: pair, hour   time: hour   order: day, pair, hour
with moved as (
  select
    pair, hour, day,
    case
      when hour - lag(hour) over (partition by pair order by hour) <= 10800
        then ln(price / lag(price) over (partition by pair order by hour))
    end as log_return
  from derived.market_price_hour
  where hour >= @start - 97200 and hour < @end
),
summed as (
  select
    pair, hour, day,
    count(log_return) over last_day as returns,
    sum(exact_decimal(log_return * log_return, 38, 18)) over last_day as square_sum
  from moved
  window last_day as (partition by pair order by hour range between 82800 preceding and current row)
)
select pair, hour, day, sqrt(exact_double(square_sum)) as volatility
from summed
where hour >= @start and returns >= 18
