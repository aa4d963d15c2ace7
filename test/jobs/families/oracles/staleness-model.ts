// Freshness by its definition, second by second: what the SQL models are held against. Knows nothing of windows or days.
export interface Version {
  readonly from: number;
  readonly heartbeat_s: number | null;
  /** Openings of the market, [from, to) in seconds; null for a market that never closes; empty for an unknown one. */
  readonly openings: readonly (readonly [number, number])[] | null;
  /** Everything else that the fingerprint is made of. */
  readonly traits: string;
}

export interface History {
  readonly versions: readonly Version[];
  readonly updates: readonly number[];
}

export interface Limits {
  readonly grace_s: number;
  readonly stale_high_s: number;
  readonly stale_critical_s: number;
}

export interface Found {
  readonly at: number;
  readonly what: string;
}

const RANK: { readonly [grade: string]: number } = { warn: 1, high: 2, critical: 3 };

/** All staleness events and classification changes up to and including `last`, in order of time. */
export function staleness({ versions, updates }: History, limits: Limits, last: number): readonly Found[] {
  const found: Found[] = [];
  let before = null as { readonly grade: string; readonly traits: string } | null;
  for (let t = 0; t <= last; t += 1) {
    const version = versions.findLast((one) => one.from <= t);
    if (version === undefined) continue;
    const updated = updates.findLast((at) => at <= t);
    const { grade, age } = gradeAt(t, { version, updated, limits }) ?? {
      grade: before?.grade ?? 'unknown',
      age: 0,
    };
    const status = statusOf(grade);
    const was = before === null ? 'unknown' : statusOf(before.grade);
    if ((RANK[grade] ?? 0) > (RANK[before?.grade ?? ''] ?? 0)) found.push({ at: t, what: `${grade} ${age}` });
    const isOther = before !== null && before.traits !== version.traits;
    if (before !== null && (isOther || (status !== was && was !== 'unknown'))) {
      found.push({ at: t, what: `${before.traits} ${was} -> ${version.traits} ${status}` });
    }
    before = { grade, traits: version.traits };
  }
  return found;
}

const statusOf = (grade: string) => (grade in RANK ? 'stale' : grade);

/** Null while the market is closed: then nothing changes. */
function gradeAt(
  t: number,
  { version, updated, limits }: { version: Version; updated: number | undefined; limits: Limits },
): { grade: string; age: number } | null {
  if (version.heartbeat_s === null || version.openings?.length === 0)
    return { grade: 'unverifiable', age: 0 };
  if (updated === undefined) return { grade: 'unknown', age: 0 };
  const opening =
    version.openings === null
      ? ([0, Infinity] as const)
      : version.openings.find(([from, to]) => from <= t && t < to);
  if (opening === undefined) return null;
  const age = t - (Math.max(updated, opening[0]) + version.heartbeat_s + limits.grace_s);
  if (age >= limits.stale_critical_s) return { grade: 'critical', age };
  if (age >= limits.stale_high_s) return { grade: 'high', age };
  return age >= 1 ? { grade: 'warn', age } : { grade: 'fresh', age };
}
