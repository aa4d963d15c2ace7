// Days and windows of the tests of network A, in Unix seconds.
export const DAY = 86_400;

/** 00:00 UTC of a date. */
export const dayOf = (date: string) => Date.parse(`${date}T00:00:00Z`) / 1000;

/** The window from `start` up to and including `now`. */
export const span = (start: number, now: number) => ({ start, end: now + 1, now });
