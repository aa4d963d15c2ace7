// The overall score and its components straight from their definition (decisions 1, 2), for one protocol and one day.
import { overallPolicy } from '../../../../jobs/families/overall/policy.ts';

export const DAY = 86_400;
const { liquidity: L, security: S, decentralization: D, tokenomics: T } = overallPolicy.defaults;

export interface Part {
  readonly weight_bps: number;
  /** Millionths; null for a gap. */
  readonly score: number | null;
}

/** Ten-thousandths of the score, or why there is none. */
export function overallOf(parts: readonly Part[], min: { readonly count: number; readonly bps: number }) {
  const known = parts.filter(({ score }) => score !== null);
  const weight = known.reduce((sum, { weight_bps }) => sum + BigInt(weight_bps), 0n);
  if (known.length < min.count) return 'too_few_components';
  if (weight < BigInt(min.bps)) return 'too_little_weight';
  const sum = known.reduce((total, part) => total + BigInt(part.weight_bps) * BigInt(part.score ?? 0), 0n);
  const whole = sum / (100n * weight);
  const rest = sum % (100n * weight);
  return Number(2n * rest >= 100n * weight ? whole + 1n : whole);
}

const clamp = (x: number) => Math.min(1, Math.max(0, x));
const dayOf = (at: number) => at - (at % DAY);
const latest = <T extends { readonly observed_at: number }>(items: readonly T[]): T | undefined =>
  items.toSorted((a, b) => b.observed_at - a.observed_at)[0];
/** Mean of the parts that are known, by their weights. */
function mean(parts: readonly (readonly [weight: number, value: number | null])[]): number | null {
  const known = parts.filter(([, value]) => value !== null);
  if (known.length === 0) return null;
  const weight = known.reduce((sum, [own]) => sum + own, 0);
  return known.reduce((sum, [own, value]) => sum + own * (value ?? 0), 0) / weight;
}

export interface Pool {
  readonly pool_id: string;
  readonly observed_at: number;
  readonly tvl_usd: number;
  readonly depth_usd: number;
  readonly utilization: number | null;
}

export function liquidityOf(pools: readonly Pool[], day: number): number | null {
  if (!pools.some(({ observed_at }) => dayOf(observed_at) === day)) return null;
  const recent = pools.filter(
    ({ observed_at }) => observed_at >= day - L.carry_days * DAY && observed_at < day + DAY,
  );
  const ids = [...new Set(recent.map(({ pool_id }) => pool_id))];
  const now = ids.flatMap((id) => latest(recent.filter(({ pool_id }) => pool_id === id)) ?? []);
  const depthUsd = now.reduce((sum, { depth_usd }) => sum + depth_usd, 0);
  const decades = Math.log10(L.depth_full_usd / L.depth_floor_usd);
  const depth = depthUsd === 0 ? 0 : clamp(Math.log10(depthUsd / L.depth_floor_usd) / decades);
  const lending = now.filter(({ utilization }) => utilization !== null);
  const lent = lending.reduce((sum, { tvl_usd }) => sum + tvl_usd, 0);
  const free = lending.reduce(
    (sum, { tvl_usd, utilization }) =>
      sum + tvl_usd * clamp((1 - (utilization ?? 0)) / (1 - L.optimal_utilization)),
    0,
  );
  return mean([
    [L.depth_weight, depth],
    [L.utilization_weight, lent === 0 ? null : free / lent],
  ]);
}

export interface Fact {
  readonly fact: 'deployment' | 'audit' | 'incident' | 'parameter_flag' | 'review';
  readonly title: string;
  readonly observed_at: number;
  readonly happened_at: number;
  readonly ended_at: number | null;
  readonly severity: 'low' | 'medium' | 'high' | 'critical' | null;
}

export function securityOf(facts: readonly Fact[], day: number): number | null {
  const end = day + DAY;
  const names = [...new Set(facts.map(({ fact, title }) => `${fact} ${title}`))];
  const standing = names
    .flatMap(
      (name) =>
        latest(
          facts.filter(({ fact, title, observed_at }) => `${fact} ${title}` === name && observed_at < end),
        ) ?? [],
    )
    .filter(({ happened_at, ended_at }) => happened_at < end && (ended_at ?? Infinity) >= end);
  const of = (kind: Fact['fact'], days = Infinity) =>
    standing.filter(({ fact, happened_at }) => fact === kind && happened_at >= end - days * DAY);
  const daysSince = ({ happened_at }: Fact) => (day - dayOf(happened_at)) / DAY;
  const deployed = of('deployment').map(daysSince);
  if (deployed.length === 0 || of('review', S.review_days).length === 0) return null;
  const incident = of('incident').reduce(
    (sum, one) =>
      sum + S.incident_penalties[one.severity ?? 'low'] * 0.5 ** (daysSince(one) / S.incident_half_life_days),
    0,
  );
  const flag = of('parameter_flag').reduce(
    (sum, { severity }) => sum + S.flag_penalties[severity ?? 'low'],
    0,
  );
  return mean([
    [S.age_weight, clamp(Math.max(...deployed) / S.full_age_days)],
    [S.audits_weight, clamp(of('audit', S.audit_days).length / S.full_audits)],
    [S.incidents_weight, clamp(1 - incident)],
    [S.flags_weight, clamp(1 - flag)],
  ]);
}

export interface Operator {
  readonly operator_id: string;
  readonly observed_at: number;
  readonly weight: number;
}

/** Normalized HHI of all operators as they were seen last on a day; null when none was, or none has weight. */
export function operatorHhi(operators: readonly Operator[], day: number): number | null {
  const seen = operators.filter(({ observed_at }) => dayOf(observed_at) === day);
  const at = latest(seen)?.observed_at;
  const weights = seen.filter(({ observed_at }) => observed_at === at).map(({ weight }) => weight);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  if (total === 0) return null;
  const n = weights.length;
  const hhi = weights.reduce((sum, weight) => sum + (weight / total) ** 2, 0);
  return n === 1 ? 1 : (n * hhi - 1) / (n - 1);
}

export function decentralizationOf(operators: readonly Operator[], autocracy: number | null, day: number) {
  const back = Array.from({ length: D.operator_days }, (_, index) => day - index * DAY);
  const hhi = back.map((one) => operatorHhi(operators, one)).find((one) => one !== null) ?? null;
  return mean([
    [D.voting_weight, autocracy === null ? null : 1 - autocracy],
    [D.operators_weight, hhi === null ? null : 1 - hhi],
  ]);
}

export interface Token {
  readonly observed_at: number;
  readonly top10_share: number | null;
  readonly yield_usd: number | null;
  readonly emissions_usd: number | null;
}

export function tokenomicsOf(tokens: readonly Token[], day: number): number | null {
  const recent = tokens.filter(
    ({ observed_at }) => observed_at < day + DAY && observed_at >= day - (T.token_days - 1) * DAY,
  );
  const holders = latest(recent.filter(({ top10_share }) => top10_share !== null))?.top10_share ?? null;
  const paid = latest(
    recent.filter(({ yield_usd, emissions_usd }) => (yield_usd ?? 0) > 0 && emissions_usd !== null),
  );
  const share = paid === undefined ? null : Math.min(1, (paid.emissions_usd ?? 0) / (paid.yield_usd ?? 1));
  return mean([
    [T.holders_weight, holders === null ? null : 1 - holders],
    [T.emissions_weight, share === null ? null : 1 - share],
  ]);
}
