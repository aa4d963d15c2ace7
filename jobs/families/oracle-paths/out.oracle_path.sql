-- The oracle of one market: its legs, the checks of its arithmetic, what it assumes and whether that holds, who can change it, and what
-- breaks when it is wrong. A figure that is not known is null, and gaps says why.
-- kind: full   grain: chain, market_id
with leg as (
  select
    p.chain, p.market_id, l.leg_index, l.parent_index, l.is_standby, l.side, l.role, l.contract, l.kind, l.kind_by, l.from_symbol, l.to_symbol, l.decimals,
    l.value, l.rate, l.unread_reason, l.answered_at, l.cap, l.changed_by, l.changed_how, l.change_delay_s
  from derived.oracle_path p
  join derived.oracle_path_leg l
    on l.chain = p.chain and l.market_id = p.market_id and l.oracle_address = p.oracle_address and l.observed_at = p.path_at
),
legs as (
  select
    chain, market_id,
    array_agg(
      cast(
        row(leg_index, parent_index, is_standby, side, role, contract, kind, kind_by, from_symbol, to_symbol, decimals, value, rate, unread_reason, answered_at, cap)
        as row(
          leg_index bigint, parent_index bigint, is_standby boolean, side varchar, role varchar, contract varchar, kind varchar, kind_by varchar,
          from_symbol varchar, to_symbol varchar, decimals bigint, value varchar, rate double, unread_reason varchar, answered_at bigint, cap varchar
        )
      )
      order by leg_index
    ) as legs
  from leg
  group by chain, market_id
),
changeable as (
  select
    chain, market_id,
    array_agg(
      cast(row(contract, changed_by, changed_how, change_delay_s) as row(contract varchar, address varchar, how varchar, delay_s bigint)) order by contract
    ) as changeable_by
  from (
    select chain, market_id, contract, min(changed_by) as changed_by, min(changed_how) as changed_how, min(change_delay_s) as change_delay_s
    from leg
    where changed_by is not null and changed_by <> 'no_one'
    group by chain, market_id, contract
    union
    select p.chain, p.market_id, p.oracle_address, min(o.changed_by), min(o.changed_how), min(o.change_delay_s)
    from derived.oracle_path p
    join obs.oracle_price o
      on o.chain = p.chain and o.market_id = p.market_id and o.oracle_address = p.oracle_address and o.observed_at = p.path_at
    where o.changed_by is not null and o.changed_by <> 'no_one'
    group by p.chain, p.market_id, p.oracle_address
  ) c
  group by chain, market_id
),
assumption as (
  select
    a.chain, a.market_id,
    array_agg(
      cast(
        row(
          s.assumption_id, s.kind, s.statement, s.tested_by, round(s.gap_bps, 2),
          round(s.enter_bps, 2), s.is_broken, s.since_at
        )
        as row(
          id varchar, kind varchar, statement varchar, tested_by varchar, gap_bps double, effective_enter_bps double, is_broken boolean,
          since_at bigint
        )
      )
      order by case when s.is_broken then 0 when s.kind = 'path' then 2 else 1 end, s.assumption_id
    ) as assumptions,
    -- Unknown is not whole: without a broken one, all must be judged.
    max(case when s.is_broken then 1 else 0 end) as broken, count(*) - count(s.is_broken) as unjudged,
    array_agg(distinct s.assumption_id order by s.assumption_id) as assumption_ids,
    min(case when s.is_broken then s.since_at end) as broken_since_at
  from derived.path_assumption a
  join derived.assumption_state s on s.chain = a.chain and s.assumption_id = a.assumption_id
  where a.valid_from <= @now and a.valid_to > @now
  group by a.chain, a.market_id
)
select
  concat(p.chain, ':', p.market_id) as id, p.chain, p.market_id, r.protocol,
  coalesce(r.name, r.collateral_symbol || ' / ' || r.loan_symbol, r.loan_symbol) as name, p.oracle_address, p.kind, p.kind_by, p.verdict, p.path_status,
  p.base_symbol, p.quote_symbol, p.left_over, p.missing,
  case when coalesce(p.failed, '') = '' then array[] else split(p.failed, ',') end as failed_checks,
  p.scale_error as scale_error_exponent, round(p.sample_error_bps, 4) as sample_error_bps, p.computed_price, p.read_price, p.path_hash,
  coalesce(l.legs, array[]) as legs, p.standby_address,
  coalesce(a.assumptions, array[]) as assumptions, coalesce(a.assumption_ids, array[]) as assumption_ids,
  case when a.broken = 1 then true when a.unjudged = 0 then false end as is_broken, a.broken_since_at,
  coalesce(c.changeable_by, array[]) as changeable_by,
  p.price_decimal as price,
  case when p.market_price < 1e19 then regexp_replace(cast(exact_decimal(p.market_price, 38, 18) as varchar), '\.?0+$', '') end as market_price,
  round(p.gap_bps, 2) as gap_bps, p.sources, round(p.debt_usd, 2) as debt_usd,
  round(p.bad_debt_low_usd, 2) as unrealised_bad_debt_low_usd, round(p.bad_debt_high_usd, 2) as unrealised_bad_debt_high_usd,
  round(p.unjust_usd, 2) as unjust_liquidation_usd, round(p.unjust_high_usd, 2) as unjust_liquidation_high_usd,
  case
    when p.bad_debt_low_usd is null or p.utilization is null or p.borrow_apr_pct is null then null
    when p.utilization >= 0.999 and p.bad_debt_low_usd > 0 then round(p.debt_usd * p.borrow_apr_pct / 36500, 2)
    else 0e0
  end as phantom_interest_usd_day,
  case when p.gaps = '' then array[] else split(p.gaps, ',') end as gaps,
  case when coalesce(p.doubts, '') = '' then array[] else split(p.doubts, ',') end as doubts,
  p.path_at, p.price_at as observed_at
from derived.oracle_path p
left join legs l on l.chain = p.chain and l.market_id = p.market_id
left join changeable c on c.chain = p.chain and c.market_id = p.market_id
left join assumption a on a.chain = p.chain and a.market_id = p.market_id
left join derived.lending_market r on r.chain = p.chain and r.market_id = p.market_id and r.valid_from <= @now and r.valid_to > @now
