// Collects what a portfolio analysis reads from one published version.
import type { Calibration } from '../../../models/calibration-gaps.ts';
import { OPAQUE_STRATEGIES } from '../../../models/exposure-paths.ts';
import type { PooledDepth } from '../../../models/pool-depth.ts';
import type { ExitInputs } from '../../../schemas/analytics.ts';
import type { ExitBacktest } from '../../../schemas/backtests.ts';
import type { ExposureNode } from '../../../schemas/exposure.ts';
import type { PoolState } from '../../../schemas/pools.ts';
import { PORTFOLIO, RISK_BANDS } from '../../../schemas/values.ts';
import { unwrapped } from '../../../schemas/wrapped-coins.ts';
import type { YieldVenue } from '../../../schemas/yields.ts';
import { calibrationOf } from '../calibration.ts';
import { ORACLES, oracleRowsOf } from '../oracle-doubts.ts';
import { VAULT_DATASETS } from '../published-vaults.ts';
import { depthInPools, sharesOf } from '../pool-depths.ts';
import { type InputDocument, parsed } from '../task.ts';
import { requireDataset, type VersionInputs } from '../version-inputs.ts';
import { exitName, returnsName } from './analyze.ts';
import { assetsOf } from './holdings.ts';
import { lentClaims } from './oracle-doubts.ts';
import type { PortfolioInput, PositionInput } from './portfolio-input.ts';
import { OPPORTUNITIES, type OpportunitySource, type PositionOpportunity } from './resolve-positions.ts';

const RETURNS = 'return-inputs';
const EXITS = 'exit-inputs';
const GRAPH = 'exposure-graph';
const MARKETS = 'lending-markets';
const VAULTS = 'lending-vaults';
const BACKTESTS = 'exit-backtests';
const POOLS = 'pool-states';
const VENUES = 'yield-venues';

/** The datasets that a response requires, by the name of the dependency (interface 7.2). */
const DEPENDENCIES = [
  ['var', RETURNS],
  ['protocol_risk', OPPORTUNITIES],
  ['liquidity', EXITS],
  ['correlation', RETURNS],
] as const;

/** Datasets that a response depends on; those that a version lacks are skipped. */
export const PORTFOLIO_INPUTS = [
  OPPORTUNITIES,
  RETURNS,
  EXITS,
  GRAPH,
  MARKETS,
  VAULTS,
  BACKTESTS,
  POOLS,
  VENUES,
  ORACLES,
  ...VAULT_DATASETS,
] as const;

/** @throws Failure `risk_dependency_unavailable` if a dataset is missing or its gate failed */
export function requireDependencies(inputs: VersionInputs): void {
  for (const [dependency, dataset] of DEPENDENCIES) requireDataset(inputs, dataset, dependency);
}

/** One document, parsed; undefined if it does not exist. */
function read<T>(inputs: VersionInputs, dataset: string, key: string): T | undefined {
  const document = inputs.document(dataset, key);
  return document === undefined ? undefined : parsed<T>(document);
}

/** The documents that the task reads, under the task's names. */
export function documentsFor(
  inputs: VersionInputs,
  symbols: readonly string[],
  markets: readonly string[],
): Readonly<Record<string, InputDocument>> {
  const named = [
    ...symbols.map((symbol) => [returnsName(symbol), inputs.document(RETURNS, symbol)] as const),
    ...markets.map((market) => [exitName(market), inputs.document(EXITS, market)] as const),
  ];
  return Object.fromEntries(
    named.flatMap(([name, document]) => (document === undefined ? [] : [[name, document]])),
  );
}

/** Supply of a lending market, USD; null if unknown. */
export const suppliedIn = (inputs: VersionInputs, market: string): number | null =>
  read<ExitInputs>(inputs, EXITS, market)?.supplied_usd ?? null;

/** Positions with their market and the nodes that represent them, by opportunity id. */
export function positionInputs(
  inputs: VersionInputs,
  resolved: readonly PositionOpportunity[],
): readonly PositionInput[] {
  return resolved
    .map((position) => ({ ...position, ...positionOf(inputs, position) }))
    .toSorted((a, b) => (a.opportunity.id < b.opportunity.id ? -1 : 1));
}

function positionOf(
  inputs: VersionInputs,
  { opportunity }: PositionOpportunity,
): Pick<PositionInput, 'market' | 'oracles' | 'nodes' | 'pool'> {
  const { chain, strategy } = opportunity;
  const address = opportunity.address?.toLowerCase();
  const id = `${chain}:${address}`;
  const isMarket = address !== undefined && has(inputs, EXITS, id);
  const contract = [`vault:${id}`, `market:${id}`].filter(
    (node) => address !== undefined && has(inputs, GRAPH, node),
  );
  const assets = OPAQUE_STRATEGIES.includes(strategy)
    ? []
    : assetsOf(opportunity).map((symbol) => `asset:${symbol}`);
  return {
    market: isMarket ? id : null,
    oracles: isMarket ? oraclesOf(inputs, chain, address) : [],
    nodes: contract.length > 0 ? contract.slice(0, 1) : assets,
    pool: poolOf(read<PoolState>(inputs, POOLS, id), assetsOf(opportunity), chain),
  };
}

/** The pool shares, if the pool holds exactly these assets, in their order. */
function poolOf(
  state: PoolState | undefined,
  assets: readonly string[],
  chain: string,
): PositionInput['pool'] {
  const shares = state && sharesOf(state);
  const positions = assets.map(
    (asset) => shares?.assets.findIndex((coin) => unwrapped(coin, chain) === unwrapped(asset, chain)) ?? -1,
  );
  if (shares === undefined || shares.assets.length !== assets.length || positions.includes(-1)) return null;
  return shares.kind === 'product'
    ? { ...shares, assets }
    : { ...shares, assets, balances: positions.map((index) => shares.balances[index] ?? 0) };
}

const has = (inputs: VersionInputs, dataset: string, key: string): boolean =>
  inputs.document(dataset, key) !== undefined;

const oraclesOf = (inputs: VersionInputs, chain: string, market_id: string): readonly string[] =>
  (read<{ feeds: readonly string[] }>(inputs, MARKETS, `${chain}|${market_id}`)?.feeds ?? []).map(
    (feed) => `${chain}:${feed}`,
  );

/** The reachable part of the graph; null if none is published. */
function graphFrom(inputs: VersionInputs, starts: readonly string[]): readonly ExposureNode[] | null {
  if (inputs.entry(GRAPH) === undefined) return null;
  const found = new Map<string, ExposureNode>();
  const waiting = [...starts];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (found.has(node)) continue;
    const document = read<ExposureNode>(inputs, GRAPH, node);
    if (document === undefined) continue;
    found.set(node, document);
    waiting.push(...document.edges.map(({ to }) => to));
  }
  return [...found.values()].toSorted((a, b) => (a.node < b.node ? -1 : 1));
}

type Context = Pick<
  PortfolioInput,
  | 'bands'
  | 'calibrations'
  | 'venues'
  | 'pooled'
  | 'graph'
  | 'curators'
  | 'feeds'
  | 'lending'
  | 'hasOraclePaths'
  | 'as_of'
>;

/** Published facts about the positions' surroundings. */
export function contextOf(source: OpportunitySource, positions: readonly PositionInput[]): Context {
  const { inputs } = source;
  const assets = positions.flatMap(({ opportunity }) => assetsOf(opportunity).map((one) => `asset:${one}`));
  const graph = graphFrom(inputs, [...positions.flatMap(({ nodes }) => nodes), ...assets]);
  const contracts = (graph ?? []).map(({ node }) => node);
  return {
    as_of: Math.floor(Date.parse(inputs.as_of) / 1000),
    bands: bandsOf(source),
    calibrations: calibrationsOf(inputs, positions),
    venues: venuesOf(inputs, positions),
    pooled: pooledOf(inputs, positions),
    graph,
    curators: curatorsOf(inputs, contracts),
    feeds: feedsOf(inputs, contracts),
    ...lendingOf(inputs, positions, graph),
  };
}

function lendingOf(
  inputs: VersionInputs,
  positions: readonly PositionInput[],
  graph: PortfolioInput['graph'],
): Pick<PortfolioInput, 'lending' | 'hasOraclePaths'> {
  const { marketOf, hasPaths } = oracleRowsOf(inputs);
  const claims = positions.flatMap((position) => lentClaims(position, graph));
  const markets = new Set(claims.map(({ market }) => market));
  return {
    lending: Object.fromEntries([...markets].map((market) => [market, marketOf(market)])),
    hasOraclePaths: hasPaths,
  };
}

function calibrationsOf(
  inputs: VersionInputs,
  positions: readonly PositionInput[],
): Readonly<Record<string, Calibration>> {
  const markets = new Set(positions.flatMap(({ market }) => market ?? []));
  const entries = [...markets].flatMap((market) => {
    const rows = read<readonly ExitBacktest[]>(inputs, BACKTESTS, market) ?? [];
    const found = calibrationOf(rows, Math.max(...PORTFOLIO.exit.within_hours));
    return found === null ? [] : [[market, found] as const];
  });
  return Object.fromEntries(entries);
}

function venuesOf(
  inputs: VersionInputs,
  positions: readonly PositionInput[],
): Readonly<Record<string, YieldVenue>> {
  const names = [...new Set(positions.map(({ opportunity }) => opportunity.venue))];
  return Object.fromEntries(
    names.flatMap((venue) => {
      const known = read<YieldVenue>(inputs, VENUES, venue);
      return known === undefined ? [] : [[venue, known]];
    }),
  );
}

/** How much pools take of the assets of positions in lending markets, by symbol. */
function pooledOf(
  inputs: VersionInputs,
  positions: readonly PositionInput[],
): Readonly<Record<string, PooledDepth>> {
  const isPriced = (symbol: string) => has(inputs, RETURNS, symbol);
  const lent = positions.flatMap(({ market, opportunity }) =>
    market === null ? [] : assetsOf(opportunity).map((symbol) => unwrapped(symbol, opportunity.chain)),
  );
  return Object.fromEntries(
    [...new Set(lent)].flatMap((symbol) => {
      const found = depthInPools(symbol, inputs.documents(POOLS), isPriced);
      return found === null ? [] : [[symbol, { coins: found.coins, isExact: found.isExact }]];
    }),
  );
}

/** The highest published score in each band, because the limits themselves are a policy of the jobs. */
function bandsOf({ list }: OpportunitySource): PortfolioInput['bands'] {
  return RISK_BANDS.flatMap((band) => {
    const any = [{ facet: 'riskBand', values: [band] }];
    const sort = { field: 'riskScore', isDescending: true };
    const { rows } = list.table.page({ any, between: [], sort }, 0, 1);
    const [first] = JSON.parse(rows.toString('utf8')) as { readonly riskScore: number | null }[];
    return first === undefined || first.riskScore === null ? [] : [{ band, to: first.riskScore }];
  });
}

function curatorsOf(inputs: VersionInputs, nodes: readonly string[]): Readonly<Record<string, string>> {
  const found: [string, string][] = [];
  for (const node of nodes) {
    const [kind, chain, address] = node.split(':');
    if (kind !== 'vault') continue;
    const vault = read<Record<'curator' | 'curator_name' | 'curator_address', string | null>>(
      inputs,
      VAULTS,
      `${chain}|${address}`,
    );
    const name = vault?.curator_name ?? vault?.curator ?? vault?.curator_address;
    if (name) found.push([node, name]);
  }
  return Object.fromEntries(found);
}

function feedsOf(
  inputs: VersionInputs,
  nodes: readonly string[],
): Readonly<Record<string, readonly string[]>> {
  const found: [string, readonly string[]][] = [];
  for (const node of nodes) {
    const [kind, chain = '', market = ''] = node.split(':');
    const feeds = kind === 'market' ? oraclesOf(inputs, chain, market) : [];
    if (feeds.length > 0) found.push([node, feeds]);
  }
  return Object.fromEntries(found);
}
