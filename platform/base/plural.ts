// Counts in messages, in the singular and the plural.

/** `1 row`, `2 rows`, `0 rows`. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`;

/** The verb after a count. */
export const isOrAre = (count: number): string => (count === 1 ? 'is' : 'are');

export const wasOrWere = (count: number): string => (count === 1 ? 'was' : 'were');
