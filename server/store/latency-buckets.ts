// Durations as counts in fixed buckets, which can be added across days, servers and restarts. Buckets grow by a quarter of a doubling, so a
// percentile read from the middle of its bucket is off by at most 9 %.

/** The name under which all callers together are counted. No organisation has it. */
export const SERVICE = '';

/** Counts by bucket. */
export type Buckets = ReadonlyMap<number, number>;

/** Upper bound of the first bucket. */
export const LOWEST_MS = 0.125;
const STEPS = 4;
const DOUBLINGS = 20;
/** Holds everything longer than 110 seconds. */
export const LAST_BUCKET = STEPS * DOUBLINGS;

/** The upper bound of a bucket. */
export const upperMs = (bucket: number): number => LOWEST_MS * 2 ** (bucket / STEPS);

const UPPER_MS: readonly number[] = Array.from({ length: LAST_BUCKET }, (_, bucket) => upperMs(bucket));

/** Compares with the bounds themselves, because a logarithm may round a time on a bound to the wrong side. */
export function bucketOf(ms: number): number {
  let [low, high] = [0, LAST_BUCKET];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ms <= (UPPER_MS[middle] ?? Infinity)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The bounds that matter for whole milliseconds; of equal bounds, the first. */
const WHOLE_MS = UPPER_MS.map((ms, bucket) => [Math.floor(ms), bucket] as const).filter(
  ([ms], bucket) => bucket === 0 || ms !== Math.floor(upperMs(bucket - 1)),
);

/** SQL for the bucket of a column of whole milliseconds; null for null. */
export const bucketSql = (column: string): string =>
  `case when ${column} is null then null ${WHOLE_MS.map(([ms, bucket]) => `when ${column} <= ${ms} then ${bucket}`).join(' ')} else ${LAST_BUCKET} end`;

export function addTo(counts: Map<number, number>, more: Buckets): void {
  for (const [bucket, count] of more) counts.set(bucket, (counts.get(bucket) ?? 0) + count);
}

export const SHARES = { p50_ms: 0.5, p95_ms: 0.95, p99_ms: 0.99 } as const;
export type Percentiles = { readonly [Name in keyof typeof SHARES]: number | null };

/** Null if there are no times. */
export function percentilesOf(counts: Buckets): Percentiles {
  const entries = Object.entries(SHARES).map(([name, share]) => [name, percentile(counts, share)]);
  return Object.fromEntries(entries) as unknown as Percentiles;
}

/** The smallest time that at least this share of all times does not exceed, as the middle of its bucket. */
function percentile(counts: Buckets, share: number): number | null {
  const ascending = [...counts].filter(([, count]) => count > 0).sort(([a], [b]) => a - b);
  const all = ascending.reduce((sum, [, count]) => sum + count, 0);
  let left = Math.ceil(all * share);
  for (const [bucket, count] of ascending) {
    left -= count;
    if (left <= 0) return middleOf(bucket);
  }
  return null;
}

/** The first and the last bucket have only one bound, which is returned. */
function middleOf(bucket: number): number {
  if (bucket <= 0) return LOWEST_MS;
  if (bucket >= LAST_BUCKET) return rounded(upperMs(LAST_BUCKET - 1));
  const [lower, upper] = [upperMs(bucket - 1), upperMs(bucket)];
  return rounded((2 * lower * upper) / (lower + upper));
}

/** With three digits, the error of some buckets would exceed 9 %. */
const rounded = (ms: number): number => Number(ms.toPrecision(4));
