// The clock of the demo world. A chain produces a block every 12 seconds and a round has the time of its block, so the whole
// generator counts in blocks, which fit 32-bit integers.

export const SECONDS_PER_BLOCK = 12;
export const BLOCKS_PER_MINUTE = 5;
export const BLOCKS_PER_DAY = 7_200;
const OFFSET_SECONDS = 11;

/** Unix seconds of a block. The same expression in SQL is `12 * block + 11`. */
export function timeOf(block: number): number {
  return SECONDS_PER_BLOCK * block + OFFSET_SECONDS;
}

/** Latest block at or before an instant. */
export function blockAt(unixSeconds: number): number {
  return Math.floor((unixSeconds - OFFSET_SECONDS) / SECONDS_PER_BLOCK);
}

/** Blocks that fill a number of seconds, rounded down. */
export function blocksIn(seconds: number): number {
  return Math.floor(seconds / SECONDS_PER_BLOCK);
}

/** Latest block strictly before an instant. */
export function blockBefore(unixSeconds: number): number {
  const block = blockAt(unixSeconds);
  return timeOf(block) < unixSeconds ? block : block - 1;
}
