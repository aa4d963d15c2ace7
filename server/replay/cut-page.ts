// Cuts a page from a list of rows or events.

/** Ordinals in list order. */
export interface Ordinals {
  readonly length: number;
  at(index: number): number | undefined;
}

export interface CutPage {
  readonly ordinals: readonly number[];
  /** Whether more rows follow the page. */
  readonly hasMore: boolean;
}

/** At most `limit` ordinals from a position on, none at or after the position `end`. */
export function cutPage(list: Ordinals, from: number, limit: number, end = list.length): CutPage {
  const ordinals: number[] = [];
  const upTo = Math.min(end, from + limit);
  for (let index = from; index < upTo; index++) ordinals.push(list.at(index) ?? 0);
  return { ordinals, hasMore: upTo < end };
}

/** The list of the first `count` ordinals. */
export const everyOrdinal = (count: number): Ordinals => ({ length: count, at: (index) => index });
