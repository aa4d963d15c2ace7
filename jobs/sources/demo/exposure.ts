// Exposure in the demo world: every hour how vaults are spread over what they hold, and once a week the backing of an asset. What vaults
// hold is what is read of their contracts. One of them holds part of another; one whose contract is never read leaves a share unexplained;
// two never report; and two synthetic dollars back each other.

import type { Interval, Source } from '../../define/source.ts';
import { demoMarkets, demoVaults } from './scenario/lending-markets.ts';
import { calendarOf, type DemoState, statesIn } from './scenario/lending-states.ts';
import { type DemoSettings, firstDay } from './scenario/settings.ts';
import { type Row, simulatedAs } from './scenario/simulated.ts';
import { marketsOf, VAULT_CHAIN, type VaultAtHour, vaultHours } from './scenario/vault-holdings.ts';

const WEEK_S = 7 * 86_400;

/** The vault of which only its own reports are known: what it lends of each market, and shares of its value. The rest is unexplained. */
const REPORTER = {
  vault: 10,
  share_of_market: 0.03,
  holdings: [
    ['USDC', 0.06],
    ['DEUSD', 0.08],
  ],
  unexplained: 0.12,
} as const;

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
  const { days, startedAt } = settings;
  const listedAt = firstDay(startedAt, days);
  const hours = vaultHours(settings);
  const reports = reportsOf(settings);
  return [
    simulatedAs('vault-allocations', 'vault_allocation', (interval) => [
      ...hours(interval).flatMap(allocationsOf),
      ...reports(interval),
    ]),
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

interface UsdHolding {
  readonly held_kind: string;
  readonly held: string;
  readonly value_usd: number;
}

type Report = Pick<Row, 'vault_address' | 'observed_at' | 'vault_total_usd'>;

const allocationRows = (report: Report, holdings: readonly UsdHolding[]): readonly Row[] =>
  holdings.map((holding) => ({ chain: VAULT_CHAIN, ...report, ...holding }));

function allocationsOf({ vault, at, decimals, price_usd, ...hour }: VaultAtHour): readonly Row[] {
  const usdOf = (assets: bigint) => (Number(assets) / 10 ** decimals) * price_usd;
  return allocationRows(
    { vault_address: vault.vault_address, observed_at: at, vault_total_usd: usdOf(hour.real) },
    [
      ...hour.holdings.map(({ held_kind, held, assets }) => ({ held_kind, held, value_usd: usdOf(assets) })),
      ...(hour.idle > 0n ? [{ held_kind: 'asset', held: vault.asset, value_usd: usdOf(hour.idle) }] : []),
    ],
  );
}

/** The reports of the vault whose contract is never read. */
function reportsOf(settings: DemoSettings): (interval: Interval) => readonly Row[] {
  const calendar = calendarOf(settings);
  const vault = demoVaults(settings.seed, demoMarkets(settings))[REPORTER.vault];
  if (vault === undefined) return () => [];
  const markets = marketsOf([vault]);
  return (interval) =>
    [
      ...Map.groupBy(statesIn(markets, calendar, interval), ({ observed_at }) => observed_at).entries(),
    ].flatMap(([observed_at, states]) => reportOf(vault.vault_address, observed_at, states));
}

function reportOf(vault_address: string, observed_at: number, states: readonly DemoState[]): readonly Row[] {
  const lent = states.map(
    ({ market, supplied_usd }): UsdHolding => ({
      held_kind: 'market',
      held: market.market_id,
      value_usd: supplied_usd * REPORTER.share_of_market,
    }),
  );
  const spread = REPORTER.holdings.reduce((rest, [, share]) => rest - share, 1 - REPORTER.unexplained);
  const vault_total_usd = lent.reduce((sum, { value_usd }) => sum + value_usd, 0) / spread;
  const own = REPORTER.holdings.map(
    ([held, share]): UsdHolding => ({ held_kind: 'asset', held, value_usd: vault_total_usd * share }),
  );
  return allocationRows({ vault_address, observed_at, vault_total_usd }, [...lent, ...own]);
}

const backingRow = ([symbol, held_kind, held, share, held_name]: Backing, observed_at: number): Row => ({
  symbol,
  observed_at,
  held_kind,
  held,
  held_name: held_name ?? null,
  share,
});
