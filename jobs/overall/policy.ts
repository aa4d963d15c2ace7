// The overall policy as tables: constants, penalties, and the components with their weights and the formulas that are published beside
// the numbers, written from the constants in force.
import {
  basisPoints,
  OVERALL_COMPONENTS,
  OVERALL_SEVERITIES,
  type OverallComponent,
  type OverallPolicy,
} from '../../schemas/overall-policy.ts';
import { definePolicyTable } from '../define.ts';

const DAY_SECONDS = 86_400;
const double = (name: string) => ({ name, type: 'DOUBLE' }) as const;
const bigint = (name: string) => ({ name, type: 'BIGINT' }) as const;
const text = (name: string) => ({ name, type: 'VARCHAR' }) as const;

export const overallPolicy = definePolicyTable({
  name: 'overall_policy',
  columns: [
    ...['depth_floor_usd', 'depth_full_usd', 'optimal_utilization', 'depth_weight'].map(double),
    ...['utilization_weight', 'full_age_days', 'full_audits', 'incident_half_life_days'].map(double),
    ...['age_weight', 'audits_weight', 'incidents_weight', 'flags_weight'].map(double),
    ...['voting_weight', 'operators_weight', 'holders_weight', 'emissions_weight'].map(double),
    double('damping_messages'),
    ...['carry_s', 'audit_s', 'review_s', 'operator_s', 'token_s'].map(bigint),
    ...['min_components', 'min_weight_bps'].map(bigint),
    ...['formula', 'methodology_version', 'policy_version'].map(text),
  ],
  rows: ({ overall: policy, methodology_version, policy_version }) => {
    const { liquidity, security, decentralization, tokenomics, social } = policy;
    const seconds = [
      liquidity.carry_days,
      security.audit_days,
      security.review_days,
      decentralization.operator_days,
      tokenomics.token_days,
    ].map((days) => days * DAY_SECONDS);
    return [
      [
        ...[liquidity.depth_floor_usd, liquidity.depth_full_usd, liquidity.optimal_utilization],
        ...[liquidity.depth_weight, liquidity.utilization_weight, security.full_age_days],
        ...[security.full_audits, security.incident_half_life_days, security.age_weight],
        ...[security.audits_weight, security.incidents_weight, security.flags_weight],
        ...[decentralization.voting_weight, decentralization.operators_weight],
        ...[tokenomics.holders_weight, tokenomics.emissions_weight, social.damping_messages],
        ...seconds,
        ...[policy.min_components, basisPoints(policy.min_weight), overallFormula(policy)],
        ...[methodology_version, policy_version],
      ],
    ];
  },
});

export const overallPenaltyPolicy = definePolicyTable({
  name: 'overall_penalty_policy',
  columns: [text('fact'), text('severity'), double('penalty')],
  rows: ({ overall: { security } }) =>
    OVERALL_SEVERITIES.flatMap((severity) => [
      ['incident', severity, security.incident_penalties[severity]],
      ['parameter_flag', severity, security.flag_penalties[severity]],
    ]),
});

export const overallComponentPolicy = definePolicyTable({
  name: 'overall_component_policy',
  columns: [text('component'), bigint('place'), bigint('weight_bps'), text('formula')],
  rows: ({ overall }) =>
    OVERALL_COMPONENTS.map((component, place) => [
      component,
      place + 1,
      basisPoints(overall.weights[component]),
      FORMULAS[component](overall),
    ]),
});

const overallFormula = ({ min_components, min_weight }: OverallPolicy): string =>
  `sum(weight × score) / sum(weight) over the components with a score, 4 decimals; no record below ${min_components} components or a weight of ${min_weight}`;

const NORMALIZED_HHI = 'normalized HHI = (sum(share²) − 1/n) / (1 − 1/n), 1 for n = 1';

const FORMULAS: { readonly [component in OverallComponent]: (policy: OverallPolicy) => string } = {
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
  OVERALL_SEVERITIES.map((severity) => `${severity} ${list[severity]}`).join(', ');

const round = (sum: number): number => Math.round(sum * 1e6) / 1e6;
