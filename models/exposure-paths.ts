// What rests on an asset or on an assumption of an oracle, from the published graph: every holder with its share, its dollars and the largest
// path, and every yield behind a holder. What is not known is a bound or a count, never left out in silence.
import type { ExposureNode, ExposurePaths, Reliance } from '../schemas/exposure.ts';
import type { LendingMarket } from '../schemas/lending.ts';
import type { OraclePath } from '../schemas/oracle-paths.ts';
import type { YieldOpportunity } from '../schemas/yields.ts';
import { circlesAmong } from './circles.ts';
import { type Edge, UNKNOWN } from './exposure.ts';
import { type Reliance as Bounds, relianceOn } from './reliance.ts';
import { share, usd } from './rounding.ts';

type Kind = Reliance['kind'];
type Step = Reliance['path'][number];

/** A market as its dataset has it, of which the lent part rests on the collateral. */
export type MarketFacts = Pick<
  LendingMarket,
  'chain' | 'market_id' | 'loan_symbol' | 'collateral_symbol' | 'utilization' | 'state_status'
>;

export type YieldFacts = Pick<
  YieldOpportunity,
  'id' | 'name' | 'chain' | 'address' | 'strategy' | 'assets' | 'tvlUsd'
>;

export interface Start {
  readonly id: string;
  readonly kind: ExposurePaths['from']['kind'];
  readonly name: string | null;
  readonly is_broken: boolean | null;
  /** Nodes of markets whose lent part rests on an assumption; empty for a node. */
  readonly markets: readonly string[];
  /** Nodes of markets whose lent part may rest on it, because what their oracle assumes is not known. */
  readonly unread: readonly string[];
}

export interface PathInputs {
  readonly graph: readonly ExposureNode[];
  readonly start: Start;
  /** At least those of the start. */
  readonly markets: readonly MarketFacts[];
  /** Null if the caller may not see yields, or none are published. */
  readonly yields: readonly YieldFacts[] | null;
  /** Nodes that are held back: what they rest on is not known. */
  readonly held: readonly string[];
}

const KINDS = ['market', 'vault', 'asset', 'yield'] as const;

export function exposurePaths(inputs: PathInputs): ExposurePaths {
  const edges = edgesOf(inputs);
  const all = reliances(inputs, edges);
  const { markets: resting, unread, ...from } = inputs.start;
  const facts = new Map(inputs.markets.map((market) => [nodeOf(market), market]));
  const isUnknown = resting.some((node) => lentShareOf(facts.get(node)) === null);
  const rows = all.filter(({ share_low }) => share_low > 0).toSorted(byDollars);
  const listed = new Set([from.id, ...rows.map(({ node }) => node)]);
  return {
    from: { ...from, markets: [...resting] },
    reach: reachByKind(all, inputs),
    nodes: rows,
    circles: circlesAmong(listed, edges).map((one) => [...one]),
    gaps: [
      ...(isUnknown ? (['lent_share_unknown'] as const) : []),
      ...(unread.length > 0 ? (['paths_unknown'] as const) : []),
      ...(rows.some(({ value_usd }) => value_usd === null) ? (['value_unknown'] as const) : []),
      ...(inputs.held.length > 0 ? (['held_back'] as const) : []),
    ],
  };
}

/** By kind, of all that rests on a start. */
export const reachByKind = (
  all: readonly Reliance[],
  { yields }: Pick<PathInputs, 'yields'>,
): ExposurePaths['reach'] => {
  const reach = Object.fromEntries(KINDS.map((kind) => [kind, reachOf(all, kind)])) as ExposurePaths['reach'];
  return yields === null
    ? { ...reach, yield: { count: null, usd_low: null, usd_high: null, unknown: null } }
    : reach;
};

/** Everything that rests on the start or may rest on it, with its bounds, in no order. */
export function reliances(inputs: PathInputs, edges = edgesOf(inputs)): readonly Reliance[] {
  const { graph, start, yields } = inputs;
  const nodes = new Map(graph.map((node) => [node.node, node]));
  const steps = stepsOf(graph, start);
  const bounds = relianceOn(start.id, edges);
  const holders = [...bounds].map(([node, found]) => {
    const holder = nodes.get(node);
    const value = holder === undefined ? null : worthOf(holder);
    return rowOf({ ...stepOf(steps, node), value, found, steps });
  });
  const listed =
    yields === null
      ? []
      : yields.map((opportunity) => yieldRow(opportunity, { start, bounds, nodes, steps }));
  return [...holders, ...listed];
}

const KIND_OF_DATASET: ReadonlyMap<string, Kind> = new Map([
  ['lending-markets', 'market'],
  ['lending-vaults', 'vault'],
  ['yield-opportunities', 'yield'],
]);

/** The node of a subject that is held back, as `held_subjects` of a manifest names it; undefined for one that is no node. */
export function heldNode(dataset: string, subject: string): string | undefined {
  if (subject === '*') return undefined;
  if (dataset === 'exposure-graph') return subject;
  const kind = KIND_OF_DATASET.get(dataset);
  return kind === undefined ? undefined : `${kind}:${subject.replace(' ', ':')}`;
}

/** The markets of a chain whose oracle makes an assumption; undefined if none is known to. */
export function assumptionStart(
  { chain, id }: { readonly chain: string; readonly id: string },
  paths: readonly OraclePath[],
  { markets, held }: Pick<PathInputs, 'markets' | 'held'>,
): Start | undefined {
  const here = paths.filter((path) => path.chain === chain);
  const using = here.flatMap((path) => {
    const assumption = path.assumptions.find((one) => one.id === id);
    return assumption === undefined ? [] : [{ node: nodeOf(path), assumption }];
  });
  const [first] = using;
  if (first === undefined) return undefined;
  const nodes = using.map(({ node }) => node).toSorted();
  const read = new Set([...nodes, ...here.filter(isRead).map(nodeOf)]);
  const unread = [
    ...markets
      .filter((market) => market.chain === chain && lentShareOf(market) !== 0)
      .map(nodeOf)
      .filter((node) => !read.has(node)),
    ...held.filter((node) => node.startsWith(`market:${chain}:`) && !nodes.includes(node)),
  ];
  return {
    id: `assumption:${chain}:${id}`,
    kind: 'assumption',
    name: first.assumption.statement,
    is_broken: first.assumption.is_broken,
    markets: nodes,
    unread: [...new Set(unread)],
  };
}

/** Whether all that the oracle assumes is known now. */
const isRead = ({ verdict, path_status, gaps }: OraclePath): boolean =>
  verdict !== 'unknown' && path_status !== null && path_status !== 'unknown' && !gaps.includes('path_old');

/** Edges that add up to 1 for each holder. The lent part of a market that rests on the assumption leads to it. */
function edgesOf({ graph, start, markets, held }: PathInputs): readonly Edge[] {
  const facts = new Map(markets.map((market) => [nodeOf(market), market]));
  const lent = [
    ...start.markets.flatMap((node) => lentEdges(node, facts.get(node), start.id)),
    ...start.unread.flatMap((node) => lentEdges(node, facts.get(node), UNKNOWN)),
  ];
  const own = new Set([...start.markets, ...start.unread]);
  const known = edgesByNode({ graph });
  const others = [...known].filter(([node]) => !own.has(node)).flatMap(([, edges]) => edges);
  const unknown = [...new Set(held)].filter((node) => !own.has(node) && !known.has(node));
  return [...lent, ...others, ...unknown.map((from) => ({ from, to: UNKNOWN, share: 1 }))];
}

/** Shares are published with eight digits. */
const ROUNDING = 1e-6;

/**
 * Edges of the published graph by node. An edge to the unknown holds what a node's edges do not cover. Shares that exceed 1 by rounding are
 * scaled to 1.
 */
export const edgesByNode = ({
  graph,
}: {
  readonly graph: readonly ExposureNode[] | null;
}): ReadonlyMap<string, readonly Edge[]> =>
  new Map((graph ?? []).map(({ node, edges }) => [node, wholeEdges(node, edges)]));

function wholeEdges(from: string, edges: readonly { readonly to: string; readonly share: number }[]): Edge[] {
  const known = edges.reduce((sum, edge) => sum + edge.share, 0);
  const own = edges.map(({ to, share: part }) => ({ from, to, share: part / Math.max(1, known) }));
  const isWhole = own.length === 0 || known > 1 - ROUNDING;
  return isWhole ? own : [...own, { from, to: UNKNOWN, share: 1 - known }];
}

export const nodeOf = ({ chain, market_id }: Pick<MarketFacts, 'chain' | 'market_id'>): string =>
  `market:${chain}:${market_id}`;

/** Only a fresh state says what is lent now. */
const lentShareOf = (market: MarketFacts | undefined): number | null =>
  market?.state_status !== 'fresh' || market.utilization === null ? null : Math.min(1, market.utilization);

/** In a pool any collateral backs any loan: that its lent part rests on one oracle is possible, not known. */
function lentEdges(from: string, market: MarketFacts | undefined, behind: string): readonly Edge[] {
  const lent = lentShareOf(market);
  if (lent === null || !market?.loan_symbol) return [{ from, to: UNKNOWN, share: 1 }];
  const to = market.collateral_symbol === null ? UNKNOWN : behind;
  return [
    { from, to, share: lent },
    { from, to: `asset:${market.loan_symbol.toUpperCase()}`, share: 1 - lent },
  ];
}

/** What a node's edges with an amount say it is worth, USD; null if none has one. */
function worthOf({ edges }: ExposureNode): number | null {
  const stated = edges.filter(({ usd: amount, share: part }) => amount !== null && part > 0);
  const part = stated.reduce((sum, edge) => sum + edge.share, 0);
  return part > 0 ? stated.reduce((sum, edge) => sum + (edge.usd ?? 0), 0) / part : null;
}

interface RowInput extends Step {
  readonly kind: Kind;
  readonly value: number | null;
  readonly found: Bounds;
  readonly steps: ReadonlyMap<string, Step>;
}

function rowOf({ node, kind, name, value, found, steps }: RowInput): Reliance {
  const { low, high, path } = found;
  return {
    node,
    kind,
    name,
    share_low: share(low),
    share_high: share(high),
    value_usd: value === null ? null : usd(value),
    usd_low: value === null ? null : usd(value * low),
    usd_high: value === null ? null : usd(value * high),
    path: path.toReversed().map((step) => stepOf(steps, step)),
  };
}

const stepsOf = (graph: readonly ExposureNode[], start: Start): ReadonlyMap<string, Step> =>
  new Map([
    ...graph.flatMap(({ edges }) =>
      edges.map(({ to, kind, name }) => [to, { node: to, kind, name }] as const),
    ),
    ...graph.map(({ node, kind, name }) => [node, { node, kind, name }] as const),
    [start.id, { node: start.id, kind: start.kind, name: start.name }] as const,
  ]);

const stepOf = (steps: ReadonlyMap<string, Step>, node: string): Step & { readonly kind: Kind } =>
  (steps.get(node) ?? { node, kind: node.split(':', 1)[0], name: null }) as Step & { readonly kind: Kind };

// Yields.

/** Strategies in which the assets a position holds are not all that is behind it. */
export const OPAQUE_STRATEGIES: readonly (string | null)[] = ['lending', 'vault', null];

const NOTHING: Bounds = { low: 0, high: 0, path: [] };
const ANYTHING: Bounds = { low: 0, high: 1, path: [] };

interface YieldContext {
  readonly start: Start;
  readonly bounds: ReadonlyMap<string, Bounds>;
  readonly nodes: ReadonlyMap<string, ExposureNode>;
  readonly steps: ReadonlyMap<string, Step>;
}

function yieldRow(opportunity: YieldFacts, behind: YieldContext): Reliance {
  const node = `yield:${opportunity.id}`;
  const found = boundsOfYield(opportunity, behind);
  const path = found.path.length === 0 ? [] : [node, ...found.path];
  const own: Step & { readonly kind: Kind } = { node, kind: 'yield', name: opportunity.name };
  const steps = new Map([...behind.steps, [node, own]]);
  return rowOf({ ...own, value: opportunity.tvlUsd, found: { ...found, path }, steps });
}

/** By its contract in the graph; else by its assets, of which shares are not known; else nothing is known. */
function boundsOfYield({ chain, address, strategy, assets }: YieldFacts, behind: YieldContext): Bounds {
  const id = `${chain}:${address?.toLowerCase()}`;
  const contract = [`vault:${id}`, `market:${id}`].find(
    (node) => node === behind.start.id || behind.nodes.has(node) || behind.bounds.has(node),
  );
  if (address !== null && contract !== undefined) return reached(contract, behind);
  if (OPAQUE_STRATEGIES.includes(strategy) || assets.length === 0) return ANYTHING;
  const parts = assets.map((symbol) => reached(`asset:${symbol.toUpperCase()}`, behind));
  const best = parts.toSorted((a, b) => b.low - a.low)[0] ?? NOTHING;
  return {
    low: Math.min(...parts.map(({ low }) => low)),
    high: Math.max(...parts.map(({ high }) => high)),
    path: best.path,
  };
}

function reached(node: string, { start, bounds }: YieldContext): Bounds {
  return node === start.id ? { low: 1, high: 1, path: [node] } : (bounds.get(node) ?? NOTHING);
}

function reachOf(rows: readonly Reliance[], kind: Kind): ExposurePaths['reach']['market'] {
  const own = rows.filter((row) => row.kind === kind && row.share_high > 0);
  const known = own.filter(({ share_low }) => share_low > 0);
  const total = (of: (row: Reliance) => number | null) =>
    known.some((row) => of(row) === null) ? null : usd(known.reduce((sum, row) => sum + (of(row) ?? 0), 0));
  return {
    count: known.length,
    usd_low: total(({ usd_low }) => usd_low),
    usd_high: total(({ usd_high }) => usd_high),
    unknown: own.length - known.length,
  };
}

const byDollars = (a: Reliance, b: Reliance): number =>
  (b.usd_low ?? -1) - (a.usd_low ?? -1) || b.share_low - a.share_low || (a.node < b.node ? -1 : 1);
