// Look-through exposure across vaults, markets and issuers: shares along the edges of a graph, multiplied and summed.
// Unknown backing is a node of its own and is never spread over what is known.

export interface Edge {
  readonly from: string;
  readonly to: string;
  /** Share of the holder's value that is held in the other node, 0 to 1. The shares of one holder add up to at most 1. */
  readonly share: number;
}

/** Node that receives the share that a holder's edges do not account for, if the holder has any edge. */
export const UNKNOWN = 'unknown';

const MAX_ROUNDS = 64;
const NEGLIGIBLE = 1e-6;

export interface LookThrough {
  /** USD of the position that each node holds, directly or through others; every node on a path counts. */
  readonly exposure: ReadonlyMap<string, number>;
  /** USD that ends in nodes without backing of their own. Adds up to the position. */
  readonly ends: ReadonlyMap<string, number>;
  /** USD not yet at an end when the maximum number of rounds was reached. */
  readonly rest: number;
}

/** Follows direct holdings, in USD, along the edges. @throws RangeError if the shares of a holder exceed 1. */
export function lookThrough(direct: ReadonlyMap<string, number>, edges: readonly Edge[]): LookThrough {
  const outgoing = edgesByHolder(edges);
  const exposure = new Map<string, number>();
  const ends = new Map<string, number>();
  const total = sumOf(direct.values());
  let moving: ReadonlyMap<string, number> = direct;
  for (let round = 0; round < MAX_ROUNDS && sumOf(moving.values()) > NEGLIGIBLE * total; round++) {
    for (const [node, usd] of moving) {
      add(exposure, node, usd);
      if (!outgoing.has(node)) add(ends, node, usd);
    }
    moving = oneStep(moving, outgoing);
  }
  const rest = sumOf(moving.values());
  return { exposure, ends, rest };
}

function oneStep(
  moving: ReadonlyMap<string, number>,
  outgoing: ReadonlyMap<string, readonly Edge[]>,
): ReadonlyMap<string, number> {
  const next = new Map<string, number>();
  for (const [node, usd] of moving)
    for (const { to, share } of outgoing.get(node) ?? []) add(next, to, usd * share);
  return next;
}

/** Edges by holder, completed to 1 with an edge to unknown. @throws RangeError if the shares of a holder exceed 1. */
export function edgesByHolder(edges: readonly Edge[]): ReadonlyMap<string, readonly Edge[]> {
  const byHolder = new Map<string, Edge[]>();
  for (const edge of edges) {
    if (!(edge.share >= 0)) throw new RangeError(`The share of ${edge.to} in ${edge.from} is ${edge.share}.`);
    const own = byHolder.get(edge.from);
    if (own === undefined) byHolder.set(edge.from, [edge]);
    else own.push(edge);
  }
  for (const [from, list] of byHolder) {
    const known = sumOf(list.map(({ share }) => share));
    if (known > 1 + 1e-9) throw new RangeError(`The shares of ${from} add up to ${known}.`);
    if (known < 1 - 1e-9) list.push({ from, to: UNKNOWN, share: 1 - known });
  }
  return byHolder;
}

const add = (map: Map<string, number>, key: string, value: number): void =>
  void map.set(key, (map.get(key) ?? 0) + value);

/** Sums in the order given. */
export function sumOf(values: Iterable<number>): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum;
}
