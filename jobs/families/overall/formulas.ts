// The formulas of the overall score and its components as text, with the constants in force.
import type { OverallPolicy } from './policy-schema.ts';

type OverallComponent = keyof OverallPolicy['weights'];
export const SEVERITIES = ['low', 'medium', 'high', 'critical'] as const;

export const overallFormula = ({ min_components, min_weight }: OverallPolicy): string =>
  `sum(weight × score) / sum(weight) over the components with a score, 4 decimals; no record below ${min_components} components or a weight of ${min_weight}`;

const NORMALIZED_HHI = 'normalized HHI = (sum(share²) − 1/n) / (1 − 1/n), 1 for n = 1';

export const FORMULAS: { readonly [component in OverallComponent]: (policy: OverallPolicy) => string } = {
  liquidity: ({ liquidity: p }) =>
    `(${p.depth_weight} × depth + ${p.utilization_weight} × headroom) / (${p.depth_weight} + ${p.utilization_weight}); depth = ln(depth_usd / ${p.depth_floor_usd}) / ln(${p.depth_full_usd} / ${p.depth_floor_usd}), 0 to 1; headroom = mean over lending pools, by TVL, of (1 − utilization) / (1 − ${p.optimal_utilization}), 0 to 1; depth alone where no pool lends`,
  security: ({ security: p }) =>
    `(${p.age_weight} × age + ${p.audits_weight} × audits + ${p.incidents_weight} × (1 − incident_penalty) + ${p.flags_weight} × (1 − flag_penalty)) / ${round(p.age_weight + p.audits_weight + p.incidents_weight + p.flags_weight)}; age = age_days / ${p.full_age_days}; audits = reports of the last ${p.audit_days} days / ${p.full_audits}; incident_penalty = sum of ${penalties(p.incident_penalties)}, each halved every ${p.incident_half_life_days} days; flag_penalty = sum of ${penalties(p.flag_penalties)} over open parameter flags; each part 0 to 1`,
  decentralization: ({ decentralization: p }) =>
    `(${p.voting_weight} × (1 − voting_hhi) + ${p.operators_weight} × (1 − operator_hhi)) / (${p.voting_weight} + ${p.operators_weight}), a part that is not known left out; ${NORMALIZED_HHI}`,
  tokenomics: ({ tokenomics: p }) =>
    `(${p.holders_weight} × (1 − top10_share) + ${p.emissions_weight} × (1 − emissions_usd / yield_usd)) / (${p.holders_weight} + ${p.emissions_weight}), a part that is not known left out`,
  development: () => 'development score of the protocol on the day',
  social: ({ social: p }) =>
    `0.5 + ((sentiment + 1) / 2 − 0.5) × messages / (messages + ${p.damping_messages}); sentiment = mean over the messages of the day on all channels, −1 to 1`,
};

const penalties = (list: { readonly [severity: string]: number }): string =>
  SEVERITIES.map((severity) => `${severity} ${list[severity]}`).join(', ');

const round = (sum: number): number => Math.round(sum * 1e6) / 1e6;
