// Delivers the rounds of some periods out of order, like a source that reads many pages in parallel.
import { hash } from './scenario/hash.ts';
import type { RoundBuffer, Span } from './oracles-rounds.ts';

/** Puts the rows of each period (oldest first, not overlapping) into a hashed order, within the positions they occupy. */
export function shuffleWithin(buffer: RoundBuffer, spans: readonly Span[]): void {
  for (const [index, rows] of rowsWithin(buffer, spans).entries()) {
    const seed = spans[index]?.after ?? 0;
    for (let i = rows.length - 1; i > 0; i--) {
      buffer.swap(rows[i] as number, rows[hash(seed, i) % (i + 1)] as number);
    }
  }
}

/** One pass: time only increases within a feed, so a row is in the same period as the previous row or in the next. */
function rowsWithin(buffer: RoundBuffer, spans: readonly Span[]): number[][] {
  const rows: number[][] = spans.map(() => []);
  let at = 0;
  let previous = 0;
  for (let i = 0; i < buffer.count; i++) {
    const block = buffer.block[i] as number;
    if (block < previous) at = 0;
    previous = block;
    while (at < spans.length && block > (spans[at] as Span).upTo) at++;
    if (at < spans.length && block > (spans[at] as Span).after) rows[at]?.push(i);
  }
  return rows;
}
