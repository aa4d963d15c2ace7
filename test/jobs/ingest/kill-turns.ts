// What the process that is killed lands, turn by turn: the rounds of one file as those of another feed each time, from three sources in turn,
// so that each source has several batches to compact.
import type { FileDelivery, SourceFacts } from '../../../jobs/define/source.ts';
import { csv, ROUND_FIELDS, SOURCE } from './scratch.ts';

export const feedOf = (turn: number): string => `0x${turn.toString(16).padStart(4, '0')}`;

export function turnOf(turn: number, file: string): readonly [SourceFacts, FileDelivery] {
  const fields = { ...ROUND_FIELDS, feed_address: { value: feedOf(turn) } };
  return [{ ...SOURCE, id: `s${turn % 3}` }, csv(file, { fields })];
}
