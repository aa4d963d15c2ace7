// Exposure in the demo world: every six hours vaults report how they are spread over the markets that they supply, and once a week the
// backing of an asset is reported. One vault holds part of another, one leaves a share unexplained, two never report, and two synthetic
// dollars back each other.

import type { Interval, Source } from '../../define/source.ts';
import { hash, signed, unit } from './scenario/hash.ts';
import { type DemoVault, demoMarkets, demoVaults } from './scenario/lending-markets.ts';
import { calendarOf } from './scenario/lending-states.ts';
import { type DemoSettings, firstDay } from './scenario/settings.ts';
import { type Row, simulatedAs } from './scenario/simulated.ts';

const SIX_HOURS_S = 21_600;
const WEEK_S = 7 * 86_400;
const SEED_OF_ALLOCATIONS = 3_000;
const CHAIN = 'ethereum';

/** Indices of the vaults that never report. */
const SILENT: readonly number[] = [6, 7, 8, 9];
/** Share of its value that a vault keeps idle. */
const IDLE = 0.06;

/** Holdings of a vault outside its markets, by index: part of another vault, or a synthetic dollar. */
const SIDE_HOLDINGS: ReadonlyMap<
  number,
  { readonly kind: 'vault' | 'asset'; readonly of: number | string; readonly share: number }
> = new Map([
  [2, { kind: 'asset', of: 'DEUSD', share: 0.08 }],
  [4, { kind: 'vault', of: 0, share: 0.15 }],
]);

/** Share of its value that a vault does not explain, by index. */
const UNEXPLAINED: ReadonlyMap<number, number> = new Map([[2, 0.12]]);

type Backing = readonly [
  symbol: string,
  kind: 'asset' | 'issuer' | 'venue',
  held: string,
  share: number,
  name?: string,
];

/** Shares of one asset that do not add up to 1 leave the rest unknown. */
const BACKINGS: readonly Backing[] = [
  ['USDC', 'issuer', 'circle', 1, 'Circle'],
  ['USDT', 'issuer', 'tether', 1, 'Tether'],
  ['PYUSD', 'issuer', 'paxos', 1, 'Paxos'],
  ['WBTC', 'issuer', 'bitgo', 1, 'BitGo'],
  ['CBBTC', 'issuer', 'coinbase', 1, 'Coinbase'],
  ['STETH', 'asset', 'ETH', 1],
  ['RSETH', 'asset', 'STETH', 0.6],
  ['RSETH', 'asset', 'ETH', 0.4],
  ['DAI', 'asset', 'USDC', 0.42],
  ['DAI', 'asset', 'STETH', 0.2],
  ['DAI', 'issuer', 'sky', 0.25, 'Sky'],
  ['USDE', 'venue', 'custodian-a', 0.4, 'Custodian A'],
  ['USDE', 'venue', 'custodian-b', 0.3, 'Custodian B'],
  ['USDE', 'asset', 'USDT', 0.25],
  ['PTUSDE', 'asset', 'USDE', 1],
  ['XUSD', 'asset', 'DEUSD', 0.4],
  ['XUSD', 'issuer', 'stream', 0.35, 'Stream'],
  ['DEUSD', 'asset', 'XUSD', 0.45],
  ['DEUSD', 'asset', 'USDC', 0.55],
];

export function exposureDemoSources(settings: DemoSettings): readonly Source[] {
  const { seed, days, startedAt } = settings;
  const listedAt = firstDay(startedAt, days);
  const vaults = demoVaults(seed, demoMarkets(settings)).filter(({ index }) => !SILENT.includes(index));
  const { start } = calendarOf(settings);
  return [
    simulatedAs('vault-allocations', 'vault_allocation', (interval) =>
      instants(start + SIX_HOURS_S, SIX_HOURS_S, interval).flatMap((at) =>
        vaults.flatMap((vault) => allocationsOf(seed, vault, at, vaults)),
      ),
    ),
    simulatedAs('asset-backings', 'asset_backing', (interval) =>
      instants(listedAt, WEEK_S, interval).flatMap((at) => BACKINGS.map((one) => backingRow(one, at))),
    ),
  ];
}

/** The instants of a series in (from, to]. */
function instants(first: number, step: number, { from, to }: Interval): readonly number[] {
  const found: number[] = [];
  const skipped = Math.max(0, Math.floor((from - first) / step) + 1);
  for (let at = first + skipped * step; at <= to; at += step) found.push(at);
  return found;
}

function allocationsOf(
  seed: number,
  vault: DemoVault,
  observed_at: number,
  vaults: readonly DemoVault[],
): readonly Row[] {
  const own = hash(seed, SEED_OF_ALLOCATIONS + vault.index);
  const vault_total_usd = (20 + 9 * vault.index) * 1e6 * (1 + 0.01 * signed(own, observed_at / SIX_HOURS_S));
  const row = (held_kind: string, held: string, share: number): Row => ({
    chain: CHAIN,
    vault_address: vault.vault_address,
    observed_at,
    held_kind,
    held,
    value_usd: vault_total_usd * share,
    vault_total_usd,
  });
  const side = SIDE_HOLDINGS.get(vault.index);
  const markets = vault.markets.filter(({ chain }) => chain === CHAIN);
  const weights = markets.map(({ index }) => 1 + unit(own, index));
  const spread = 1 - IDLE - (side?.share ?? 0) - (UNEXPLAINED.get(vault.index) ?? 0);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const sideOf = typeof side?.of === 'number' ? vaults[side.of]?.vault_address : side?.of;
  return [
    row('asset', vault.asset, IDLE),
    ...markets.map(({ market_id }, index) =>
      row('market', market_id, (spread * (weights[index] ?? 0)) / total),
    ),
    ...(side !== undefined && sideOf !== undefined ? [row(side.kind, sideOf, side.share)] : []),
  ];
}

const backingRow = ([symbol, held_kind, held, share, held_name]: Backing, observed_at: number): Row => ({
  symbol,
  observed_at,
  held_kind,
  held,
  held_name: held_name ?? null,
  share,
});
