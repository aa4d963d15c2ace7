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
    isOfState && reachOf(held).every((inner) => inner.held_kind === 'market' && inner.market_cash !== null)
  );
}

interface Cash {
  readonly at: number;
  readonly amount: number;
}

const [SOURCE, SINK] = ['source', 'sink'];

/** `vaults`: the newest state first, because a market's cash is that of the newest reading. */
export function flowOf(vaults: readonly SetVault[], limits: FlowLimits): number {
  const { members, vaultOf, leaves = (row) => row.withdrawable_assets, through = reachOf } = limits;
  const network = new FlowNetwork();
  const cash = new Map<string, Cash>();
  const outside = new Map<string, SetVault>();
  const leaving = (vault: SetVault, positions: readonly Holding[]) => {
    const { row } = vault;
    network.edge(keyOf(row), SINK, row.idle_assets ?? 0);
    for (const one of positions) {
      const name = `${row.chain}|${one.held}`;
      if (one.held_kind === 'market') {
        network.edge(keyOf(row), `market ${name}`, one.assets ?? 0);
        cash.set(name, newer(cash.get(name), { at: row.state_at ?? 0, amount: one.market_cash ?? 0 }));
      } else if (!members.has(name)) {
        network.edge(keyOf(row), name, one.assets ?? 0);
        const held = vaultOf(name);
        if (held !== undefined) outside.set(name, held);
      }
    }
  };
  for (const vault of vaults) {
    network.edge(SOURCE, keyOf(vault.row), leaves(vault.row) ?? 0);
    leaving(vault, through(vault));
  }
  for (const [, held] of [...outside].toSorted(([a], [b]) => order(a, b))) leaving(held, reachOf(held));
  for (const [name, { amount }] of cash)
    network.edge(`market ${name}`, SINK, limits.isRepaid === true ? Number.MAX_VALUE : amount);
  return network.maximum(SOURCE, SINK);
}

/** Cash of the newest reading; the lowest of several at one time. */
const newer = (known: Cash | undefined, read: Cash): Cash =>
  known === undefined || read.at > known.at || (read.at === known.at && read.amount < known.amount)
    ? read
    : known;
