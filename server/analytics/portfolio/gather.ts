// Collects what the analysis of a portfolio reads from one published version.
import type { ExposureNode } from '../../../schemas/exposure.ts';
import { RISK_BANDS } from '../../../schemas/yields.ts';
import { Failure } from '../../define/failure.ts';
import type { LoadedVersion } from '../../define/services.ts';
import type { InputDocument } from '../task.ts';
import { exitName, returnsName } from './analyze.ts';
import { assetsOf } from './holdings.ts';
import type { HeldPosition, PortfolioQuestion, VenueRecord } from './question.ts';
import { OPPORTUNITIES, type OpportunitySource, type ResolvedPosition } from './resolve.ts';

const RETURNS = 'return-inputs';
const EXITS = 'exit-inputs';
const GRAPH = 'exposure-graph';
const MARKETS = 'lending-markets';
const VAULTS = 'lending-vaults';
const VENUES = 'yield-venues';

/** The datasets that a response cannot do without, by the name of the dependency (interface 7.2). */
const DEPENDENCIES = [
  ['var', RETURNS],
  ['protocol_risk', OPPORTUNITIES],
  ['liquidity', EXITS],
  ['correlation', RETURNS],
] as const;

/** Datasets whose contents a response rests on; those that a version lacks do not count. */
export const PORTFOLIO_INPUTS = [OPPORTUNITIES, RETURNS, EXITS, GRAPH, MARKETS, VAULTS, VENUES] as const;

const RETRY_SECONDS = '60';

/** @throws Failure `risk_dependency_unavailable` when a dataset is missing or its gate failed */
export function requireDependencies(version: LoadedVersion): void {
  const failed = DEPENDENCIES.flatMap(([dependency, dataset]) => {
    const entry = version.dataset(dataset)?.entry;
    if (entry !== undefined && entry.quality_gate.verdict !== 'fail') return [];
    const reason = entry === undefined ? 'is not published' : 'failed its quality gate';
    return [{ dependency, dataset, reason }];
  });
  const [first] = failed;
  if (first === undefined) return;
  throw new Failure('risk_dependency_unavailable', `The dataset ${first.dataset} ${first.reason}.`, {
    details: { ...first, dependencies: failed.map(({ dependency }) => dependency) },
    headers: ['Retry-After', RETRY_SECONDS],
  });
}

/** One document of a version, parsed; undefined where there is none. */
function read<T>(version: LoadedVersion, dataset: string, key: string): T | undefined {
  const bytes = version.dataset(dataset)?.documents.get(key);
  return bytes === undefined ? undefined : (JSON.parse(bytes.toString('utf8')) as T);
}

/** The documents that the task reads, by its names for them. */
export function documentsFor(
  version: LoadedVersion,
  symbols: readonly string[],
  markets: readonly string[],
): Readonly<Record<string, InputDocument>> {
  const found: [string, InputDocument][] = [];
  const add = (name: string, id: string, key: string) => {
    const loaded = version.dataset(id);
    const bytes = loaded?.documents.get(key);
    if (loaded !== undefined && bytes !== undefined)
      found.push([name, { hash: `${loaded.entry.sha256}/${key}`, bytes }]);
  };
  for (const symbol of symbols) add(returnsName(symbol), RETURNS, symbol);
  for (const market of markets) add(exitName(market), EXITS, market);
  return Object.fromEntries(found);
}

/** Positions with the market and the nodes that stand for each, by opportunity id. */
export function heldPositions(
  version: LoadedVersion,
  resolved: readonly ResolvedPosition[],
): readonly HeldPosition[] {
  return resolved
    .map((position) => ({ ...position, ...placeOf(version, position) }))
    .toSorted((a, b) => (a.opportunity.id < b.opportunity.id ? -1 : 1));
}

/** Strategies of which more is behind a position than the assets that it holds. */
const OPAQUE_STRATEGIES: readonly (string | null)[] = ['lending', 'vault', null];

function placeOf(
  version: LoadedVersion,
  { opportunity }: ResolvedPosition,
): Pick<HeldPosition, 'market' | 'oracles' | 'nodes'> {
  const { chain, strategy } = opportunity;
  const address = opportunity.address?.toLowerCase();
  const id = `${chain}:${address}`;
  const isMarket = address !== undefined && has(version, EXITS, id);
  const contract = [`vault:${id}`, `market:${id}`].filter(
    (node) => address !== undefined && has(version, GRAPH, node),
  );
  const assets = OPAQUE_STRATEGIES.includes(strategy)
    ? []
    : assetsOf(opportunity).map((symbol) => `asset:${symbol}`);
  return {
    market: isMarket ? id : null,
    oracles: isMarket ? oraclesOf(version, chain, address) : [],
    nodes: contract.length > 0 ? contract.slice(0, 1) : assets,
  };
}

const has = (version: LoadedVersion, dataset: string, key: string): boolean =>
  version.dataset(dataset)?.documents.get(key) !== undefined;

const oraclesOf = (version: LoadedVersion, chain: string, market_id: string): readonly string[] =>
  (read<{ feeds: readonly string[] }>(version, MARKETS, `${chain}|${market_id}`)?.feeds ?? []).map(
    (feed) => `${chain}:${feed}`,
  );

/** The part of the graph that can be reached; null where none is published. */
function graphFrom(version: LoadedVersion, starts: readonly string[]): readonly ExposureNode[] | null {
  if (version.dataset(GRAPH) === undefined) return null;
  const found = new Map<string, ExposureNode>();
  const waiting = [...starts];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (found.has(node)) continue;
    const document = read<ExposureNode>(version, GRAPH, node);
    if (document === undefined) continue;
    found.set(node, document);
    waiting.push(...document.edges.map(({ to }) => to));
  }
  return [...found.values()].toSorted((a, b) => (a.node < b.node ? -1 : 1));
}

type Context = Pick<PortfolioQuestion, 'bands' | 'venues' | 'graph' | 'curators' | 'feeds' | 'as_of'>;

/** Published facts around the positions. */
export function contextOf(source: OpportunitySource, positions: readonly HeldPosition[]): Context {
  const { version } = source;
  const assets = positions.flatMap(({ opportunity }) => assetsOf(opportunity).map((one) => `asset:${one}`));
  const graph = graphFrom(version, [...positions.flatMap(({ nodes }) => nodes), ...assets]);
  const contracts = (graph ?? []).map(({ node }) => node);
  return {
    as_of: Math.floor(Date.parse(version.manifest.as_of) / 1000),
    bands: bandsOf(source),
    venues: venuesOf(version, positions),
    graph,
    curators: curatorsOf(version, contracts),
    feeds: feedsOf(version, contracts),
  };
}

function venuesOf(
  version: LoadedVersion,
  positions: readonly HeldPosition[],
): Readonly<Record<string, VenueRecord>> {
  const names = [...new Set(positions.map(({ opportunity }) => opportunity.venue))];
  return Object.fromEntries(
    names.flatMap((venue) => {
      const record = read<VenueRecord>(version, VENUES, venue);
      return record === undefined ? [] : [[venue, record]];
    }),
  );
}

/** The highest score published in each band: the limits themselves are a policy of the jobs. */
function bandsOf({ list }: OpportunitySource): PortfolioQuestion['bands'] {
  return RISK_BANDS.flatMap((band) => {
    const any = [{ facet: 'riskBand', values: [band] }];
    const sort = { field: 'riskScore', isDescending: true };
    const { rows } = list.table.page({ any, between: [], sort }, 0, 1);
    const [first] = JSON.parse(rows.toString('utf8')) as { readonly riskScore: number | null }[];
    return first === undefined || first.riskScore === null ? [] : [{ band, to: first.riskScore }];
  });
}

function curatorsOf(version: LoadedVersion, nodes: readonly string[]): Readonly<Record<string, string>> {
  const found: [string, string][] = [];
  for (const node of nodes) {
    const [kind, chain, address] = node.split(':');
    if (kind !== 'vault') continue;
    const vault = read<Record<'curator' | 'curator_name' | 'curator_address', string | null>>(
      version,
      VAULTS,
      `${chain}|${address}`,
    );
    const name = vault?.curator_name ?? vault?.curator ?? vault?.curator_address;
    if (name) found.push([node, name]);
  }
  return Object.fromEntries(found);
}

function feedsOf(
  version: LoadedVersion,
  nodes: readonly string[],
): Readonly<Record<string, readonly string[]>> {
  const found: [string, readonly string[]][] = [];
  for (const node of nodes) {
    const [kind, chain = '', market = ''] = node.split(':');
    const feeds = kind === 'market' ? oraclesOf(version, chain, market) : [];
    if (feeds.length > 0) found.push([node, feeds]);
  }
  return Object.fromEntries(found);
}
