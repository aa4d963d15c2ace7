// Markets, and vaults inside others, through which several positions of a set leave, and which of them limit what leaves together.
import type { VaultSetExit } from '../schemas/vault-set-exit.ts';
import { cashOf, MAX_DEPTH, order, reachOf, type SetVault } from './vault-flow.ts';
import type { Member, PositionSet, SetFigures } from './vault-set-figures.ts';

type Bottleneck = VaultSetExit['shared'][number];
type Cash = ReturnType<typeof cashOf>;

/** A market or a vault on the way of a position, and the most that leaves the position through it. */
interface Way extends Pick<Bottleneck, 'kind' | 'name'> {
  /** `<chain>|<id>` */
  readonly key: string;
  readonly most: number | null;
}

export function sharedOf(set: PositionSet, { binds }: SetFigures): Bottleneck[] {
  const { members, newest, vaultOf } = set;
  const vaults = new Map(members.map(({ key, vault }) => [key, vault]));
  const cash = cashOf(newest, { members: vaults, vaultOf });
  const ways = members.flatMap((member) =>
    waysOf(member, set, cash).map((way) => ({ ...way, holder: member.key })),
  );
  const found = [...Map.groupBy(ways, ({ kind, key }) => `${kind}:${key}`)].flatMap(([id, all]) => {
    const [first] = all;
    const byHolder = Map.groupBy(all, ({ holder }) => holder);
    if (first === undefined || byHolder.size < 2) return [];
    const { kind, key } = first;
    const row = (vaults.get(key) ?? vaultOf(key))?.row;
    const available = kind === 'market' ? cash.get(key) : row?.withdrawable_assets;
    return [
      {
        ...{ kind, subject: id.replace('|', ':'), name: all.find(({ name }) => name !== null)?.name ?? null },
        available_assets: available ?? null,
        claims: [...byHolder].map(([holder, own]) => ({
          subject: `vault:${holder.replace('|', ':')}`,
          assets: claimOf(own, [available ?? null, aloneOf(holder, members)]),
        })),
        binds: binds === null ? null : binds(kind, key),
      },
    ];
  });
  return found.toSorted(byClaims);
}

/** Largest first. */
function byClaims(a: Bottleneck, b: Bottleneck): number {
  const claimed = ({ claims }: Bottleneck) => claims.reduce((sum, { assets }) => sum + (assets ?? 0), 0);
  return claimed(b) - claimed(a) || order(a.subject, b.subject);
}

const aloneOf = (holder: string, members: readonly Member[]): number | null =>
  members.find(({ key }) => key === holder)?.alone ?? null;

function claimOf(ways: readonly Way[], limits: readonly (number | null)[]): number | null {
  let sum = 0;
  for (const { most } of ways) {
    if (most === null) return null;
    sum += most;
  }
  return least([sum, ...limits]);
}

const least = (amounts: readonly (number | null)[]): number | null =>
  amounts.reduce(
    (low: number | null, one) => (low === null || one === null ? null : Math.min(low, one)),
    Number.MAX_VALUE,
  );

function waysOf(member: Member, set: PositionSet, cash: Cash): Way[] {
  const own: Way = { kind: 'vault', key: member.key, name: null, most: member.alone };
  return [own, ...waysInside(member.vault, { set, cash, most: Number.MAX_VALUE, depth: 0 })];
}

interface Inside {
  readonly set: PositionSet;
  readonly cash: Cash;
  /** The most that leaves through this vault. */
  readonly most: number | null;
  readonly depth: number;
}

function waysInside(vault: SetVault, inside: Inside): Way[] {
  const { set, cash, depth } = inside;
  return reachOf(vault).flatMap((one): Way[] => {
    const key = `${vault.row.chain}|${one.held}`;
    const [name, reached] = [one.name ?? null, least([inside.most, one.assets])];
    if (one.held_kind === 'market')
      return [{ kind: 'market', key, name, most: least([reached, cash.get(key) ?? null]) }];
    const held = set.members.find((member) => member.key === key)?.vault ?? set.vaultOf(key);
    if (held === undefined || depth === MAX_DEPTH) return [];
    const most = least([reached, held.row.withdrawable_assets]);
    return [{ kind: 'vault', key, name, most }, ...waysInside(held, { ...inside, most, depth: depth + 1 })];
  });
}
