// The exit of one holder from several vaults at the same time. Every figure of the set is the most that flows through one network of its
// vaults, their markets and the vaults that they hold, so that cash counts once, nothing depends on an order, and a further position never
// lowers what leaves. What is not known is null, with its reason.
import { VAULT_SET_EXIT_GAPS, type VaultSetExitGap } from '../schemas/vault-exit-gaps.ts';
import type { AssetSetExit, VaultSetExit } from '../schemas/vault-set-exit.ts';
import type { VaultExit } from '../schemas/vault-exit.ts';
import { usd } from './rounding.ts';
import { type ExitAmount, type Holder, holderOf, isCertain } from './vault-exit.ts';
import { atOnce } from './vault-exit-figures.ts';
import { keyOf, order, ROUNDING, type SetVault } from './vault-flow.ts';
import { assetOf, groupsOf, worstOf } from './vault-sets.ts';
import { type Member, type SetFigures, setFigures, usdOf } from './vault-set-figures.ts';
import { sharedOf } from './vault-set-bottlenecks.ts';

export interface SetPosition {
  readonly chain: string;
  readonly vault_address: string;
  /** Undefined if it has no row. */
  readonly vault: SetVault | undefined;
  /** Why it has none; by default a failed check holds it back. */
  readonly gap?: VaultSetExitGap;
  /** At most all of the vault; null for all of it. */
  readonly amount: ExitAmount | null;
}

export interface VaultSetExitInput {
  /** Each vault once. */
  readonly positions: readonly SetPosition[];
  /** Any published vault, by `<chain>|<address>`: for vaults that those of the set hold. */
  readonly vaultOf: (key: string) => SetVault | undefined;
  /** Not all that a failed check holds back is known. */
  readonly isDoubtful?: boolean;
}

interface Part {
  readonly members: readonly (Member & { readonly holder: Holder })[];
  readonly figures: SetFigures;
  readonly asset: ReturnType<typeof assetOf>['asset'];
  readonly shared: VaultSetExit['shared'];
  /** Reasons why another vault may belong to it. */
  readonly open: readonly VaultSetExitGap[];
}

export function vaultSetExit({ positions, vaultOf, isDoubtful = false }: VaultSetExitInput): VaultSetExit {
  const found = positions.toSorted((a, b) => order(keyOf(a), keyOf(b)));
  const known = found.flatMap(({ vault, amount }) =>
    vault === undefined || vault.isHeldBack ? [] : [{ vault, amount }],
  );
  const holders = new Map(
    known.map((one) => [keyOf(one.vault.row), holderOf({ ...one, vaultOf, isDoubtful })]),
  );
  const held = found.filter(({ vault }) => vault === undefined || vault.isHeldBack);
  const isMissing = held.length > 0;
  const parts = groupsOf(known.map(({ vault }) => vault)).map((group) =>
    partOf(group, { holders, vaultOf, held }),
  );
  const assets = parts.map(assetRow);
  const rows = new Map(parts.flatMap((part) => part.members.map((one) => [one.key, vaultRow(one, part)])));
  const states = known.flatMap(({ vault: { row } }) => row.state_at ?? []);
  const vaults = found.map((one) => rows.get(keyOf(one)) ?? heldRow(one));
  return {
    can_leave_at_once: isDoubtful ? null : verdictOf(parts, isMissing),
    ...sumsOf(assets, isMissing),
    ...{ assets, vaults, shared: parts.flatMap(({ shared }) => shared).toSorted(byBinding) },
    oldest_state_at: states.length === 0 ? null : Math.min(...states),
    newest_state_at: states.length === 0 ? null : Math.max(...states),
    state_status: worstOf(
      known.map(({ vault }) => vault),
      isMissing,
    ),
    gaps: sortedGaps(vaults.flatMap(({ gaps }) => gaps)),
  };
}

interface Surroundings extends Pick<VaultSetExitInput, 'vaultOf'> {
  readonly holders: ReadonlyMap<string, Holder>;
  readonly held: readonly SetPosition[];
}

function partOf(group: readonly SetVault[], { holders, vaultOf, held }: Surroundings): Part {
  const { newest, asset } = assetOf(group);
  const members = group.flatMap((vault) => {
    const key = keyOf(vault.row);
    const holder = holders.get(key);
    if (holder === undefined) return [];
    const { assets, isComplete } = holder.position;
    return [{ key, vault, holder, assets, isComplete, ...atOnce(holder.position) }];
  });
  const open = held.flatMap((one) => (mayBelong(one, asset) ? [one.gap ?? 'held_back'] : []));
  const set = { members, newest, vaultOf, isOpen: open.length > 0 };
  const figures = setFigures(set);
  return { members, asset, figures, shared: sharedOf(set, figures), open };
}

/** A vault that is held back has an asset that is known, or may have any of its chain. */
function mayBelong({ chain, vault }: SetPosition, asset: Part['asset']): boolean {
  const own = vault?.row.asset_address ?? null;
  return (
    chain === asset.chain && (own === null || asset.asset_address === null || own === asset.asset_address)
  );
}

const isSetGap = (gap: string): gap is VaultSetExitGap => Object.hasOwn(VAULT_SET_EXIT_GAPS, gap);
const sortedGaps = (gaps: readonly string[]): VaultSetExitGap[] =>
  [...new Set(gaps.filter(isSetGap))].toSorted();

function assetRow({ members, asset, figures, open }: Part): AssetSetExit {
  return {
    ...asset,
    vaults: members.map(({ key }) => subjectOf(key)),
    ...figures.assets,
    ...usdOf(figures.assets, asset.asset_price_usd),
    gaps: sortedGaps([
      ...members.flatMap(({ holder }) => holder.gaps),
      ...(asset.asset_price_usd === null ? ['price_unknown'] : []),
      ...open,
    ]),
  };
}

const subjectOf = (key: string): string => `vault:${key.replace('|', ':')}`;

function vaultRow(
  { key, vault: { row }, holder, alone }: Part['members'][number],
  { figures }: Part,
): VaultSetExit['vaults'][number] {
  const { asset_price_usd: price } = row;
  const dollars = (assets: number | null) => (assets === null || price === null ? null : usd(assets * price));
  const after = figures.afterOthers.get(key) ?? null;
  return {
    subject: subjectOf(key),
    ...{ kind: row.kind, asset_symbol: row.asset_symbol, asset_price_usd: price },
    ...{ position: holder.inUnits, can_leave_at_once: holder.can_leave_at_once },
    ...{ alone_assets: alone, alone_usd: dollars(alone) },
    ...{ after_others_assets: after, after_others_usd: dollars(after) },
    ...{ is_gated: row.is_gated, state_at: row.state_at, state_status: row.state_status },
    gaps: sortedGaps(holder.gaps),
  };
}

const NO_POSITION: VaultExit['position'] = { shares: null, assets: null, usd: null, share_of_vault: null };

const heldRow = (one: SetPosition): VaultSetExit['vaults'][number] => ({
  subject: subjectOf(keyOf(one)),
  ...{ kind: null, asset_symbol: null, asset_price_usd: null, position: NO_POSITION },
  ...{ can_leave_at_once: null, alone_assets: null, alone_usd: null },
  ...{ after_others_assets: null, after_others_usd: null, is_gated: null },
  ...{ state_at: null, state_status: 'unknown', gaps: [one.gap ?? 'held_back'] },
});

/** False as soon as one position, or those of one asset, certainly cannot leave. */
function verdictOf(parts: readonly Part[], isMissing: boolean): boolean | null {
  const verdicts = parts.flatMap((part) => [
    ...part.members.map(({ holder }) => holder.can_leave_at_once),
    togetherVerdict(part),
  ]);
  if (verdicts.includes(false)) return false;
  return isMissing || verdicts.includes(null) || verdicts.length === 0 ? null : true;
}

function togetherVerdict({ members, figures: { assets } }: Part): boolean | null {
  const { together_assets: together, position_assets: position } = assets;
  if (together === null || !members.every(({ vault }) => isCertain(vault.row))) return null;
  const most = members.reduce((sum, one) => sum + (one.assets ?? Number.POSITIVE_INFINITY), 0);
  if (together >= most * (1 - ROUNDING)) return true;
  return position === null ? null : together >= position * (1 - ROUNDING);
}

type Sums = ReturnType<typeof usdOf>;

function sumsOf(assets: readonly AssetSetExit[], isMissing: boolean): Sums {
  const names = Object.keys(usdOf(null, null)) as (keyof Sums)[];
  const sum = (name: keyof Sums) =>
    isMissing || assets.some((one) => one[name] === null)
      ? null
      : usd(assets.reduce((total, one) => total + (one[name] ?? 0), 0));
  return Object.fromEntries(names.map((name) => [name, sum(name)])) as Sums;
}

const byBinding = (a: VaultSetExit['shared'][number], b: VaultSetExit['shared'][number]): number =>
  Number(b.binds === true) - Number(a.binds === true);
