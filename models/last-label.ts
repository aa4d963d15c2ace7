// Amounts by the last label on their path through a graph of holdings, for example the last issuer behind a position.
// Unlike exposures, which count at each step, these parts add up to the whole.

export interface Flow {
  readonly node: string;
  readonly amount_usd: number;
  /** Label before the first node; null without one. */
  readonly label: string | null;
}

export interface Holdings {
  /** What a node holds, with shares that add up to at most 1; empty if amounts end there. */
  edgesOf(node: string): readonly { readonly to: string; readonly share: number }[];
  /** Labels of a node, which share its amount equally; empty if amounts keep the label that they came with. Null removes the label. */
  labelsOf(node: string): readonly (string | null)[];
}

const MAX_ROUNDS = 64;
const NEGLIGIBLE = 1e-12;

/**
 * Amounts by label; null for amounts without one and for those that circulate without end. What a node does not hold in others ends there.
 */
export function amountsByLastLabel(
  starts: readonly Flow[],
  holdings: Holdings,
): ReadonlyMap<string | null, number> {
  const ended = new Map<string | null, number>();
  const total = starts.reduce((sum, { amount_usd }) => sum + amount_usd, 0);
  let moving = merged(starts.flatMap((flow) => labelled(flow, holdings)));
  for (let round = 0; round < MAX_ROUNDS && amountIn(moving) > NEGLIGIBLE * total; round++)
    moving = merged(moving.flatMap((flow) => onward(flow, holdings, ended)));
  add(ended, null, amountIn(moving));
  return ended;
}

function onward(flow: Flow, holdings: Holdings, ended: Map<string | null, number>): readonly Flow[] {
  const edges = holdings.edgesOf(flow.node);
  let rest = flow.amount_usd;
  const next = edges.flatMap(({ to, share }) => {
    rest -= share * flow.amount_usd;
    return labelled({ node: to, amount_usd: share * flow.amount_usd, label: flow.label }, holdings);
  });
  if (edges.length === 0 || rest > NEGLIGIBLE * flow.amount_usd) add(ended, flow.label, rest);
  return next;
}

function labelled(flow: Flow, holdings: Holdings): readonly Flow[] {
  const labels = holdings.labelsOf(flow.node);
  if (labels.length === 0) return [flow];
  const amount_usd = flow.amount_usd / labels.length;
  return labels.map((label) => ({ node: flow.node, amount_usd, label }));
}

/** Merges flows with the same node and label. */
function merged(flows: readonly Flow[]): readonly Flow[] {
  const byState = new Map<string, Flow>();
  for (const flow of flows) {
    const state = JSON.stringify([flow.node, flow.label]);
    const amount_usd = (byState.get(state)?.amount_usd ?? 0) + flow.amount_usd;
    byState.set(state, { ...flow, amount_usd });
  }
  return [...byState.values()];
}

const amountIn = (flows: readonly Flow[]): number => flows.reduce((sum, flow) => sum + flow.amount_usd, 0);

const add = (amounts: Map<string | null, number>, label: string | null, amount: number): void =>
  void (amount !== 0 && amounts.set(label, (amounts.get(label) ?? 0) + amount));
