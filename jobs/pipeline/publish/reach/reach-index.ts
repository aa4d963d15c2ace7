// What a version publishes of markets, vaults, assets and yields, by what a condition can reach them through. Nodes have the names of the
// exposure graph: `market:<chain>:<id>`, `vault:<chain>:<address>`, `asset:<SYMBOL>`.
import type { ExposureNode } from '../../../../schemas/exposure.ts';
import type { LendingMarket, LendingVault } from '../../../../schemas/lending.ts';
import type { OraclePath } from '../../../../schemas/oracle-paths.ts';
import type { YieldOpportunity } from '../../../../schemas/yields.ts';

/** The rows of a dataset that are published, and the subjects that are held back. Null: the dataset is missing, empty or held back. */
export interface PublishedRows<Row> {
  readonly rows: readonly Row[];
  /** As `held_subjects` of the manifest names them. */
  readonly held: readonly string[];
}

export interface ReachInputs {
  readonly markets: PublishedRows<LendingMarket> | null;
  readonly vaults: PublishedRows<LendingVault> | null;
  readonly graph: PublishedRows<ExposureNode> | null;
  readonly yields: PublishedRows<YieldOpportunity> | null;
  readonly paths: PublishedRows<OraclePath> | null;
}

/** Nodes by a key of what they depend on. */
export type NodesByKey = ReadonlyMap<string, readonly string[]>;

export interface Market {
  readonly node: string;
  readonly chain: string;
  /** Upper case. */
  readonly loan: string | null;
  readonly collateral: string | null;
  /** All of its assets are known. */
  readonly isComplete: boolean;
  /** `<chain>|<protocol>` if it may be part of a pool, of which any collateral may back any loan; null otherwise. */
  readonly pool: string | null;
  readonly feeds: readonly string[];
  readonly usd: number | null;
}

export interface Vault {
  readonly node: string;
  readonly chain: string;
  /** The asset that it accepts, upper case. */
  readonly asset: string | null;
  /** A part of what it holds is not known. */
  readonly isOpen: boolean;
}

export interface Yield {
  readonly node: string;
  readonly chain: string;
  /** Upper case; empty if it is held back. */
  readonly assets: readonly string[];
  /** The market or vault whose contract it is. */
  readonly payer: string | null;
  /** A market that is not known may pay it. */
  readonly isOpen: boolean;
}

export interface ReachIndex {
  readonly inputs: ReachInputs;
  readonly markets: ReadonlyMap<string, Market>;
  readonly vaults: ReadonlyMap<string, Vault>;
  readonly yields: ReadonlyMap<string, Yield>;
  /** Who holds a node, by the graph. */
  readonly holders: NodesByKey;
  /** Assets with a backing that is not known in full. */
  readonly openAssets: readonly string[];
  readonly marketsByAsset: NodesByKey;
  readonly marketsByFeed: NodesByKey;
  readonly marketsByPool: NodesByKey;
  readonly incompleteMarkets: NodesByKey;
  readonly pooledMarkets: NodesByKey;
  readonly marketsWithoutFeed: NodesByKey;
  readonly vaultsByAsset: NodesByKey;
  readonly openVaults: NodesByKey;
  readonly openVaultsByAsset: NodesByKey;
  readonly yieldsByAsset: NodesByKey;
  readonly yieldsByPayer: NodesByKey;
  readonly openYields: NodesByKey;
  readonly openYieldsByAsset: NodesByKey;
  readonly heldYields: NodesByKey;
}

/** Key of something on a chain. */
export const on = (chain: string, name: string): string => `${chain}|${name}`;

export function indexReach(inputs: ReachInputs): ReachIndex {
  const markets = byNode(marketsOf(inputs));
  const vaults = byNode(vaultsOf(inputs));
  const yields = byNode(yieldsOf(inputs, { markets, vaults }));
  return {
    ...{ inputs, markets, vaults, yields },
    ...graphIndexes(inputs.graph),
    ...marketIndexes([...markets.values()]),
    ...vaultIndexes([...vaults.values()]),
    ...yieldIndexes([...yields.values()]),
  };
}

function graphIndexes(graph: ReachInputs['graph']) {
  const nodes = graph?.rows ?? [];
  const isOpen = ({ kind, edges }: ExposureNode) => kind === 'asset' && hasUnknown(edges);
  const heldAssets = (graph?.held ?? []).filter((node) => node.startsWith('asset:'));
  return {
    holders: indexBy(nodes, ({ edges }) => edges.map(({ to }) => to)),
    openAssets: [...nodes.filter(isOpen).map(({ node }) => node), ...heldAssets],
  };
}

const marketIndexes = (markets: readonly Market[]) => ({
  marketsByAsset: indexBy(markets, ({ chain, loan, collateral }) =>
    [loan, collateral].flatMap((symbol) => (symbol === null ? [] : [on(chain, `asset:${symbol}`)])),
  ),
  marketsByFeed: indexBy(markets, ({ chain, feeds }) => feeds.map((feed) => on(chain, feed))),
  marketsByPool: indexBy(markets, ({ pool }) => (pool === null ? [] : [pool])),
  pooledMarkets: indexBy(markets, ({ chain, pool }) => (pool === null ? [] : [chain])),
  incompleteMarkets: indexBy(markets, ({ chain, isComplete }) => (isComplete ? [] : [chain])),
  marketsWithoutFeed: indexBy(markets, ({ chain, feeds }) => (feeds.length === 0 ? [chain] : [])),
});

const vaultIndexes = (vaults: readonly Vault[]) => ({
  vaultsByAsset: indexBy(vaults, ({ chain, asset }) => (asset === null ? [] : [on(chain, `asset:${asset}`)])),
  openVaults: indexBy(vaults, ({ chain, isOpen }) => (isOpen ? [chain] : [])),
  openVaultsByAsset: indexBy(vaults, ({ chain, asset, isOpen }) =>
    isOpen ? [on(chain, asset ?? UNKNOWN)] : [],
  ),
});

const yieldIndexes = (yields: readonly Yield[]) => ({
  yieldsByAsset: indexBy(yields, ({ chain, assets }) => assets.map((symbol) => on(chain, `asset:${symbol}`))),
  yieldsByPayer: indexBy(yields, ({ payer }) => (payer === null ? [] : [payer])),
  openYields: indexBy(yields, ({ chain, isOpen }) => (isOpen ? [chain] : [])),
  openYieldsByAsset: indexBy(yields, ({ chain, assets, isOpen }) =>
    isOpen ? assets.map((symbol) => on(chain, symbol)) : [],
  ),
  heldYields: indexBy(yields, ({ chain, assets }) => (assets.length === 0 ? [chain] : [])),
});

/** In the place of a symbol that is not known. */
export const UNKNOWN = '';

const upper = (symbol: string | null): string | null => (symbol === null ? null : symbol.toUpperCase());
const hasUnknown = (edges: ExposureNode['edges']): boolean => edges.some(({ kind }) => kind === 'unknown');
const byNode = <T extends { readonly node: string }>(all: readonly T[]): ReadonlyMap<string, T> =>
  new Map(all.map((one) => [one.node, one]));

/** The chain and the rest of the name of a held subject. */
function splitName(name: string): readonly [chain: string, id: string] {
  const [chain = '', ...rest] = name.split(' ');
  return [chain, rest.join(' ')];
}

function marketsOf({ markets }: ReachInputs): readonly Market[] {
  const published = (markets?.rows ?? []).map((row): Market => {
    const { chain, market_id, protocol, collateral_asset, feeds, supplied_usd } = row;
    const [loan, collateral] = [upper(row.loan_symbol), upper(row.collateral_symbol)];
    const isPooled = collateral === null && collateral_asset === null;
    return {
      node: `market:${chain}:${market_id}`,
      ...{ chain, loan, collateral, feeds },
      isComplete: loan !== null && (collateral !== null || (isPooled && protocol !== null)),
      pool: isPooled ? on(chain, protocol ?? UNKNOWN) : null,
      usd: supplied_usd,
    };
  });
  const held = (markets?.held ?? []).map((name): Market => {
    const [chain, id] = splitName(name);
    const nothing = { loan: null, collateral: null, isComplete: false, feeds: [], usd: null };
    return { node: `market:${chain}:${id}`, chain, pool: on(chain, UNKNOWN), ...nothing };
  });
  return [...published, ...held];
}

/** Vaults of the graph and of the list; of one that is only in the list, nothing that it holds is known. */
function vaultsOf({ vaults, graph }: ReachInputs): readonly Vault[] {
  const assets = new Map<string, string | null>(
    vaults?.rows.map((row) => [`vault:${row.chain}:${row.vault_address}`, upper(row.asset_symbol)]),
  );
  const known = new Map(graph?.rows.map(({ node, edges }) => [node, !hasUnknown(edges)] as const));
  const held = (vaults?.held ?? []).map((name) => `vault:${splitName(name).join(':')}`);
  const nodes = new Set([...assets.keys(), ...known.keys(), ...held, ...(graph?.held ?? [])]);
  return [...nodes]
    .filter((node) => node.startsWith('vault:'))
    .map((node) => ({
      node,
      chain: node.split(':')[1] ?? '',
      asset: assets.get(node) ?? null,
      isOpen: known.get(node) !== true,
    }));
}

function yieldsOf(
  { yields }: ReachInputs,
  { markets, vaults }: Pick<ReachIndex, 'markets' | 'vaults'>,
): readonly Yield[] {
  const published = (yields?.rows ?? []).map(({ id, chain, assets, address, strategy }): Yield => {
    const contract = address?.toLowerCase();
    const payer = [`market:${chain}:${contract}`, `vault:${chain}:${contract}`].find(
      (node) => markets.has(node) || vaults.has(node),
    );
    const isOpen = payer === undefined && (strategy === 'lending' || strategy === null);
    const symbols = assets.map((symbol) => symbol.toUpperCase());
    return { node: `yield:${id}`, chain, assets: symbols, payer: payer ?? null, isOpen };
  });
  const held = (yields?.held ?? []).map((id): Yield => {
    const nothing = { assets: [], payer: null, isOpen: false };
    return { node: `yield:${id}`, chain: id.split('/')[0] ?? '', ...nothing };
  });
  return [...published, ...held];
}

function indexBy<T extends { readonly node: string }>(
  all: readonly T[],
  keysOf: (one: T) => readonly string[],
): NodesByKey {
  const index = new Map<string, string[]>();
  for (const one of all)
    for (const key of keysOf(one)) {
      const nodes = index.get(key);
      if (nodes === undefined) index.set(key, [one.node]);
      else nodes.push(one.node);
    }
  return index;
}
