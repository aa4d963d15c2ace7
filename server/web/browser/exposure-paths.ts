// What is held through what: the shares of the exposure graph, multiplied along its edges. A share that no source accounts for stays
// unknown and is never spread over the others.

export interface HeldNode {
  readonly to: string;
  readonly kind: string;
  readonly name: string | null;
  readonly usd: number | null;
  /** Of the holder's value. */
  readonly share: number;
  readonly observed_at: number;
}

export interface ExposureNode {
  readonly node: string;
  readonly kind: string;
  readonly name: string | null;
  readonly known_share: number;
  readonly edges: readonly HeldNode[];
}

export type Graph = ReadonlyMap<string, ExposureNode>;

export const graphOf = (nodes: readonly ExposureNode[]): Graph =>
  new Map(nodes.map((node) => [node.node, node]));

export const UNKNOWN_NODE = 'unknown';
/** Assets can back each other, so paths can be endless; each round multiplies what is left by less than 1. */
const MAX_ROUNDS = 64;
const NEGLIGIBLE = 1e-6;

const add = (map: Map<string, number>, node: string, share: number): void =>
  void map.set(node, (map.get(node) ?? 0) + share);

/** Edges that add up to 1: what they do not cover is unknown. */
function wholeEdges({ edges }: ExposureNode): readonly (readonly [to: string, share: number])[] {
  const known = edges.reduce((sum, { share }) => sum + share, 0);
  const own = edges.map(({ to, share }) => [to, share / Math.max(1, known)] as const);
  return known > 1 - NEGLIGIBLE ? own : [...own, [UNKNOWN_NODE, 1 - known] as const];
}

/**
 * Where a value ends: shares by node that holds nothing itself, largest first, which add up to 1. What is still on its way after the last
 * round is unknown. `stop` ends paths at a node.
 */
export function endsOf(graph: Graph, start: string, stop?: string): ReadonlyMap<string, number> {
  const ends = new Map<string, number>();
  let moving = new Map([[start, 1]]);
  for (let round = 0; round < MAX_ROUNDS && moving.size > 0; round += 1) {
    const next = new Map<string, number>();
    for (const [node, share] of moving) {
      const holder = node === stop ? undefined : graph.get(node);
      if (holder === undefined || holder.edges.length === 0) add(ends, node, share);
      else for (const [to, part] of wholeEdges(holder)) add(next, to, share * part);
    }
    moving = new Map([...next].filter(([, share]) => share > NEGLIGIBLE / MAX_ROUNDS));
    const lost = 1 - [...ends.values(), ...moving.values()].reduce((sum, share) => sum + share, 0);
    if (moving.size === 0 && lost > NEGLIGIBLE) add(ends, UNKNOWN_NODE, lost);
  }
  for (const share of moving.values()) add(ends, UNKNOWN_NODE, share);
  return new Map([...ends].toSorted(([, a], [, b]) => b - a));
}

export interface Holder {
  readonly holder: ExposureNode;
  /** Undefined if it is held only through others. */
  readonly direct: HeldNode | undefined;
  /** Share of the holder's value that is in the node, directly or through others. */
  readonly share: number;
}

/** Everything that holds a node, largest share first. */
export const holdersOf = (graph: Graph, target: string): readonly Holder[] =>
  [...graph.values()]
    .filter(({ node }) => node !== target)
    .map((holder) => ({
      holder,
      direct: holder.edges.find(({ to }) => to === target),
      share: endsOf(graph, holder.node, target).get(target) ?? 0,
    }))
    .filter(({ share }) => share > NEGLIGIBLE)
    .toSorted((a, b) => b.share - a.share);

/** USD value of all that a node holds; undefined if no edge has both an amount and a share. */
export function worthOf({ edges }: ExposureNode): number | undefined {
  const known = edges.filter(({ usd, share }) => usd !== null && share > 0);
  const share = known.reduce((sum, edge) => sum + edge.share, 0);
  const usd = known.reduce((sum, edge) => sum + (edge.usd ?? 0), 0);
  return share > 0 ? usd / share : undefined;
}

/** Names of all nodes, including those that hold nothing. */
export const namesIn = (graph: Graph): ReadonlyMap<string, string> =>
  new Map(
    [...graph.values()].flatMap(({ node, name, edges }) => [
      ...edges.map((edge) => [edge.to, edge.name ?? edge.to.replace(/^\w+:/, '')] as const),
      [node, name ?? node.replace(/^\w+:/, '')] as const,
    ]),
  );
