// Lengths of time, days, and instants as text. Unix seconds unless the name says otherwise.

export const HOUR_S = 3_600;
export const DAY_S = 86_400;
export const HOUR_MS = HOUR_S * 1_000;
export const DAY_MS = DAY_S * 1_000;

/** 00:00 UTC of the day that holds `seconds`. */
export const dayOf = (seconds: number): number => seconds - (((seconds % DAY_S) + DAY_S) % DAY_S);

/** `2026-03-10T09:30:00Z` */
export const isoOf = (seconds: number): string =>
  new Date(seconds * 1000).toISOString().replace('.000Z', 'Z');
