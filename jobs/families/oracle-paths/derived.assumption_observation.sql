-- What one instant says about one assumption: its price gap, positive if the oracle assumes more than the sources say, and the zone of it:
-- `beyond` if the gap reaches the band and more than half of the sources are on that side, `inside` if it is less than half of the band, or
-- `between`. A cap is broken while it holds a value down; a bound, while the answer is within a tenth of it, or the feed is silent, and the
-- sources are beyond it; a standby oracle, while it differs by more than its threshold. is_far: beyond a multiple of the band. No row: nothing
-- to compare with, a bound that was not read, sources beyond a bound of a feed that may be silent, and a standby oracle that agrees but is not
-- known to read anything that the one in use does not.
-- kind: window   grain: chain, assumption_id, observed_at   time: observed_at   by_hour: observed_at   order: day, chain, assumption_id, observed_at
with seen as (
  select
    i.chain, i.assumption_id, i.observed_at, i.day, i.kind, i.low_bound, i.high_bound, i.is_silent, i.standby_sources,
    case when i.kind = 'cap' then i.capped else i.assumed end as assumed,
    case when i.kind = 'cap' then i.uncapped when i.kind = 'standby' then i.standby_price else p.observed end as observed,
    p.sources, p.sources_above_it, p.sources_below_it, p.source_feeds, p.source_values,
    case when i.kind = 'standby' then i.standby_threshold * 10000 else b.enter_bps end as enter_bps,
    i.kind in ('cap', 'standby') as is_own_test
  from derived.assumption_instant i
  join derived.assumption_band b on b.chain = i.chain and b.assumption_id = i.assumption_id
  left join derived.assumption_price p on p.chain = i.chain and p.assumption_id = i.assumption_id and p.observed_at = i.observed_at
  where i.observed_at >= @start and i.observed_at < @end
),
gapped as (
  select *, round((assumed / observed - 1) * 10000, 6) as gap_bps
  from seen
  where assumed >= 0 and observed > 0 and enter_bps is not null and (kind <> 'bound' or low_bound is not null or high_bound is not null)
),
judged as (
  select
    g.*,
    case
      when g.kind = 'cap' then -g.gap_bps >= g.enter_bps
      when g.kind = 'bound' then
        case
          when g.observed < g.low_bound then g.is_silent or g.assumed <= 1.1 * g.low_bound
          when g.observed > g.high_bound then g.is_silent or g.assumed >= 0.9 * g.high_bound
          else false
        end
      when g.kind = 'standby' then abs(g.gap_bps) > g.enter_bps
      when g.gap_bps >= g.enter_bps then 2 * g.sources_below_it > g.sources
      when g.gap_bps <= -g.enter_bps then 2 * g.sources_above_it > g.sources
      else false
    end as is_beyond
  from gapped g
)
select
  j.chain, j.assumption_id, j.observed_at, j.day, j.kind, j.assumed, j.observed, j.gap_bps, j.enter_bps, coalesce(j.sources, 0) as sources,
  j.source_feeds, j.source_values,
  case
    when j.is_beyond then 'beyond'
    when j.kind = 'bound' or abs(j.gap_bps) < j.enter_bps / 2 then 'inside'
    else 'between'
  end as zone,
  j.is_beyond and j.kind not in ('standby', 'cap') and abs(j.gap_bps) >= p.immediate_multiple * j.enter_bps as is_far,
  not j.is_own_test and j.sources = 1 as is_single_source,
  not j.is_own_test and (j.sources_above_it + j.sources_below_it) > 0
    and greatest(j.sources_above_it, j.sources_below_it) < j.sources as is_disputed
from judged j
cross join policy.oracle_paths p
where j.is_beyond is not null and (j.kind <> 'standby' or j.is_beyond or j.standby_sources > 0)
