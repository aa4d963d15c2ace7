// The states and positions of the demo world's vaults, every hour at the block at which its markets are read. In every period one vault
// loses assets without showing it in its quoted price, one is donated to and loses more than that an hour later, and one receives gains
// that it may distribute only slowly.
import { DAY_S, HOUR_S } from '../../../platform/base/time.ts';
import type { Interval, Source } from '../../define/source.ts';
import { hash, signed } from './scenario/hash.ts';
import { addressOf, type DemoVault, demoMarkets, demoVaults } from './scenario/lending-markets.ts';
import { beginOf, calendarOf, type Calendar, type DemoState, statesIn } from './scenario/lending-states.ts';
import type { DemoSettings } from './scenario/settings.ts';
import { type Row, simulatedAs } from './scenario/simulated.ts';

const CHAIN = 'ethereum';
const SEED_OF_VAULT_STATES = 3_200;
const NO_GATE = `0x${'0'.repeat(40)}`;
const UNLIMITED = (2n ** 128n - 1n).toString();
const WAD = 10n ** 18n;

/** Kind of each vault by index; one without a kind is never read. */
const KINDS: readonly (string | null)[] = [
  ...['morpho_v1_1', 'morpho_v1_0', 'morpho_v1_1', 'morpho_v1_1', 'morpho_v1_0', 'morpho_v1_1'],
  ...[null, 'erc4626', 'morpho_v2', 'morpho_v2'],
];
const DECIMALS: Readonly<Record<string, number>> = { USDC: 6, PYUSD: 6, ETH: 18 };
/** Rough price by which dollars of a market become units of its asset. */
const DOLLARS: Readonly<Record<string, number>> = { USDC: 1, PYUSD: 1, ETH: 3_000 };
/** Share of each market's supply that a vault holds. */
const SHARE_OF_MARKET = 0.08;
/** Growth of share prices, as a fraction a year. */
const RATE = 0.05;

const HIDDEN_LOSS = { vault: 0, at: 0.02, share: 0.02 } as const;
/** Only in so many periods: a price that falls forever ends at 0. */
const DONATION = { vault: 5, at: 0.7, rise: 0.04, fall: 0.09, periods: 20 } as const;
const LIMITED_GAIN = { vault: 9, at: 0.03, share: 0.03 } as const;
/** The vault whose positions include another vault, and the share of its assets there. */
const OUTER = { vault: 8, inner: 0, share: 0.3 } as const;
const IDLE_SHARE = 0.05;
/** The vault without an own balance whose ordinary withdrawals take from the market that is drained, and that market. */
const DRAINED = { vault: 9, market: 16 } as const;

export function vaultsDemoSources(settings: DemoSettings): readonly Source[] {
  const markets = demoMarkets(settings);
  const vaults = demoVaults(settings.seed, markets);
  const calendar = calendarOf(settings);
  const readings = (interval: Interval) =>
    [...hoursOf([...statesIn(markets, calendar, interval)])].flatMap(([at, states]) =>
      vaults.flatMap((vault) => readingOf(vault, { calendar, vaults, states, at }) ?? []),
    );
  return [
    simulatedAs('vault-states', 'vault_state', (interval) => readings(interval).map(({ state }) => state)),
    simulatedAs('vault-positions', 'vault_position', (interval) =>
      readings(interval).flatMap(({ positions }) => positions),
    ),
  ];
}

function hoursOf(states: readonly DemoState[]): ReadonlyMap<number, readonly DemoState[]> {
  const hours = new Map<number, DemoState[]>();
  for (const state of states) hours.set(state.observed_at, [...(hours.get(state.observed_at) ?? []), state]);
  return hours;
}

interface DemoHour {
  readonly calendar: Calendar;
  readonly vaults: readonly DemoVault[];
  readonly states: readonly DemoState[];
  /** Time of the block, Unix seconds. */
  readonly at: number;
}

interface Reading {
  readonly state: Row;
  readonly positions: readonly Row[];
}

/** Null for a vault that is never read, and while one of its markets is silent. */
function readingOf(vault: DemoVault, hour: DemoHour): Reading | null {
  const kind = KINDS[vault.index];
  const markets = vault.markets.filter(({ chain }) => chain === CHAIN);
  const own = markets.flatMap(({ index }) => hour.states.find(({ market }) => market.index === index) ?? []);
  if (kind == null || own.length < markets.length || own.length === 0) return null;
  if (kind === 'erc4626') return { state: plainState(vault, hour), positions: [] };
  const positions = own.map((state, place) => positionOf(vault, state, { place, kind }));
  const inner = OUTER.vault === vault.index ? innerPosition(vault, positions, hour) : [];
  return {
    state: stateOf(vault, kind, hour, [...positions, ...inner]),
    positions: [...positions, ...inner],
  };
}

const smallest = ({ asset }: DemoVault, amount: number): bigint =>
  BigInt(Math.round(amount * 1e6)) * 10n ** BigInt((DECIMALS[asset] ?? 6) - 6);

const sumOf = (positions: readonly Row[]): bigint =>
  positions.reduce((sum, { assets }) => sum + BigInt(String(assets)), 0n);

function positionOf(
  vault: DemoVault,
  { market, observed_at, supplied_usd, borrowed_usd }: DemoState,
  { place, kind }: { readonly place: number; readonly kind: string },
): Row {
  const supply = supplied_usd / (DOLLARS[vault.asset] ?? 1);
  const isV2 = kind === 'morpho_v2';
  return {
    chain: CHAIN,
    vault_address: vault.vault_address,
    observed_at,
    via_address: isV2 ? adapterOf(vault) : null,
    held_kind: 'market',
    held: market.market_id,
    assets: smallest(vault, supply * SHARE_OF_MARKET).toString(),
    absolute_cap: isV2 && place > 0 ? UNLIMITED : smallest(vault, supply * 2 * SHARE_OF_MARKET).toString(),
    relative_cap: isV2 ? (place === 0 ? WAD : (4n * WAD) / 10n).toString() : null,
    queue_index: isV2 ? null : place,
    is_liquidity: isV2 ? isLiquidity(vault, market.index, place) : null,
    penalty: isV2 ? (WAD / 100n).toString() : null,
    market_supply: smallest(vault, supply).toString(),
    market_cash: smallest(vault, (supplied_usd - borrowed_usd) / (DOLLARS[vault.asset] ?? 1)).toString(),
    max_in: isV2 ? null : smallest(vault, supply * 0.001).toString(),
    max_out: isV2 ? null : smallest(vault, supply * 0.002).toString(),
  };
}

const isLiquidity = (vault: DemoVault, market: number, place: number): boolean =>
  vault.index === DRAINED.vault ? market === DRAINED.market : place === 0;

const adapterOf = ({ index }: DemoVault): string => addressOf(SEED_OF_VAULT_STATES, index);

function innerPosition(
  vault: DemoVault,
  [first, ...rest]: readonly Row[],
  { vaults }: DemoHour,
): readonly Row[] {
  const inner = vaults[OUTER.inner];
  if (inner === undefined || first === undefined) return [];
  const total = Number(sumOf([first, ...rest]));
  return [
    {
      ...first,
      held_kind: 'vault',
      held: inner.vault_address,
      assets: BigInt(Math.round((total * OUTER.share) / (1 - OUTER.share) / 1e6))
        .toString()
        .concat('000000'),
      via_address: addressOf(SEED_OF_VAULT_STATES, 100 + vault.index),
      is_liquidity: false,
      market_supply: null,
      market_cash: null,
    },
  ];
}

/** Millionths of a unit of the asset for one share. */
const priceOf = ({ seed, start }: Calendar, index: number, at: number): bigint => {
  const rate = RATE * (1 + 0.3 * signed(hash(seed, SEED_OF_VAULT_STATES), index));
  return BigInt(Math.round(1e12 * (1 + (rate * (at - start)) / (365 * DAY_S))));
};

function stateOf(vault: DemoVault, kind: string, hour: DemoHour, positions: readonly Row[]): Row {
  const isV2 = kind === 'morpho_v2';
  const held = sumOf(positions);
  const idle =
    isV2 && vault.index !== DRAINED.vault ? (held * BigInt(Math.round(IDLE_SHARE * 1e6))) / 1_000_000n : 0n;
  const real = held + idle;
  const quoted = quotedOf(vault, hour, real);
  const decimals = DECIMALS[vault.asset] ?? 6;
  const price = (priceOf(hour.calendar, vault.index, hour.at) * changeOf(vault, hour)) / 1_000_000n;
  return {
    ...commonOf(vault, hour, kind),
    total_assets: quoted.toString(),
    total_supply: ((quoted * 10n ** BigInt(18 - decimals) * 10n ** 12n) / price).toString(),
    fee_shares: '0',
    real_assets: real.toString(),
    idle_assets: isV2 ? idle.toString() : null,
    undistributed_assets: isV2 && real > quoted ? (real - quoted).toString() : '0',
    performance_fee: (WAD / 10n).toString(),
    management_fee: '0',
    max_rate: isV2 ? '1585489599' : null,
    ...(isV2
      ? { receive_shares_gate: NO_GATE, send_shares_gate: NO_GATE }
      : { receive_shares_gate: null, send_shares_gate: null }),
    ...(isV2
      ? { receive_assets_gate: NO_GATE, send_assets_gate: NO_GATE }
      : { receive_assets_gate: null, send_assets_gate: null }),
    position_count: positions.length,
    share_price: null,
  };
}

/** A plain vault: a price and nothing else. */
const plainState = (vault: DemoVault, hour: DemoHour): Row => ({
  ...commonOf(vault, hour, 'erc4626'),
  ...{ total_assets: null, total_supply: null, fee_shares: null, real_assets: null, idle_assets: null },
  ...{ undistributed_assets: null, performance_fee: null, management_fee: null, max_rate: null },
  ...{ receive_shares_gate: null, send_shares_gate: null, receive_assets_gate: null, send_assets_gate: null },
  position_count: null,
  share_price: (Number(priceOf(hour.calendar, vault.index, hour.at)) / 1e12).toFixed(12),
});

const commonOf = (vault: DemoVault, { states, at }: DemoHour, kind: string): Row => ({
  chain: CHAIN,
  vault_address: vault.vault_address,
  observed_at: at,
  block_number: states[0]?.block_number ?? null,
  kind,
  asset_decimals: DECIMALS[vault.asset] ?? 6,
  share_decimals: 18,
});

/** What the contract quotes: more than what backs it after a loss that it hides, less while gains wait. */
function quotedOf({ index }: DemoVault, { calendar, at }: DemoHour, real: bigint): bigint {
  const share = (part: number) => (real * BigInt(Math.round(part * 1e6))) / 1_000_000n;
  if (index === HIDDEN_LOSS.vault && isAfter(calendar, at, HIDDEN_LOSS.at))
    return real + share(HIDDEN_LOSS.share);
  if (index === LIMITED_GAIN.vault && isAfter(calendar, at, LIMITED_GAIN.at))
    return real - share(LIMITED_GAIN.share);
  return real;
}

/** Millionths of the usual price; what was lost in earlier periods stays lost. */
function changeOf({ index }: DemoVault, { calendar, at }: DemoHour): bigint {
  const { start, period_s, hasIncidents } = calendar;
  if (index !== DONATION.vault || !hasIncidents) return 1_000_000n;
  const period = Math.floor((at - start) / period_s);
  const before = (1 - DONATION.fall) ** Math.min(period, DONATION.periods);
  if (period >= DONATION.periods || !isAfter(calendar, at, DONATION.at))
    return BigInt(Math.round(1e6 * before));
  const isFirstHour = !isAfter(calendar, at - HOUR_S, DONATION.at);
  return BigInt(Math.round(1e6 * before * (isFirstHour ? 1 + DONATION.rise : 1 - DONATION.fall)));
}

/** Whether an instant is after a fraction of its period, in which incidents happen. */
function isAfter({ start, period_s, hasIncidents }: Calendar, at: number, part: number): boolean {
  return hasIncidents && (at - start) % period_s >= beginOf(part, period_s);
}
