-- One row of the coverage manifest (2.13). id is chain|scope|scope_id. Gaps are listed in a fixed order; holes in a feed's history stand for
-- its missing history, with the start and end of up to twenty of the longest. A completeness below 100 is never rounded up to it.
-- kind: full   grain: id
with hole as (
  select
    chain, feed_address,
    array_join(
      array_agg(
        concat(
          ',{"kind":"missing_history","from":"', replace(cast(cast(from_unixtime(hole_from) as timestamp(0)) as varchar), ' ', 'T'),
          'Z","to":"', replace(cast(cast(from_unixtime(hole_to) as timestamp(0)) as varchar), ' ', 'T'), 'Z"}'
        )
        order by hole_from
      ),
      ''
    ) as gaps
  from derived.feed_hole
  where place <= 20
  group by chain, feed_address
)
select
  concat(c.chain, '|', c.scope, '|', c.scope_id) as id,
  c.chain, c.scope, c.scope_id, c.label, c.classified, c.has_metadata,
  case
    when c.history_completeness_pct < 1e2 then least(round(c.history_completeness_pct, 4), 99.9999e0)
    else c.history_completeness_pct
  end as history_completeness_pct,
  replace(cast(cast(from_unixtime(c.last_update_at) as timestamp(0)) as varchar), ' ', 'T') || 'Z' as last_update_at,
  json_parse(concat('[', substr(concat(
    case when c.is_missing_metadata then ',{"kind":"missing_metadata"}' else '' end,
    case when c.is_missing_history then coalesce(h.gaps, ',{"kind":"missing_history"}') else '' end,
    case when c.is_stale then ',{"kind":"stale"}' else '' end,
    case when c.is_unverifiable then ',{"kind":"unverifiable"}' else '' end
  ), 2), ']')) as gaps
from derived.coverage c
left join hole h on h.chain = c.chain and h.feed_address = case when c.scope = 'oracle_feed' then c.scope_id end
