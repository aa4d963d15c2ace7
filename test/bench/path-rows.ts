// Rows of the lending markets of the benchmark of vaults, of their oracles and of the feeds that these read: the same on every machine, as
// SQL of DuckDB. Every collateral has two feeds, of which oracles read the first; half of the oracles take a dollar for a USDC.
import { address, MARKET, type Readings, type VaultWorld } from './vault-rows.ts';

/** Collaterals, each with as many markets as there are for all divided by this. */
const COLLATERALS = 50;
/** Between two answers of a feed. */
const ANSWERS_EVERY_S = 600;
/** Units of 8 decimals. */
const UNIT = 100_000_000;

const times = ({ from, to, step }: Readings) => `range(${from}, ${to}, ${step}) t(seen)`;
const FEED = address('f', 'dddddddd');
const feedOf = (index: string) => address(index, 'dddddddd');
/** Feeds 0 to COLLATERALS - 1 are read by oracles, as many again by none; the last one is of USDC. */
const FEEDS = 2 * COLLATERALS + 1;
const symbol = (index: string) =>
  `case when ${index} = ${FEEDS - 1} then 'USDC' else concat('COIN', ${index} % ${COLLATERALS}) end`;
const answer = (feed: string, at: string) =>
  `cast(case when ${feed} = ${FEEDS - 1} then ${UNIT} else ${UNIT} * (100 + ${feed} % ${COLLATERALS}) + (${at} // ${ANSWERS_EVERY_S} * 7919 + ${feed} * 31) % 1000000 end as bigint)`;

export const lendingMarkets = (world: VaultWorld): string =>
  `select 'ethereum' as chain, ${MARKET} as market_id, 'morpho' as protocol, '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48' as loan_asset,
      'USDC' as loan_symbol, ${address(`m % ${COLLATERALS}`, 'eeeeeeee')} as collateral_asset, ${symbol(`m % ${COLLATERALS}`)} as collateral_symbol,
      0.86e0 as lltv, 'isolated' as category, true as is_listed, ${world.from} as observed_at
    from range(${world.markets}) r(m)`;

export const feedRegistry = (world: VaultWorld): string =>
  `select 'ethereum' as chain, 'chainlink' as provider, ${FEED} as feed_address, concat(${symbol('f')}, ' / USD') as name, ${symbol('f')} as base,
      'USD' as quote, 3600 as heartbeat_s, 50.0e0 as deviation_bps, 8 as decimals, ${world.from} as observed_at
    from range(${FEEDS}) r(f)`;

/** Every feed answers in each interval of ANSWERS_EVERY_S, at a second of its own. */
export const feedRounds = ({ from, to }: Readings): string =>
  `select 'ethereum' as chain, ${FEED} as feed_address, cast(seen // ${ANSWERS_EVERY_S} as varchar) as round_id,
      cast(${answer('f', 'seen')} as varchar) as answer, 8 as decimals, seen + f * 5 as updated_at
    from range(${FEEDS}) r(f), range(${from - (from % ANSWERS_EVERY_S)}, ${to}, ${ANSWERS_EVERY_S}) t(seen)
    where seen + f * 5 >= ${from} and seen + f * 5 < ${to}`;

/** Of a reading at `at`: what the feed answered last. */
const answerAt = (feed: string, at: string) => answer(feed, `(${at} - ${feed} * 5)`);
const ORACLE = address('m', 'ffffffff');
const COLLATERAL_FEED = `m % ${COLLATERALS}`;

/** Without legs but at the first reading of a day. */
export const oraclePrices = (world: VaultWorld, readings: Readings): string =>
  `select 'ethereum' as chain, ${MARKET} as market_id, ${ORACLE} as oracle_address, seen as observed_at, seen // 12 as block_number,
      concat(cast(${answerAt(COLLATERAL_FEED, 'seen')} as varchar), repeat('0', 16)) as price, 6 as loan_decimals, 18 as collateral_decimals,
      'morpho_v2' as kind, 'factory' as kind_by, case when seen % 86400 = 0 then 1 + m % 2 end as leg_count,
      case when seen % 86400 = 0 then concat('1', repeat('0', case when m % 2 = 1 then 24 else 16 end)) end as scale_factor,
      case when seen % 86400 = 0 then cast(${answerAt(COLLATERAL_FEED, 'seen')} as varchar) end as base_factors,
      case when seen % 86400 = 0 then case when m % 2 = 1 then '${UNIT}' else '1' end end as quote_factors
    from range(${world.markets}) r(m), ${times(readings)}`;

export const oracleLegs = (world: VaultWorld, readings: Readings): string =>
  `select 'ethereum' as chain, ${MARKET} as market_id, ${ORACLE} as oracle_address, seen as observed_at, leg as leg_index,
      case when leg = 0 then 'base' else 'quote' end as side, 'feed' as role,
      case when leg = 0 then ${feedOf(COLLATERAL_FEED)} else ${feedOf(String(FEEDS - 1))} end as contract, 'chainlink' as kind,
      'registry' as kind_by, case when leg = 0 then ${symbol(COLLATERAL_FEED)} else 'USDC' end as from_symbol, 'USD' as to_symbol,
      'registry' as pair_by, 8 as decimals,
      cast(case when leg = 0 then ${answerAt(COLLATERAL_FEED, 'seen')} else ${UNIT} end as varchar) as value
    from range(${world.markets}) r(m), ${times(readings)}, range(2) q(leg)
    where seen % 86400 = 0 and leg <= m % 2`;
