-- One assumption that the price of one market rests on over one period. left_symbol in terms of right_symbol is what can be tested.
-- is_collateral: the assumption raises the price if it is too high; otherwise it lowers it. Ids are shared by all markets of a chain.
-- kind: full   grain: chain, market_id, valid_from, assumption_id
with leg as (
  select s.chain, s.market_id, s.valid_from, s.valid_to, l.leg_index, l.side, l.role, l.contract, l.kind, l.from_symbol, l.to_symbol, l.min_value, l.max_value
  from derived.oracle_path_span s
  join derived.oracle_path_leg l
    on l.chain = s.chain and l.market_id = s.market_id and l.oracle_address = s.oracle_address and l.observed_at = s.valid_from
  where not l.is_standby
),
found as (
  select
    chain, market_id, valid_from, valid_to, concat(left_1, '=', right_1) as assumption_id, case when is_constant then 'constant' else 'equality' end as kind,
    left_1 as left_symbol, right_1 as right_symbol, cast(null as varchar) as contract, left_1 <> quote_symbol as is_collateral,
    concat('One ', left_1, ' is worth one ', right_1, '.') as statement
  from derived.oracle_path_span
  where left_1 is not null
  union all
  select
    chain, market_id, valid_from, valid_to, concat(left_2, '=', right_2), 'equality', left_2, right_2, cast(null as varchar), left_2 <> quote_symbol,
    concat('One ', left_2, ' is worth one ', right_2, '.')
  from derived.oracle_path_span
  where left_2 is not null
  union all
  select
    chain, market_id, valid_from, valid_to, concat('rate:', contract), 'redemption_rate', from_symbol, to_symbol, contract, side = 'base',
    concat(coalesce(from_symbol, 'A share'), ' can be redeemed for ', coalesce(to_symbol, 'its asset'), ' at the rate that its own contract states.')
  from leg
  where role = 'vault' or kind in ('erc4626', 'rate', 'wrapper')
  union all
  select
    chain, market_id, valid_from, valid_to, concat('cap:', contract), 'cap', from_symbol, to_symbol, contract, side = 'base',
    concat('The true price of ', coalesce(from_symbol, 'the asset'), ' is not above the cap.')
  from leg
  where kind in ('capo_rate', 'capo_stable', 'capo_eur')
  union all
  select
    chain, market_id, valid_from, valid_to, concat('discount:', contract), 'discount', from_symbol, to_symbol, contract, side = 'base',
    concat(coalesce(from_symbol, 'The token'), ' is worth its redemption less a discount that only shrinks with time.')
  from leg
  where kind in ('pendle_linear', 'capo_pendle')
  union all
  select
    chain, market_id, valid_from, valid_to, concat('twap:', contract), 'twap', from_symbol, to_symbol, contract, side = 'base',
    concat('The mean price of ', coalesce(from_symbol, 'the token'), ' in its pool over the window is its price now.')
  from leg
  where kind = 'pendle_twap'
  union all
  select
    chain, market_id, valid_from, valid_to, concat('bound:', contract), 'bound', from_symbol, to_symbol, contract, side = 'base',
    concat('The price of ', coalesce(from_symbol, 'the asset'), ' stays within the bounds of what the feed can answer.')
  from leg
  where min_value is not null or max_value is not null
  union all
  select
    chain, market_id, valid_from, valid_to, concat('feed:', contract), 'feed', from_symbol, to_symbol, contract, side = 'base',
    concat('The feed reports the price of ', coalesce(from_symbol, 'the asset'), ' in ', coalesce(to_symbol, 'its quote'), ' correctly.')
  from leg
  where role = 'feed' and kind not in ('erc4626', 'rate', 'wrapper', 'pendle_linear', 'pendle_twap', 'constant')
  union all
  select
    chain, market_id, valid_from, valid_to, concat('standby:', oracle_address), 'standby', base_symbol, quote_symbol, oracle_address, true,
    'The standby oracle takes over when the one in use is wrong.'
  from derived.oracle_path_span
  where standby_address is not null
  union all
  select
    chain, market_id, valid_from, valid_to, concat('path:', market_id), 'path', base_symbol, quote_symbol, oracle_address, true,
    concat('The oracle''s price of ', coalesce(base_symbol, 'the collateral'), ' in ', coalesce(quote_symbol, 'the loan'), ' is that of the market.')
  from derived.oracle_path_span
)
select
  chain, market_id, valid_from, max(valid_to) as valid_to, assumption_id, min(kind) as kind, min(left_symbol) as left_symbol, min(right_symbol) as right_symbol,
  min(contract) as contract, max(case when is_collateral then 1 else 0 end) = 1 as is_collateral, min(statement) as statement
from found
group by chain, market_id, valid_from, assumption_id
