// Rows of an installation with many vaults, for the benchmark of vaults: the same on every machine, as SQL of DuckDB. Each vault has
// positions in eight markets, all of USDC.

export interface VaultWorld {
  readonly vaults: number;
  /** Positions of each vault. */
  readonly positions: number;
  readonly markets: number;
  /** Unix seconds of the first reading. */
  readonly from: number;
}

/** Readings at `from`, `from + step` … up to and without `to`, Unix seconds. */
export interface Readings {
  readonly from: number;
  readonly to: number;
  readonly step: number;
}

const WEI = "'000000'";
export const address = (name: string, prefix: string) =>
  `concat('0x${prefix}', substr(md5(cast(${name} as varchar)), 1, 32))`;
const VAULT = address('v', 'aaaaaaaa');
export const MARKET = address('m', 'bbbbbbbb');

const times = ({ from, to, step }: Readings) => `range(${from}, ${to}, ${step}) t(seen)`;

/** Whole units of USDC of one position: what a vault lends grows by the hour. */
const units = (world: VaultWorld, position: string) =>
  `(1000000 + (v * 31 + ${position} * 17) % 1000 * 1000 + (seen - ${world.from}) // 3600)`;
const total = (world: VaultWorld) =>
  `cast(list_sum(list_transform(range(${world.positions}), lambda p: ${units(world, 'p')})) as bigint)`;
/** Every fourth vault is of the second version. */
const IS_V2 = 'v % 4 = 3';

/** As a source delivers them. */
export function vaultStates(world: VaultWorld, readings: Readings): string {
  return `select 'ethereum' as chain, ${VAULT} as vault_address, seen as observed_at, seen // 12 as block_number,
      case when ${IS_V2} then 'morpho_v2' else 'morpho_v1_1' end as kind, 6 as asset_decimals, 18 as share_decimals,
      concat(cast(total as varchar), ${WEI}) as total_assets, concat(cast(first_total as varchar), '000000000000000000') as total_supply,
      '0' as fee_shares, concat(cast(total as varchar), ${WEI}) as real_assets, case when ${IS_V2} then '0' end as idle_assets,
      1.0e0 as asset_price_usd, '100000000000000000' as performance_fee, '0' as management_fee, ${world.positions} as position_count
    from (select v, seen, ${total(world)} as total,
        cast(list_sum(list_transform(range(${world.positions}), lambda p: 1000000 + (v * 31 + p * 17) % 1000 * 1000)) as bigint) as first_total
      from range(${world.vaults}) r(v), ${times(readings)}) s`;
}

/** With what landing computes. */
export const landedStates = (world: VaultWorld, readings: Readings): string =>
  `select s.*, cast(null as varchar) as address_one_shares, cast(null as varchar) as undistributed_assets, cast(null as varchar) as lost_assets,
      cast(null as varchar) as share_price, cast(null as varchar) as backed_share_price, cast(null as varchar) as coverage,
      cast(null as varchar) as max_rate, cast(null as varchar) as receive_shares_gate, cast(null as varchar) as send_shares_gate,
      cast(null as varchar) as receive_assets_gate, cast(null as varchar) as send_assets_gate,
      concat('1.', lpad(cast((observed_at - ${world.from}) // 3600 * 1000000000 as varchar), 18, '0')) as exact_share_price,
      concat('1.', lpad(cast((observed_at - ${world.from}) // 3600 * 1000000000 as varchar), 18, '0')) as exact_backed_share_price,
      '1.000000000000000000' as exact_coverage, '0' as exact_lost_assets
    from (${vaultStates(world, readings)}) s`;

/** As a source delivers them. */
export function vaultPositions(world: VaultWorld, readings: Readings): string {
  const market = `concat('0xbbbbbbbb', substr(md5(cast((v * 7 + p * 13) % ${world.markets} as varchar)), 1, 32))`;
  return `select 'ethereum' as chain, ${VAULT} as vault_address, seen as observed_at,
      case when ${IS_V2} then ${address('v + 1000000', 'cccccccc')} end as via_address, 'market' as held_kind, ${market} as held,
      concat(cast(${units(world, 'p')} as varchar), ${WEI}) as assets, concat(cast(${units(world, 'p')} as varchar), '000000000000') as shares,
      concat(cast(20000000 as varchar), ${WEI}) as absolute_cap, case when ${IS_V2} then '400000000000000000' end as relative_cap,
      case when not ${IS_V2} then p end as queue_index, case when ${IS_V2} then p = 0 end as is_liquidity,
      case when ${IS_V2} then '10000000000000000' end as penalty, concat(cast(20000000 + p * 1000 as varchar), ${WEI}) as market_supply,
      concat(cast(2000000 + p * 1000 + seen % 1000 as varchar), ${WEI}) as market_cash,
      case when not ${IS_V2} then '1000000000' end as max_in, case when not ${IS_V2} then '1000000000' end as max_out
    from range(${world.vaults}) r(v), ${times(readings)}, range(${world.positions}) q(p)`;
}

/** With what landing computes. */
export const landedPositions = (world: VaultWorld, readings: Readings): string =>
  `select p.*, lower(coalesce(via_address, vault_address)) as holder_address from (${vaultPositions(world, readings)}) p`;

export const lendingVaults = (world: VaultWorld): string =>
  `select 'ethereum' as chain, ${VAULT} as vault_address, 'morpho' as protocol, concat('Vault ', v) as name, concat('v', v) as symbol,
      '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48' as asset_address, 'USDC' as asset_symbol, true as is_listed, ${world.from} as observed_at
    from range(${world.vaults}) r(v)`;

/** Hourly states of every market, as the lending family keeps them. */
export const marketStates = (world: VaultWorld, readings: Readings): string =>
  `select 'ethereum' as chain, ${MARKET} as market_id, seen as observed_at, seen // 12 as block_number, 20000000.0e0 as supplied,
      18000000.0e0 as borrowed, 20000000.0e0 as supplied_usd, 18000000.0e0 as borrowed_usd, 0.9e0 as utilization, 2000000.0e0 as withdrawable_usd
    from range(${world.markets}) r(m), ${times(readings)}`;
