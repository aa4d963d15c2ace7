-- Value locked in one protocol or pool at one instant, as one source states it.
-- kind: append   grain: entity, observed_at, stated_usd   time: observed_at   order: day, entity, observed_at, stated_usd
select entity, observed_at, observed_at - observed_at % 86400 as day, tvl_usd,
  coalesce(stated_usd, cast(tvl_usd as varchar)) as stated_usd, source_id, fetched_at
from landing.tvl_reading
