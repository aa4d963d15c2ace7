// The order of open conditions (decision 86): worst first, and within a severity by what they affect.
import type { Condition } from '../../schemas/conditions.ts';
import { SEVERITIES } from '../../schemas/event.ts';

export const byWeight = (a: Condition, b: Condition): number =>
  severityRank(b) - severityRank(a) ||
  reachRank(b) - reachRank(a) ||
  usdOf(b) - usdOf(a) ||
  (b.band_multiple ?? 0) - (a.band_multiple ?? 0) ||
  compare(b.since ?? '', a.since ?? '') ||
  compare(a.id, b.id);

const severityRank = ({ severity }: Condition): number => SEVERITIES.indexOf(severity);
const usdOf = ({ reach }: Condition): number => reach?.usd ?? 0;
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** At least this share of the markets being unknown, the dollars say little. */
const MOSTLY_UNKNOWN = 0.5;

/** What is mostly unknown could be the largest, so it comes first; conditions without markets, such as those of datasets, come last. */
function reachRank({ reach }: Condition): number {
  if (reach === null) return 0;
  const isUnknown = reach.usd === null || (reach.usd_unknown_share ?? 1) >= MOSTLY_UNKNOWN;
  return isUnknown ? 2 : 1;
}
