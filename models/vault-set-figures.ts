// Amounts of the exit of one holder from vaults of one asset. The same network with growing capacities: what leaves at once, what repayments
// free, what an allocator could move, and what the contracts quote.
import type { AssetSetExit } from '../schemas/vault-set-exit.ts';
import { roundParts, usd } from './rounding.ts';
import { allOf } from './vault-exit-figures.ts';
import { type Binds, bindsOf, flowOf, keyOf, ROUNDING, type SetVault } from './vault-flow.ts';

/** A position of the set. */
export interface Member {
  /** `<chain>|<address>` */
  readonly key: string;
  readonly vault: SetVault;
  /** What the contract quotes for it. */
  readonly assets: number | null;
  readonly isComplete: boolean;
  /** At once, if nothing else leaves, and if everyone leaves. */
  readonly alone: number | null;
  readonly shared: number | null;
}

export interface PositionSet {
  readonly members: readonly Member[];
  /** Their vaults, the newest state first. */
  readonly newest: readonly SetVault[];
  readonly vaultOf: (key: string) => SetVault | undefined;
  /** A vault that is held back may be one of them, so that nothing is known of the set. */
  readonly isOpen: boolean;
}

type Amounts = Pick<AssetSetExit, Extract<keyof AssetSetExit, `${string}_assets`>>;

export interface SetFigures {
  readonly assets: Amounts;
  /** By member. */
  readonly afterOthers: ReadonlyMap<string, number>;
  /** Null if what leaves is not known. */
  readonly binds: Binds | null;
}

export function setFigures(set: PositionSet): SetFigures {
  const { members, newest, isOpen } = set;
  if (isOpen) return { assets: UNKNOWN, afterOthers: new Map(), binds: null };
  const sum = sumOf(members, ({ alone }) => alone);
  const limits = { ...limitsOf(set), leaves: leavesOf(members, ({ alone }) => alone) };
  const together = sum === null ? null : near(flowOf(newest, limits), sum);
  const quoted = quotedOf(set);
  return {
    assets: {
      position_assets: quoted?.once ?? null,
      held_twice_assets: quoted?.twice ?? null,
      alone_sum_assets: sum,
      together_assets: together,
      shortfall_assets: sum === null || together === null ? null : sum - together,
      shared_assets: together === null ? null : sharedAmount(set, together),
      ...waits(set, together, quoted?.once ?? null),
    },
    afterOthers: together === null || sum === null ? new Map() : afterOthers(set, together, sum),
    binds: together === null ? null : bindsIn(set),
  };
}

const UNKNOWN: Amounts = {
  position_assets: null,
  held_twice_assets: null,
  alone_sum_assets: null,
  together_assets: null,
  shortfall_assets: null,
  shared_assets: null,
  for_cash_assets: null,
  for_allocator_assets: null,
  unbacked_assets: null,
};

/** By whole positions: what limits a position alone as well binds too. */
function bindsIn(set: PositionSet): Binds {
  const { members, newest } = set;
  const most = sumOf(members, ({ assets }) => assets) ?? 0;
  const leaves = leavesOf(members, ({ assets }) => assets);
  return bindsOf(newest, { ...limitsOf(set), leaves, least: Math.max(most, 1) * ROUNDING });
}

/** A sum that differs by less than a rounding is the whole. */
const near = (amount: number, whole: number): number =>
  Math.abs(whole - amount) <= whole * ROUNDING ? whole : amount;

type AmountOf = (member: Member) => number | null;

function sumOf(members: readonly Member[], amountOf: AmountOf): number | null {
  let sum = 0;
  for (const member of members) {
    const amount = amountOf(member);
    if (amount === null) return null;
    sum += amount;
  }
  return sum;
}

const limitsOf = ({ members, vaultOf }: PositionSet) => ({
  members: new Map(members.map(({ key, vault }) => [key, vault])),
  vaultOf,
});

function leavesOf(members: readonly Member[], amountOf: AmountOf, without?: string) {
  const amounts = new Map(members.map((member) => [member.key, amountOf(member)]));
  return (row: SetVault['row']) => (keyOf(row) === without ? 0 : (amounts.get(keyOf(row)) ?? 0));
}

/** Whether one of the vaults may hold another one of them is known. */
const isRead = ({ members }: PositionSet): boolean =>
  members.length === 1 ||
  members.every(({ isComplete, vault }) => isComplete && vault.row.total_assets !== null);

/** What the contracts quote, each unit once: what a vault holds in another one of the set leaves through that one. */
function quotedOf(set: PositionSet): { readonly once: number; readonly twice: number } | null {
  const { members, newest } = set;
  const sum = sumOf(members, ({ assets }) => assets);
  if (sum === null || !isRead(set)) return null;
  if (members.length === 1) return { once: sum, twice: 0 };
  const leaves = leavesOf(members, ({ assets }) => assets);
  const limits = { ...limitsOf(set), leaves, through: allOf, isRepaid: true, isBacked: true };
  const once = near(flowOf(newest, limits), sum);
  return { once, twice: sum - once };
}

/** What cannot leave at once, by what it waits for. */
function waits(set: PositionSet, together: number | null, once: number | null) {
  const unknown = { for_cash_assets: null, for_allocator_assets: null, unbacked_assets: null };
  const { members, newest } = set;
  if (together === null || members.some(({ assets }) => assets === null)) return unknown;
  const leaves = leavesOf(members, ({ assets }) => assets);
  const limits = { ...limitsOf(set), leaves, isRepaid: true };
  const reached = Math.max(together, flowOf(newest, limits));
  const cash = reached - together;
  if (once === null || members.some(({ isComplete }) => !isComplete))
    return { ...unknown, for_cash_assets: cash };
  const backed = Math.max(reached, flowOf(newest, { ...limits, through: allOf }));
  const isBacked = once - backed <= once * ROUNDING;
  return {
    for_cash_assets: once > reached ? cash : Math.max(0, once - together),
    for_allocator_assets: Math.max(0, (isBacked ? once : backed) - reached),
    unbacked_assets: isBacked ? 0 : once - backed,
  };
}

/** What is left for each position if as much as possible leaves the others first. */
function afterOthers(set: PositionSet, together: number, sum: number): ReadonlyMap<string, number> {
  const { members, newest } = set;
  const leftFor = ({ key, alone }: Member): number => {
    if (together === sum) return alone ?? 0;
    const leaves = leavesOf(members, (one) => one.alone, key);
    const others = flowOf(newest, { ...limitsOf(set), leaves });
    return Math.min(alone ?? 0, Math.max(0, together - others));
  };
  return new Map(members.map((member) => [member.key, leftFor(member)]));
}

/** If everyone leaves, each position gets its share, and what two of them claim counts once. */
function sharedAmount(set: PositionSet, together: number): number | null {
  const { members } = set;
  const sum = sumOf(members, ({ shared }) => shared);
  if (sum === null || !isRead(set)) return null;
  const twice = members.reduce((amount, member) => amount + sharedTwice(member, members), 0);
  return Math.min(together, Math.max(0, sum - twice));
}

/** Of a vault's share, what belongs to positions in vaults that hold it as well. */
function sharedTwice({ key, vault, assets, shared }: Member, members: readonly Member[]): number {
  const total = vault.row.total_assets ?? 0;
  if (!(total > 0) || !assets || !shared) return 0;
  const through = members.reduce((sum, holder) => {
    const { row } = holder.vault;
    const inside = allOf(holder.vault)
      .filter(({ held_kind, held }) => held_kind === 'vault' && `${row.chain}|${held}` === key)
      .reduce((amount, one) => amount + (one.assets ?? 0), 0);
    return sum + (row.total_assets ? (inside * (holder.assets ?? 0)) / row.total_assets : 0);
  }, 0);
  const twice = Math.min(through, Math.max(0, assets + through - total));
  return (shared * Math.min(assets, twice)) / assets;
}

type Dollars = Pick<AssetSetExit, Extract<keyof AssetSetExit, `${string}_usd`>>;

/** In dollars, in which what leaves and what waits add up to the position, to the cent. */
export function usdOf(assets: Amounts | null, price: number | null): Omit<Dollars, 'asset_price_usd'> {
  const dollars = (amount: number | null | undefined) =>
    amount === null || amount === undefined || price === null ? null : usd(amount * price);
  const position = dollars(assets?.position_assets);
  const together = dollars(assets?.together_assets);
  const parts = [assets?.for_cash_assets, assets?.for_allocator_assets, assets?.unbacked_assets];
  const known = parts.flatMap((part) => part ?? []);
  const isWhole = position !== null && together !== null && price !== null && known.length === parts.length;
  const rounded = isWhole
    ? roundParts(
        usd(position - together),
        known.map((one) => one * price),
        2,
      )
    : parts.map(dollars);
  const sum = dollars(assets?.alone_sum_assets);
  return {
    position_usd: position,
    held_twice_usd: dollars(assets?.held_twice_assets),
    alone_sum_usd: sum,
    together_usd: together,
    shortfall_usd: sum === null || together === null ? null : usd(sum - together),
    shared_usd: dollars(assets?.shared_assets),
    for_cash_usd: rounded[0] ?? null,
    for_allocator_usd: rounded[1] ?? null,
    unbacked_usd: rounded[2] ?? null,
  };
}
