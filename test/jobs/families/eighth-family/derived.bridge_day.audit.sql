-- Transfers of unknown worth.
-- verdict: warn
select
  concat(bridge, ': the worth of transfers is not known') as reason,
  cast(count(*) filter (where amount_usd is null) as double) / count(*) as weight
from obs.bridge_transfer
where sent_at >= @now - @now % 86400 - 604800 and sent_at <= @now
group by bridge
having count(*) filter (where amount_usd is null) > 0
