// What can leave vaults together: the most that flows from them through their idle assets, their markets and the vaults that they hold,
// within the cash of each market, which all of them share.

import type { VaultHoldings } from '../schemas/vault-holdings.ts';
import type { Vault } from '../schemas/vaults.ts';
import { FlowNetwork } from './max-flow.ts';

export interface SetVault {
  readonly row: Vault;
  /** Undefined if they are not published, or held back. */
  readonly holdings: VaultHoldings | undefined;
  /** A failed check holds its figures back. */
  readonly isHeldBack: boolean;
}

export type Holding = VaultHoldings['holdings'][number];

export const keyOf = ({ chain, vault_address }: Pick<Vault, 'chain' | 'vault_address'>): string =>
  `${chain}|${vault_address}`;

export const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** The positions that ordinary withdrawals take from. */
export function reachOf({ row, holdings }: Pick<SetVault, 'row' | 'holdings'>): readonly Holding[] {
  const isReached = (one: Holding) =>
    row.kind === 'morpho_v2' ? one.is_liquidity === true : one.queue_index !== null;
  return (holdings?.holdings ?? []).filter((one) => isReached(one) && one.assets !== 0);
}

export interface FlowLimits {
  /** All vaults from which something leaves, by `<chain>|<address>`. */
  readonly members: ReadonlyMap<string, SetVault>;
  readonly vaultOf: (key: string) => SetVault | undefined;
  /** The most that leaves a vault; by default what it could withdraw itself. */
  readonly leaves?: (row: Vault) => number | null;
  /** The positions of a member that it leaves through; by default those that ordinary withdrawals take from. */
  readonly through?: (vault: SetVault) => readonly Holding[];
  /** Set if everything lent came back first: then what a market pays does not depend on its cash. */
  readonly isRepaid?: boolean;
  /** Set if members also pay what they quote and have nothing for. */
  readonly isBacked?: boolean;
}

/** Whether what can leave through a position is known. */
export function isReachKnown(
  chain: string,
  one: Holding,
  { members, vaultOf }: Pick<FlowLimits, 'members' | 'vaultOf'>,
): boolean {
  if (one.assets === null) return false;
  if (one.held_kind === 'market') return one.market_cash !== null;
  const key = `${chain}|${one.held}`;
  const held = members.get(key) ?? vaultOf(key);
  if (held === undefined || held.isHeldBack || held.row.withdrawable_assets === null) return false;
  if (members.has(key)) return true;
  const isOfState = held.holdings !== undefined && held.holdings.state_at === held.row.state_at;
  return (
    isOfState &&
    reachOf(held).every(
      (inner) => inner.held_kind === 'market' && inner.assets !== null && inner.market_cash !== null,
    )
  );
}

/** Vaults inside vaults are followed this deep. */
export const MAX_DEPTH = 5;

/** Relative to the amount it is part of: positions of a vault may each be rounded down by a unit. */
export const ROUNDING = 1e-9;

interface Cash {
  readonly at: number;
  readonly amount: number | null;
}

const [SOURCE, SINK] = ['source', 'sink'];
const marketNode = (key: string) => `market ${key}`;
const vaultNode = (key: string) => `vault ${key}`;
const inside = (key: string) => `inside ${key}`;

/** `vaults`: the newest state first, because a market's cash is that of the newest reading. */
export const flowOf = (vaults: readonly SetVault[], limits: FlowLimits): number =>
  networkOf(vaults, limits).maximum(SOURCE, SINK);

/** Whether more would leave if a market, or a vault, had more to pay. */
export type Binds = (kind: 'market' | 'vault', key: string) => boolean;

/** `least`: what is less than this is rounding. */
export function bindsOf(vaults: readonly SetVault[], limits: FlowLimits & { readonly least: number }): Binds {
  const network = networkOf(vaults, limits);
  network.maximum(SOURCE, SINK);
  const more = network.reachable(SOURCE, limits.least);
  return (kind, key) => more.has(kind === 'market' ? marketNode(key) : vaultNode(key));
}

/** What pays: the vaults, then those that they hold outside of the set, with the positions that each pays from. */
function payersOf(vaults: readonly SetVault[], { members, vaultOf, through = reachOf }: FlowLimits) {
  const own = vaults.map((vault) => ({ vault, positions: through(vault) }));
  const outside = new Map<string, SetVault>();
  for (const { vault, positions } of own)
    for (const { held_kind, held } of positions) {
      const key = `${vault.row.chain}|${held}`;
      const found = held_kind === 'market' || members.has(key) ? undefined : vaultOf(key);
      if (found !== undefined) outside.set(key, found);
    }
  const held = [...outside].toSorted(([a], [b]) => order(a, b));
  return [...own, ...held.map(([, vault]) => ({ vault, positions: reachOf(vault) }))];
}

/** By market, `<chain>|<market_id>`; null if a vault does not know it. */
export function cashOf(vaults: readonly SetVault[], limits: FlowLimits): ReadonlyMap<string, number | null> {
  const cash = new Map<string, Cash>();
  for (const { vault, positions } of payersOf(vaults, limits))
    for (const { held_kind, held, market_cash } of positions) {
      const name = `${vault.row.chain}|${held}`;
      const read = { at: vault.row.state_at ?? 0, amount: market_cash };
      if (held_kind === 'market') cash.set(name, newer(cash.get(name), read));
    }
  return new Map([...cash].map(([name, { amount }]) => [name, amount]));
}

function networkOf(vaults: readonly SetVault[], limits: FlowLimits): FlowNetwork {
  const { members, leaves = (row) => row.withdrawable_assets } = limits;
  const network = new FlowNetwork();
  const isOrdinary = limits.through === undefined && limits.isRepaid !== true;
  const cash = cashOf(vaults, limits);
  for (const { row } of vaults) network.edge(SOURCE, vaultNode(keyOf(row)), leaves(row) ?? 0);
  for (const { vault, positions } of payersOf(vaults, limits)) {
    const { row } = vault;
    const own = keyOf(row);
    const most = isOrdinary ? statedLimit(vault, cash, limits) : null;
    network.edge(vaultNode(own), inside(own), most ?? Number.MAX_VALUE);
    network.edge(inside(own), SINK, row.idle_assets ?? 0);
    for (const { held_kind, held, assets } of positions) {
      const nodeOf = held_kind === 'market' ? marketNode : vaultNode;
      network.edge(inside(own), nodeOf(`${row.chain}|${held}`), assets ?? 0);
    }
    if (limits.isBacked === true && members.has(own))
      network.edge(inside(own), SINK, unbackedOf(vault, positions));
  }
  for (const [name, amount] of cash)
    network.edge(marketNode(name), SINK, limits.isRepaid === true ? Number.MAX_VALUE : (amount ?? 0));
  return network;
}

/** What a vault states that it could withdraw, if that is less than follows from its positions; otherwise these limit it. */
function statedLimit(
  vault: SetVault,
  cash: ReadonlyMap<string, number | null>,
  { members, vaultOf }: FlowLimits,
): number | null {
  const { row } = vault;
  const stated = row.withdrawable_assets ?? 0;
  let follows = row.idle_assets ?? 0;
  for (const { held_kind, held, assets } of reachOf(vault)) {
    const key = `${row.chain}|${held}`;
    const limit =
      held_kind === 'market' ? cash.get(key) : (members.get(key) ?? vaultOf(key))?.row.withdrawable_assets;
    follows += Math.min(assets ?? 0, limit ?? 0);
  }
  return stated < follows * (1 - ROUNDING) ? stated : null;
}

/** What a vault quotes beyond its positions and its own balance. */
function unbackedOf({ row }: SetVault, positions: readonly Holding[]): number {
  const held = positions.reduce((sum, one) => sum + (one.assets ?? 0), row.idle_assets ?? 0);
  return Math.max(0, (row.total_assets ?? 0) - held);
}

/** Cash of the newest reading; the lowest of several at one time. */
function newer(known: Cash | undefined, read: Cash): Cash {
  if (known === undefined) return read;
  if (known.amount === null || read.amount === null) return { at: known.at, amount: null };
  return read.at > known.at || (read.at === known.at && read.amount < known.amount) ? read : known;
}
