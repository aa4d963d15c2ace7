// Parses durations and instants from a command line.
const UNIT_MS: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};
const SPAN = /^(\d{1,6})([smhd])$/;
const INSTANT = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?Z)?$/;
/** 9999-12-31, the last day with a four-digit year. */
const LATEST_MS = Date.UTC(9999, 11, 31);

/** `90d`, `24h`, `30m` or `10s` in milliseconds; undefined for anything else. */
export function parseSpan(text: string): number | undefined {
  const [, count, unit] = SPAN.exec(text) ?? [];
  return count === undefined || unit === undefined
    ? undefined
    : Number(count) * (UNIT_MS[unit] ?? Number.NaN);
}

/** `2026-01-31T09:00:00Z`, `2026-01-31` or Unix seconds, as Unix milliseconds; undefined for anything else. */
export function parseInstant(text: string): number | undefined {
  const ms = /^\d{9,12}$/.test(text)
    ? Number(text) * 1_000
    : INSTANT.test(text)
      ? Date.parse(text)
      : Number.NaN;
  if (!Number.isFinite(ms) || ms > LATEST_MS) return undefined;
  // JavaScript reads 31 February as 3 March.
  const isSameDay = !text.includes('-') || new Date(ms).toISOString().startsWith(text.slice(0, 10));
  return isSameDay ? ms : undefined;
}
