// What is behind a portfolio, through vaults, markets, assets and issuers.
import { amplificationOf } from '../../../models/amplification.ts';
import { type Edge, lookThrough, sumOf, UNKNOWN } from '../../../models/exposure.ts';
import { edgesByNode } from '../../../models/exposure-paths.ts';
import { gapOf } from '../../../models/gaps.ts';
import { amountsByLastLabel, type Flow } from '../../../models/last-label.ts';
import { propagateLosses } from '../../../models/losses.ts';
import { roundTo, share, usd } from '../../../models/rounding.ts';
import type { ConcentrationParts, PortfolioConcentration } from '../../../schemas/portfolio-concentration.ts';
import { PORTFOLIO } from '../../../schemas/values.ts';
import { assetsOf, entriesOf } from './holdings.ts';
import { type NodeName, namesOf } from './paths.ts';
import type { PortfolioInput, PositionInput } from './portfolio-input.ts';

type LookThrough = NonNullable<PortfolioConcentration['look_through']>;

/** Null if no graph is published. */
export function lookThroughOf(input: PortfolioInput): LookThrough | null {
  const { graph, curators, feeds } = input;
  if (graph === null) return null;
  const edges = edgesByNode(input);
  const by = (
    initial: (position: PositionInput) => readonly string[],
    labelsOf: (node: string) => readonly (string | null)[],
  ) => {
    const starts = input.positions.flatMap((position) => startsOf(position, initial(position)));
    return partsOf(amountsByLastLabel(starts, { edgesOf: (node) => edges.get(node) ?? [], labelsOf }));
  };
  const ends = by(
    () => [],
    (node) => [node === UNKNOWN ? null : node],
  );
  return {
    by_venue: by(({ opportunity }) => [opportunity.venue], kindOf('venue')),
    by_chain: by(({ opportunity }) => [opportunity.chain], chainOf),
    by_asset: by(({ opportunity }) => assetsOf(opportunity), lostIn(kindOf('asset'))),
    by_issuer: by(() => [], lostIn(kindOf('issuer'))),
    by_curator: by(
      ({ opportunity }) => (opportunity.curator === null ? [] : [opportunity.curator]),
      (node) => (curators[node] === undefined ? [] : [curators[node]]),
    ),
    by_oracle: by(
      ({ oracles }) => oracles,
      (node) => feeds[node] ?? [],
    ),
    ends,
    ...followed(input, edges),
    gaps: ends.unknown_share > 0 ? [gapOf('lookthrough_incomplete', { share: ends.unknown_share })] : [],
  };
}

/** Where a position enters the graph: its nodes, or the unknown. Several initial labels share the amount. */
function startsOf(position: PositionInput, labels: readonly string[]): readonly Flow[] {
  const first: readonly (string | null)[] = labels.length === 0 ? [null] : labels;
  return entriesOf(position).flatMap(({ node, amount_usd }) =>
    first.map((label) => ({ node, label, amount_usd: amount_usd / first.length })),
  );
}

/** The names of nodes of a kind. */
const kindOf = (kind: string) => (node: string) =>
  node.startsWith(`${kind}:`) ? [node.slice(kind.length + 1)] : [];

const chainOf = (node: string): readonly string[] => {
  const [kind, chain] = node.split(':', 2);
  return (kind === 'vault' || kind === 'market') && chain !== undefined ? [chain] : [];
};

/** What ends in the unknown has no known asset or issuer, whatever it passed through. */
const lostIn = (labelsOf: (node: string) => readonly string[]) => (node: string) =>
  node === UNKNOWN ? [null] : labelsOf(node);

/** The whole portfolio, followed along all edges at once. */
function followed(input: PortfolioInput, edges: ReadonlyMap<string, readonly Edge[]>) {
  const direct = new Map<string, number>();
  for (const position of input.positions)
    for (const { node, amount_usd } of startsOf(position, []))
      direct.set(node, (direct.get(node) ?? 0) + amount_usd);
  const { exposure } = lookThrough(direct, [...edges.values()].flat());
  const reached = [...exposure.keys()].flatMap((node) => edges.get(node) ?? []);
  return {
    amplification: [...amplificationOf(reached)]
      .toSorted(([a, one], [b, other]) => (one === other ? (a < b ? -1 : 1) : other - one))
      .map(([node, value]) => ({ node, value: Number.isFinite(value) ? roundTo(value, 6) : null })),
    failures: failuresOf({ direct, exposure, edges, names: namesOf(input) }),
  };
}

type Failures = NonNullable<PortfolioConcentration['look_through']>['failures'];

interface FailureExposure {
  /** USD by the node at which a position enters the graph. */
  readonly direct: ReadonlyMap<string, number>;
  /** USD by node, direct and indirect. */
  readonly exposure: ReadonlyMap<string, number>;
  readonly edges: ReadonlyMap<string, readonly Edge[]>;
  readonly names: ReadonlyMap<string, NodeName>;
}

/**
 * The loss of the portfolio when a node behind it loses everything and the loss propagates to the node's holders: for the nodes with the
 * largest exposure, largest loss first. The unknown is not a node that can fail.
 */
function failuresOf({ direct, exposure, edges, names }: FailureExposure): Failures {
  const total = sumOf(direct.values());
  const reached = [...exposure.keys()].flatMap((node) => edges.get(node) ?? []);
  return [...exposure]
    .filter(([node]) => node !== UNKNOWN)
    .toSorted(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
    .slice(0, PORTFOLIO.max_failures)
    .map(([node]) => {
      const losses = propagateLosses(new Map([[node, 1]]), reached);
      const loss = sumOf([...direct].map(([start, amount]) => amount * (losses.get(start) ?? 0)));
      const { kind = null, name = null } = names.get(node) ?? {};
      return { node, kind, name, loss_usd: usd(loss), share: share(loss / total) };
    })
    .toSorted((a, b) => b.loss_usd - a.loss_usd || (a.node < b.node ? -1 : 1));
}

// Parts of a portfolio by key, with bounds for their concentration where a share is unknown.

/** Shares of the whole. The key null stands for the unknown part. */
export function partsOf(amounts: ReadonlyMap<string | null, number>): ConcentrationParts {
  const total = [...amounts.values()].reduce((sum, amount) => sum + amount, 0);
  const unknown = (amounts.get(null) ?? 0) / total;
  const parts = [...amounts]
    .flatMap(([key, amount_usd]) => (key === null ? [] : [{ key, amount_usd, share: amount_usd / total }]))
    .toSorted((a, b) => b.amount_usd - a.amount_usd || (a.key < b.key ? -1 : 1));
  const hhi_min = parts.reduce((sum, part) => sum + part.share * part.share, 0);
  const largest = parts[0]?.share;
  const isKnown = largest !== undefined;
  const hhi = isKnown ? hhi_min - largest * largest + (largest + unknown) * (largest + unknown) : null;
  return {
    parts: parts.map((part) => ({
      key: part.key,
      amount_usd: usd(part.amount_usd),
      share: share(part.share),
    })),
    unknown_share: share(unknown),
    hhi: hhi === null ? null : share(Math.min(1, hhi)),
    hhi_min: isKnown ? share(Math.min(1, hhi_min)) : null,
    effective_number: hhi === null ? null : roundTo(Math.max(1, 1 / hhi), 4),
  };
}
