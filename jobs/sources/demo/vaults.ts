// The states and positions of the demo world's vaults, every hour at the block at which its markets are read. In every period one vault
// loses assets without showing it in its quoted price, one is donated to and loses more than that an hour later, and one receives gains
// that it may distribute only slowly.
import { DAY_S, HOUR_S } from '../../../platform/base/time.ts';
import type { Source } from '../../define/source.ts';
import { hash, signed } from './scenario/hash.ts';
import { addressOf, type DemoVault } from './scenario/lending-markets.ts';
import { beginOf, type Calendar, calendarOf } from './scenario/lending-states.ts';
import type { DemoSettings } from './scenario/settings.ts';
import { type Row, simulatedAs } from './scenario/simulated.ts';
import {
  DRAINED,
  type HeldMarket,
  type Holding,
  part,
  VAULT_CHAIN,
  type VaultAtHour,
  vaultHours,
} from './scenario/vault-holdings.ts';

const SEED_OF_VAULT_STATES = 3_200;
const NO_GATE = `0x${'0'.repeat(40)}`;
const UNLIMITED = (2n ** 128n - 1n).toString();
const WAD = 10n ** 18n;
const SHARE_DECIMALS = 18;

/** Growth of share prices, as a fraction a year. */
const RATE = 0.05;

const HIDDEN_LOSS = { vault: 0, at: 0.02, share: 0.02 } as const;
/** Only in so many periods: a price that falls forever ends at 0. */
const DONATION = { vault: 5, at: 0.7, rise: 0.04, fall: 0.09, periods: 20 } as const;
const LIMITED_GAIN = { vault: 9, at: 0.03, share: 0.03 } as const;

export function vaultsDemoSources(settings: DemoSettings): readonly Source[] {
  const calendar = calendarOf(settings);
  const hours = vaultHours(settings);
  return [
    simulatedAs('vault-states', 'vault_state', (interval) =>
      hours(interval).map((hour) => (hour.kind === 'erc4626' ? plainState : stateOf)(calendar, hour)),
    ),
    simulatedAs('vault-positions', 'vault_position', (interval) =>
      hours(interval).flatMap((hour) => hour.holdings.map((holding) => positionOf(hour, holding))),
    ),
  ];
}

function positionOf({ vault, kind, at }: VaultAtHour, { held_kind, held, assets, market }: Holding): Row {
  const isV2 = kind === 'morpho_v2';
  const place = market?.place ?? 0;
  const flow = (share: number) => (isV2 || market === null ? null : part(market.supply, share).toString());
  return {
    chain: VAULT_CHAIN,
    vault_address: vault.vault_address,
    observed_at: at,
    via_address: isV2 ? adapterOf(vault, market) : null,
    held_kind,
    held,
    assets: assets.toString(),
    absolute_cap: isV2 && place > 0 ? UNLIMITED : (2n * assets).toString(),
    relative_cap: isV2 ? (place === 0 ? WAD : (4n * WAD) / 10n).toString() : null,
    queue_index: isV2 ? null : place,
    is_liquidity: isV2 ? isLiquidity(vault, market) : null,
    penalty: isV2 ? (WAD / 100n).toString() : null,
    market_supply: market?.supply.toString() ?? null,
    market_cash: market?.cash.toString() ?? null,
    max_in: flow(0.001),
    max_out: flow(0.002),
  };
}

function isLiquidity({ index }: DemoVault, market: HeldMarket | null): boolean {
  if (market === null) return false;
  return index === DRAINED.vault ? market.index === DRAINED.market : market.place === 0;
}

/** Markets are held through one contract, another vault through another. */
const adapterOf = ({ index }: DemoVault, market: HeldMarket | null): string =>
  addressOf(SEED_OF_VAULT_STATES, market === null ? 100 + index : index);

/** Millionths of a unit of the asset for one share. */
const priceOf = ({ seed, start }: Calendar, index: number, at: number): bigint => {
  const rate = RATE * (1 + 0.3 * signed(hash(seed, SEED_OF_VAULT_STATES), index));
  return BigInt(Math.round(1e12 * (1 + (rate * (at - start)) / (365 * DAY_S))));
};

function stateOf(calendar: Calendar, hour: VaultAtHour): Row {
  const { vault, decimals, idle, real, holdings } = hour;
  const isV2 = hour.kind === 'morpho_v2';
  const quoted = quotedOf(calendar, hour);
  const price = (priceOf(calendar, vault.index, hour.at) * changeOf(calendar, hour)) / 1_000_000n;
  const gate = isV2 ? NO_GATE : null;
  return {
    ...commonOf(hour),
    total_assets: quoted.toString(),
    total_supply: ((quoted * 10n ** BigInt(SHARE_DECIMALS - decimals) * 10n ** 12n) / price).toString(),
    fee_shares: '0',
    real_assets: real.toString(),
    idle_assets: isV2 ? idle.toString() : null,
    undistributed_assets: isV2 && real > quoted ? (real - quoted).toString() : '0',
    performance_fee: (WAD / 10n).toString(),
    management_fee: '0',
    max_rate: isV2 ? '1585489599' : null,
    ...{ receive_shares_gate: gate, send_shares_gate: gate },
    ...{ receive_assets_gate: gate, send_assets_gate: gate },
    position_count: holdings.length,
    share_price: null,
  };
}

/** A plain vault: a price and nothing else. */
const plainState = (calendar: Calendar, hour: VaultAtHour): Row => ({
  ...commonOf(hour),
  ...{ total_assets: null, total_supply: null, fee_shares: null, real_assets: null, idle_assets: null },
  ...{ undistributed_assets: null, performance_fee: null, management_fee: null, max_rate: null },
  ...{ receive_shares_gate: null, send_shares_gate: null, receive_assets_gate: null, send_assets_gate: null },
  position_count: null,
  share_price: (Number(priceOf(calendar, hour.vault.index, hour.at)) / 1e12).toFixed(12),
});

const commonOf = ({ vault, kind, at, block_number, decimals, price_usd }: VaultAtHour): Row => ({
  chain: VAULT_CHAIN,
  vault_address: vault.vault_address,
  observed_at: at,
  block_number,
  kind,
  asset_decimals: decimals,
  share_decimals: SHARE_DECIMALS,
  asset_price_usd: price_usd,
});

/** What the contract quotes: more than what backs it after a loss that it hides, less while gains wait. */
function quotedOf(calendar: Calendar, { vault: { index }, at, real }: VaultAtHour): bigint {
  if (index === HIDDEN_LOSS.vault && isAfter(calendar, at, HIDDEN_LOSS.at))
    return real + part(real, HIDDEN_LOSS.share);
  if (index === LIMITED_GAIN.vault && isAfter(calendar, at, LIMITED_GAIN.at))
    return real - part(real, LIMITED_GAIN.share);
  return real;
}

/** Millionths of the usual price; what was lost in earlier periods stays lost. */
function changeOf(calendar: Calendar, { vault: { index }, at }: VaultAtHour): bigint {
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
