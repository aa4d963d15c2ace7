// Figures of a set of vaults. What several of them could withdraw together is limited by the cash of each market, which all of them share;
// a vault inside another one counts once. An input that is not known makes the figures null that need it, with its vault named.

import type { AssetTotals, VaultTotals } from '../schemas/vault-totals.ts';
import type { Vault } from '../schemas/vaults.ts';
import { share, usd } from './rounding.ts';
import { flowOf, type Holding, isReachKnown, keyOf, order, reachOf, type SetVault } from './vault-flow.ts';

/** A vault that belongs to the set, or may, without figures, and why. */
export interface MissingVault {
  readonly chain: string | null;
  readonly vault_address: string;
  readonly gaps: readonly string[];
}

export interface VaultSet {
  readonly vaults: readonly SetVault[];
  readonly missing: readonly MissingVault[];
  /** Reasons why the set itself is not certain. */
  readonly gaps: readonly string[];
  /** Any published vault, by `<chain>|<address>`: for vaults that those of the set hold. */
  readonly vaultOf: (key: string) => SetVault | undefined;
}

const LISTED = 100;
const STATUSES = ['fresh', 'stale', 'unverifiable', 'unknown'] as const;

type Figure = 'total' | 'withdrawable' | 'shared' | 'low' | 'high';
const FIGURES: readonly Figure[] = ['total', 'withdrawable', 'shared', 'low', 'high'];
type Figures = Readonly<Record<Figure | 'twice', number | null>>;
type GapsOf = ReadonlyMap<Figure, readonly string[]>;

export function vaultTotals(set: VaultSet): VaultTotals {
  const vaults = set.vaults.toSorted((a, b) => order(keyOf(a.row), keyOf(b.row)));
  const members = new Map(vaults.map((vault) => [keyOf(vault.row), vault]));
  const unknown = new Map<string, Set<string>>();
  const parts = groupsOf(vaults).map((group) => assetTotals(group, { members, unknown, ...set }));
  const missing = set.missing.map((one) => ({ ...one, gaps: one.gaps.toSorted() }));
  const more = [
    ...set.gaps,
    ...missing.flatMap(({ gaps }) => gaps),
    ...(vaults.length === 0 ? ['no_vaults'] : []),
  ];
  const sums = sumOf(parts, more.length > 0);
  const states = vaults.flatMap(({ row }) => row.state_at ?? []);
  const named = [
    ...[...unknown].map(([key, gaps]) => ({ ...nameOf(key), gaps: [...gaps].toSorted() })),
    ...missing,
  ].toSorted((a, b) => order(`${a.chain}|${a.vault_address}`, `${b.chain}|${b.vault_address}`));
  const { total_assets_usd: total, withdrawable_usd: withdrawable } = sums;
  return {
    vaults: vaults.length,
    ...sums,
    withdrawable_share:
      total === null || withdrawable === null || total === 0 ? null : share(withdrawable / total),
    assets: parts,
    unknown: named.slice(0, LISTED),
    unknown_vaults: named.length,
    oldest_state_at: states.length === 0 ? null : Math.min(...states),
    newest_state_at: states.length === 0 ? null : Math.max(...states),
    state_status: worstOf(vaults, more.length > 0),
    gaps: sortedSet([...more, ...parts.flatMap(({ gaps }) => gaps)]),
  };
}

const sortedSet = (values: readonly string[]): string[] => [...new Set(values)].toSorted();

function nameOf(key: string) {
  const at = key.indexOf('|');
  return { chain: key.slice(0, at), vault_address: key.slice(at + 1) };
}

export function worstOf(vaults: readonly SetVault[], isUncertain: boolean): VaultTotals['state_status'] {
  const worst = vaults.reduce((most, { row }) => Math.max(most, STATUSES.indexOf(row.state_status)), 0);
  return isUncertain ? 'unknown' : (STATUSES[worst] ?? 'unknown');
}

const USD_FIGURES = [
  'total_assets_usd',
  'held_twice_usd',
  'withdrawable_usd',
  'withdrawable_shared_usd',
  'unrealised_bad_debt_low_usd',
  'unrealised_bad_debt_high_usd',
] as const;

function sumOf(parts: readonly AssetTotals[], isUncertain: boolean) {
  const sum = (name: (typeof USD_FIGURES)[number]) =>
    isUncertain || parts.some((part) => part[name] === null)
      ? null
      : usd(parts.reduce((total, part) => total + (part[name] ?? 0), 0));
  return {
    total_assets_usd: sum('total_assets_usd'),
    held_twice_usd: sum('held_twice_usd'),
    withdrawable_usd: sum('withdrawable_usd'),
    withdrawable_shared_usd: sum('withdrawable_shared_usd'),
    unrealised_bad_debt_low_usd: sum('unrealised_bad_debt_low_usd'),
    unrealised_bad_debt_high_usd: sum('unrealised_bad_debt_high_usd'),
  };
}

/** Vaults of one asset: they name the same one, or hold the same market or vault. Parts share nothing, so that their sums add up. */
export function groupsOf(vaults: readonly SetVault[]): readonly (readonly SetVault[])[] {
  const parents = new Map<string, string>();
  const rootOf = (name: string): string => {
    const parent = parents.get(name);
    if (parent === undefined || parent === name) return name;
    const root = rootOf(parent);
    parents.set(name, root);
    return root;
  };
  for (const { row, holdings } of vaults) {
    const held = (holdings?.holdings ?? []).map((one) =>
      one.held_kind === 'vault'
        ? `vault ${row.chain}|${one.held}`
        : `${one.held_kind} ${row.chain} ${one.held}`,
    );
    const asset = row.asset_address === null ? [] : [`asset ${row.chain} ${row.asset_address}`];
    const own = rootOf(`vault ${keyOf(row)}`);
    for (const name of [...asset, ...held]) parents.set(rootOf(name), rootOf(own));
  }
  const groups = Map.groupBy(vaults, ({ row }) => rootOf(`vault ${keyOf(row)}`));
  return [...groups.values()];
}

interface Context extends Pick<VaultSet, 'vaultOf'> {
  /** All vaults of the set. */
  readonly members: ReadonlyMap<string, SetVault>;
  /** Where vaults that make a figure null are named. */
  readonly unknown: Map<string, Set<string>>;
}

/** The asset that vaults share, at the price of the newest state, and the vaults from the newest state on. */
export function assetOf(group: readonly SetVault[]) {
  const newest = group.toSorted(
    (a, b) => (b.row.state_at ?? 0) - (a.row.state_at ?? 0) || order(keyOf(a.row), keyOf(b.row)),
  );
  const price = newest.find(({ row }) => (row.asset_price_usd ?? null) !== null)?.row.asset_price_usd ?? null;
  const named = newest.find(({ row }) => row.asset_address !== null) ?? newest[0];
  const asset = {
    chain: named?.row.chain ?? '',
    asset_address: named?.row.asset_address ?? null,
    asset_symbol: named?.row.asset_symbol ?? null,
    asset_price_usd: price,
  };
  return { newest, asset };
}

function assetTotals(group: readonly SetVault[], context: Context): AssetTotals {
  const { newest, asset } = assetOf(group);
  const price = asset.asset_price_usd;
  const all = group.map((vault) => ({
    vault,
    gaps: gapsOf(vault, { ...context, isAlone: group.length === 1 }),
  }));
  for (const { vault, gaps } of all)
    for (const reason of new Set([...gaps.values()].flat())) noted(context.unknown, keyOf(vault.row), reason);
  const figures = figuresOf(all, newest, context);
  const inUsd = (amount: number | null) => (amount === null || price === null ? null : usd(amount * price));
  const isPriceMissing = price === null;
  return {
    ...asset,
    vaults: group.length,
    total_assets: figures.total,
    held_twice_assets: figures.twice,
    withdrawable_assets: figures.withdrawable,
    withdrawable_shared_assets: figures.shared,
    total_assets_usd: inUsd(figures.total),
    held_twice_usd: inUsd(figures.twice),
    withdrawable_usd: inUsd(figures.withdrawable),
    withdrawable_shared_usd: inUsd(figures.shared),
    unrealised_bad_debt_low_usd: figures.low === null ? null : usd(figures.low),
    unrealised_bad_debt_high_usd: figures.high === null ? null : usd(figures.high),
    gaps: sortedSet([
      ...all.flatMap(({ gaps }) => [...gaps.values()].flat()),
      ...(isPriceMissing ? ['price_unknown'] : []),
    ]),
  };
}

function noted(unknown: Map<string, Set<string>>, key: string, gap: string): void {
  const gaps = unknown.get(key) ?? new Set();
  unknown.set(key, gaps.add(gap));
}

/** For each figure that is not known of a vault, why. */
function gapsOf(
  { row, holdings, isHeldBack }: SetVault,
  context: Context & { readonly isAlone: boolean },
): GapsOf {
  const gaps = new Map<Figure, readonly string[]>();
  if (isHeldBack) return new Map(FIGURES.map((figure) => [figure, ['held_back']]));
  const stated: Readonly<Record<Figure, number | null>> = {
    total: row.total_assets,
    withdrawable: row.withdrawable_assets,
    shared: row.withdrawable_shared_assets,
    low: row.unrealised_bad_debt_low_usd,
    high: row.unrealised_bad_debt_high_usd,
  };
  for (const figure of FIGURES) if (stated[figure] === null) gaps.set(figure, reasonsOf(figure, row));
  const isOfState = holdings !== undefined && holdings.state_at === row.state_at;
  if (!isOfState) {
    // Without its holdings it may be inside another vault, or hold one.
    for (const figure of FIGURES) if (!gaps.has(figure)) gaps.set(figure, ['holdings_missing']);
    return gaps;
  }
  const reach = reachOf({ row, holdings });
  if (!gaps.has('withdrawable') && reach.some((one) => !isReachKnown(row.chain, one, context)))
    gaps.set('withdrawable', ['market_state_unknown']);
  const held = holdings.holdings.filter(({ held_kind }) => held_kind === 'vault');
  const isWhole = (one: Holding) =>
    one.assets !== null &&
    (one.assets === 0 || context.members.get(`${row.chain}|${one.held}`)?.row.total_assets !== 0);
  // What was not read may be another vault of the set; ordinary withdrawals do not take from it.
  const isRead = holdings.is_complete && holdings.holdings.every(({ held_kind }) => held_kind !== 'unknown');
  const add = (figure: Figure, gap: string) => gaps.has(figure) || gaps.set(figure, [gap]);
  for (const figure of FIGURES) {
    if (!held.every(isWhole)) add(figure, 'held_vault_unknown');
    if (!context.isAlone && !isRead && figure !== 'withdrawable') add(figure, 'positions_missing');
  }
  return gaps;
}

/** Gaps of a vault because of which its total assets are not known, and because of which its withdrawals are not. */
const UNKNOWN_TOTAL: readonly string[] = ['decimals_unknown', 'share_price_unknown'];
const UNKNOWN_CASH: readonly string[] = [
  'decimals_unknown',
  'held_vault_unknown',
  'market_state_unknown',
  'positions_missing',
];

/** Of the row's reasons those that explain the figure. */
function reasonsOf(figure: Figure, { kind, gaps, state_at }: Vault): readonly string[] {
  if (state_at === null) return ['no_state'];
  if (figure === 'low' || figure === 'high')
    return [gaps.includes('bad_debt_unknown') ? 'bad_debt_unknown' : 'kind_unknown'];
  if (figure !== 'total' && (kind === 'erc4626' || kind === 'unknown')) return ['kind_unknown'];
  const why = gaps.filter((gap) => (figure === 'total' ? UNKNOWN_TOTAL : UNKNOWN_CASH).includes(gap));
  return why.length > 0 ? why : [figure === 'total' ? 'total_assets_unknown' : 'withdrawable_unknown'];
}

function figuresOf(
  all: readonly { readonly vault: SetVault; readonly gaps: GapsOf }[],
  newest: readonly SetVault[],
  context: Context,
): Figures {
  const isKnown = (figure: Figure) => all.every(({ gaps }) => !gaps.has(figure));
  const sum = (figure: Figure, own: (row: Vault) => number | null) =>
    isKnown(figure) && isKnown('total') ? sumOnce(all, own, context) : null;
  const total = sum('total', (row) => row.total_assets);
  const quoted = all.reduce((amount, { vault }) => amount + (vault.row.total_assets ?? 0), 0);
  const together = isKnown('withdrawable') ? flowOf(newest, context) : null;
  return {
    total,
    twice: total === null ? null : Math.max(0, quoted - total),
    withdrawable: together === null || total === null ? together : Math.min(together, total),
    shared: sum('shared', (row) => row.withdrawable_shared_assets),
    low: sum('low', (row) => row.unrealised_bad_debt_low_usd),
    high: sum('high', (row) => row.unrealised_bad_debt_high_usd),
  };
}

/** Of a vault inside another one of the set, the holder's part of its figure counts once: with the vault that is held. */
function sumOnce(
  all: readonly { readonly vault: SetVault }[],
  own: (row: Vault) => number | null,
  { members }: Pick<Context, 'members'>,
): number {
  let sum = 0;
  for (const { vault } of all) {
    sum += own(vault.row) ?? 0;
    for (const one of vault.holdings?.holdings ?? []) {
      const held = one.held_kind === 'vault' ? members.get(`${vault.row.chain}|${one.held}`)?.row : undefined;
      if (held === undefined || !held.total_assets) continue;
      const inside = Math.min(one.assets ?? 0, held.total_assets);
      sum -= (inside * (own(held) ?? 0)) / held.total_assets;
    }
  }
  return Math.max(0, sum);
}
