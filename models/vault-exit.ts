// The exit of one holder from a vault: what leaves at once, what waits and for what, and what the shares are worth. The cash of each market
// counts once, also where the vault reaches it through another vault. What is not known is null, with its reason.
import type { ExitUnit, VaultExit } from '../schemas/vault-exit.ts';
import { VAULT_EXIT_GAPS, type VaultExitGap } from '../schemas/vault-exit-gaps.ts';
import type { Vault } from '../schemas/vaults.ts';
import { type DoubtInput, oracleDoubtsOf } from './oracle-doubts.ts';
import { roundParts, share, usd } from './rounding.ts';
import { atOnce, type ExitPosition, forced, lossOf, waits, worth } from './vault-exit-figures.ts';
import { ROUNDING } from './vault-flow.ts';
import { type VaultMarket, type VaultMarkets, vaultMarkets } from './vault-markets.ts';
import { vaultTotals } from './vault-sets.ts';

export interface ExitAmount {
  readonly unit: ExitUnit;
  readonly value: number;
}

export interface HolderInput extends Pick<ExitPosition, 'vault' | 'vaultOf'> {
  /** At most all of the vault; null for all of it. */
  readonly amount: ExitAmount | null;
  /** Not all that a failed check holds back is known, so the vault may be. */
  readonly isDoubtful?: boolean;
}

export interface VaultExitInput extends HolderInput {
  readonly oracles: Pick<DoubtInput, 'marketOf' | 'hasPaths'>;
}

/** What leaves at once with one holder of a vault. */
export function holderOf({ vault, vaultOf, amount, isDoubtful = false }: HolderInput) {
  const { row } = vault;
  const { assets: groups, gaps } = vaultTotals({ vaults: [vault], missing: [], gaps: [], vaultOf });
  const [whole] = groups;
  const found = vaultMarkets(vault, vaultOf);
  const position: ExitPosition = {
    ...{ vault, vaultOf, assets: assetsOf(amount, row), isComplete: found.isComplete },
    withdrawable: whole?.withdrawable_assets ?? null,
    shared: whole?.withdrawable_shared_assets ?? null,
  };
  return {
    ...{ position, whole, found },
    inUnits: positionOf(position),
    can_leave_at_once: isDoubtful ? null : canLeave(position, atOnce(position).alone),
    at_once: atOnceInUnits(position),
    gaps: [
      ...gaps.filter(isGap),
      ...gapsAtOnce(position, amount),
      ...(isDoubtful ? (['held_back'] as const) : []),
    ],
  };
}

export function vaultExit(input: VaultExitInput): VaultExit {
  const { row } = input.vault;
  const { position, whole, found, inUnits, can_leave_at_once, at_once, gaps } = holderOf(input);
  const debts = {
    low: whole?.unrealised_bad_debt_low_usd ?? null,
    high: whole?.unrealised_bad_debt_high_usd ?? null,
  };
  return {
    subject: `vault:${row.chain}:${row.vault_address}`,
    ...{ kind: row.kind, asset_symbol: row.asset_symbol, asset_price_usd: row.asset_price_usd },
    ...{ position: inUnits, can_leave_at_once, at_once },
    waits: waitsInUnits(position),
    forced: forcedInUnits(position),
    worth: worthInUnits(position, debts),
    markets: found.markets.map((one) => marketOf(one, position)),
    is_complete: found.isComplete,
    oracle_doubts: oracleDoubtsOf({ ...input.oracles, ...claimsOf(position, found) }),
    ...{ is_gated: row.is_gated, flags: row.flags, state_at: row.state_at, state_status: row.state_status },
    gaps: [...new Set([...gaps, ...laterGaps(position, debts)])].toSorted(),
  };
}

/** What the contract quotes for an amount; null without the price that this needs. */
export function assetsOf(amount: ExitAmount | null, row: Vault): number | null {
  if (amount === null) return row.total_assets;
  const { unit, value } = amount;
  if (unit === 'assets') return value;
  const price = unit === 'shares' ? sharePriceOf(row) : row.asset_price_usd;
  if (price === null || !(price > 0)) return null;
  return unit === 'shares' ? value * price : value / price;
}

const sharePriceOf = ({ share_price: price }: Vault): number | null =>
  price === null ? null : Number(price);

const isGap = (name: string): name is VaultExitGap => Object.hasOwn(VAULT_EXIT_GAPS, name);

export type Holder = ReturnType<typeof holderOf>;

interface Debts {
  readonly low: number | null;
  readonly high: number | null;
}

type Reasons = readonly (readonly [boolean, VaultExitGap])[];
const thatHold = (reasons: Reasons): VaultExitGap[] => reasons.flatMap(([isSo, gap]) => (isSo ? [gap] : []));

/** Of what leaves at once, and of what the rest waits for. */
function gapsAtOnce({ vault: { row }, assets, isComplete }: ExitPosition, amount: ExitAmount | null) {
  return thatHold([
    [row.state_at === null, 'no_state'],
    [assets === null && amount?.unit === 'shares', 'share_price_unknown'],
    [row.asset_price_usd === null, 'price_unknown'],
    [row.total_assets === null, 'total_assets_unknown'],
    [!isComplete, 'positions_missing'],
    [row.is_gated === true, 'gated'],
    [row.is_gated === null, 'gates_unknown'],
    [row.gaps.includes('sources_disagree'), 'sources_disagree'],
    [row.state_status !== 'fresh', 'state_not_fresh'],
  ]);
}

/** Of what the position is worth, and of forced withdrawals. */
function laterGaps(position: ExitPosition, { low, high }: Debts): VaultExitGap[] {
  return [
    ...thatHold([
      [position.vault.row.coverage === null, 'coverage_unknown'],
      [low === null || high === null, 'bad_debt_unknown'],
    ]),
    ...[forced(position).gap ?? []].flat(),
  ];
}

const dollarsIn =
  ({ asset_price_usd: price }: Vault) =>
  (assets: number | null): number | null =>
    assets === null || price === null ? null : usd(assets * price);

function positionOf({ vault, assets }: ExitPosition): VaultExit['position'] {
  const { row } = vault;
  const price = sharePriceOf(row);
  const total = row.total_assets;
  return {
    shares: assets === null || price === null || !(price > 0) ? null : assets / price,
    assets,
    usd: dollarsIn(row)(assets),
    share_of_vault: assets === null || total === null || total <= 0 ? null : share(assets / total),
  };
}

/** What its row states is of now, and no source contradicts it. */
export const isCertain = ({ state_status, gaps }: Vault): boolean =>
  state_status === 'fresh' && !gaps.includes('sources_disagree');

function canLeave({ vault: { row }, assets }: ExitPosition, alone: number | null): boolean | null {
  if (assets === null || alone === null || !isCertain(row)) return null;
  if (alone < assets * (1 - ROUNDING)) return false;
  return row.is_gated === false ? true : null;
}

function atOnceInUnits(position: ExitPosition): VaultExit['at_once'] {
  const dollars = dollarsIn(position.vault.row);
  const { alone, shared, last } = atOnce(position);
  return {
    ...{ alone_assets: alone, alone_usd: dollars(alone) },
    ...{ shared_assets: shared, shared_usd: dollars(shared) },
    ...{ last_assets: last, last_usd: dollars(last) },
  };
}

/** Dollars add up, to the cent, to those of the position. */
function waitsInUnits(position: ExitPosition): VaultExit['waits'] {
  const { vault, assets } = position;
  const price = vault.row.asset_price_usd;
  const { cash, allocator, unbacked } = waits(position);
  const all = [atOnce(position).alone, cash, allocator, unbacked].flatMap((one) => one ?? []);
  const parts =
    assets === null || price === null || all.length < 4
      ? []
      : roundParts(
          assets * price,
          all.map((one) => one * price),
          2,
        );
  const [, ofCash = dollarsIn(vault.row)(cash), ofAllocator = null, ofUnbacked = null] = parts;
  return {
    ...{ for_cash_assets: cash, for_cash_usd: ofCash },
    ...{ for_allocator_assets: allocator, for_allocator_usd: ofAllocator },
    ...{ unbacked_assets: unbacked, unbacked_usd: ofUnbacked },
  };
}

function forcedInUnits(position: ExitPosition): VaultExit['forced'] {
  const { row } = position.vault;
  const { received, cost } = forced(position);
  const dollars = dollarsIn(row);
  return {
    ...{ assets: received, usd: dollars(received) },
    ...{ penalty_assets: cost, penalty_usd: dollars(cost), penalty: row.force_penalty },
  };
}

function worthInUnits(position: ExitPosition, debts: Debts): VaultExit['worth'] {
  const { row } = position.vault;
  const dollars = dollarsIn(row);
  const low = worth(position, lossOf(row, debts.high));
  const high = worth(position, lossOf(row, debts.low));
  return {
    ...{ low_assets: low.equal, low_usd: dollars(low.equal) },
    ...{ high_assets: high.equal, high_usd: dollars(high.equal) },
    ...{ last_low_assets: low.last, last_low_usd: dollars(low.last) },
    ...{ last_high_assets: high.last, last_high_usd: dollars(high.last) },
  };
}

/** Of an amount of the whole vault, the part of the position. */
function partOf({ vault, assets }: ExitPosition, amount: number): number | null {
  const total = vault.row.total_assets;
  return assets === null || total === null || total <= 0 ? null : (amount * assets) / total;
}

function marketOf(one: VaultMarket, position: ExitPosition): VaultExit['markets'][number] {
  const { market, name, via, isReached, own, cash, supply } = one;
  const part = partOf(position, own);
  return {
    ...{ market, name, via, is_reached: isReached },
    ...{ assets: part, assets_usd: dollarsIn(position.vault.row)(part), market_cash: cash },
    utilization:
      cash === null || supply === null || supply <= 0 ? null : share(Math.max(0, 1 - cash / supply)),
    missing_cash: cash === null ? null : Math.max(0, own - cash),
  };
}

/** Without its dollars, what the position has in a market is hidden as well. */
function claimsOf(position: ExitPosition, { markets, isComplete }: VaultMarkets) {
  const price = position.vault.row.asset_price_usd;
  const claims = markets.flatMap(({ market, own }) => {
    const part = partOf(position, own);
    return part === null || price === null ? [] : [{ market, amount_usd: part * price }];
  });
  return { claims, hiddenShare: isComplete && claims.length === markets.length ? 0 : 1 };
}
