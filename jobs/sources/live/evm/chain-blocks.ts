// Reads whole blocks with their receipts. The state of a reading is its last block, which the next reading must follow.
import { blocksOf, named, type ChainReader } from './chain-task.ts';
import type { BlockRef } from './block.ts';
import { blockRows, readBlocks } from './read-blocks.ts';

export const readWholeBlocks: ChainReader = async (rpc, { chain, name, window, head, state }) => {
  const last = state as BlockRef | null;
  const range = await blocksOf(rpc, window, head);
  if (range === null)
    return { rows: [], exchanges: [], missing: [], ...(last === null ? {} : { state: last }) };
  const isNext = window.urgency === 'tip' && last !== null && range.first <= last.number + 1;
  const from = isNext ? last.number + 1 : range.first;
  if (from > range.last) return { rows: [], exchanges: [], missing: [], state: last };
  const reading = await readBlocks(rpc, {
    from,
    to: range.last,
    before: isNext ? last : null,
    withTraces: chain.traces ?? false,
  });
  const { number, hash } = reading.last;
  return {
    rows: named(blockRows(name, reading.exchanges)),
    exchanges: reading.exchanges,
    missing: [],
    state: window.urgency === 'tip' ? { number, hash } : last,
  };
};
