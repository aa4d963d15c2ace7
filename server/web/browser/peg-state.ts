// What is wrong with a pegged asset, worst first, and the resulting order of assets.
import type { Peg } from './api-shapes.ts';

export const PEG_STATES = [
  'depegged',
  'disputed',
  'near',
  'silent',
  'unknown',
  'single_source',
  'pegged',
] as const;
export type PegState = (typeof PEG_STATES)[number];

type PegFigures = Pick<
  Peg,
  'deviation_bps' | 'enter_bps' | 'is_downside_only' | 'sources' | 'is_disputed' | 'state' | 'source_status'
>;

/** Deviation as a share of the band. If only the downside counts, a price above the reference is no deviation. */
function share({ deviation_bps, enter_bps, is_downside_only }: PegFigures): number {
  if (deviation_bps === null || enter_bps === null || enter_bps === 0) return 0;
  return (is_downside_only ? Math.max(0, -deviation_bps) : Math.abs(deviation_bps)) / enter_bps;
}

const HOLDS: Readonly<Record<PegState, (peg: PegFigures) => boolean>> = {
  depegged: ({ state }) => state === 'depegged',
  disputed: ({ is_disputed, state }) => is_disputed === true || state === 'disputed',
  near: (peg) => peg.state !== 'depegged' && share(peg) > 0.5,
  silent: ({ source_status }) => source_status === 'silent',
  unknown: ({ state, deviation_bps }) => state === 'unknown' || deviation_bps === null,
  single_source: ({ sources }) => sources === 1,
  pegged: ({ state }) => state === 'pegged',
};

/** The first state is the main one; the others are also worth showing. */
export function statesOf(peg: PegFigures): readonly PegState[] {
  const all = PEG_STATES.filter((state) => HOLDS[state](peg));
  const isFine = all.every((state) => state === 'pegged' || state === 'single_source');
  return isFine ? all.toReversed() : all.filter((state) => state !== 'pegged');
}

/** Worst first; within a state, by the deviation as a share of the band. */
export const worstFirst = <T extends PegFigures>(pegs: readonly T[]): readonly T[] =>
  pegs.toSorted((a, b) => rank(a) - rank(b) || share(b) - share(a));

const rank = (peg: PegFigures): number => PEG_STATES.indexOf(statesOf(peg)[0] ?? 'unknown');
