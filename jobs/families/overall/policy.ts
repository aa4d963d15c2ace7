// The policy of the overall score (decisions 1, 2) and its tables: constants, penalties, and the components with their formulas, which are
// generated from the constants in force and published with the numbers.
import { OVERALL_COMPONENTS } from '../../../schemas/overall.ts';
import { type Contradiction, definePolicy, oneRow } from '../../define/policy/define.ts';
import { type OverallPolicy, overallSchema } from './policy-schema.ts';

/** Contradictions between constants of the overall score that are each within their limits. */
function overallContradictions(policy: OverallPolicy): readonly Contradiction[] {
  return [...wrongWeights(policy), ...wrongParts(policy)];
}

/** Sums of weights are exact because every weight is a whole number of basis points. */
function wrongWeights({ weights, min_weight }: OverallPolicy): readonly Contradiction[] {
  const total = Object.values(weights).reduce((sum, weight) => sum + basisPoints(weight), 0);
  const uneven = Object.entries({ ...weights, min_weight }).filter(
    ([, weight]) => Math.abs(weight * 10_000 - basisPoints(weight)) > 1e-6,
  );
  return [
    ...uneven.map(([name, weight]): Contradiction => ['', `${name} ${weight}`, 'at most four decimals']),
    ...(total === 10_000
      ? []
      : [['.weights', `together ${total / 10_000}`, 'weights that add up to 1'] satisfies Contradiction]),
  ];
}

/** Parts that may be the only known part of their component need a positive weight. */
function wrongParts({
  liquidity,
  security,
  decentralization,
  tokenomics,
}: OverallPolicy): readonly Contradiction[] {
  const { depth_floor_usd: floor, depth_full_usd: full } = liquidity;
  const { age_weight, audits_weight, incidents_weight, flags_weight } = security;
  const min = [
    ['liquidity', liquidity.depth_weight],
    ['security', age_weight + audits_weight + incidents_weight + flags_weight],
    ['decentralization', Math.min(decentralization.voting_weight, decentralization.operators_weight)],
    ['tokenomics', Math.min(tokenomics.holders_weight, tokenomics.emissions_weight)],
  ] as const;
  const weightless = min.filter(([, weight]) => weight === 0);
  const depth: Contradiction = [
    '.liquidity',
    `depth_floor_usd ${floor}, depth_full_usd ${full}`,
    'the floor below the full depth',
  ];
  return [
    ...(floor < full ? [] : [depth]),
    ...weightless.map(
      ([name]): Contradiction => [
        `.${name}`,
        'no weight',
        'a weight above 0 for a part that may be the only known one',
      ],
    ),
  ];
}

/** A weight in whole basis points of 1. */
const basisPoints = (weight: number): number => Math.round(weight * 10_000);

export const overallPolicy = definePolicy({
  section: 'overall',
  schema: overallSchema,
  contradictions: overallContradictions,
  tables: [
    oneRow('overall', overallSchema, {
      columns: {
        min_weight_bps: 'BIGINT',
        formula: 'VARCHAR',
        methodology_version: 'VARCHAR',
        policy_version: 'VARCHAR',
      },
      rows: (overall, { methodology_version, policy_version }) => [
        {
          min_weight_bps: basisPoints(overall.min_weight),
          formula: overallFormula(overall),
          methodology_version,
          policy_version,
        },
      ],
    }),
    {
      name: 'overall_penalty',
      columns: { fact: 'VARCHAR', severity: 'VARCHAR', penalty: 'DOUBLE' },
      rows: ({ security }) =>
        SEVERITIES.flatMap((severity) => [
          { fact: 'incident', severity, penalty: security.incident_penalties[severity] },
          { fact: 'parameter_flag', severity, penalty: security.flag_penalties[severity] },
        ]),
    },
    {
      name: 'overall_component',
      columns: { component: 'VARCHAR', place: 'BIGINT', weight_bps: 'BIGINT', formula: 'VARCHAR' },
      rows: (overall) =>
        OVERALL_COMPONENTS.map((component, index) => ({
          component,
          place: index + 1,
          weight_bps: basisPoints(overall.weights[component]),
          formula: FORMULAS[component](overall),
        })),
    },
  ],
});

type OverallComponent = keyof OverallPolicy['weights'];
const SEVERITIES = ['low', 'medium', 'high', 'critical'] as const;

const overallFormula = ({ min_components, min_weight }: OverallPolicy): string =>
  `sum(weight × score) / sum(weight) over the components with a score, 4 decimals; no record below ${min_components} components or a weight of ${min_weight}`;

const NORMALIZED_HHI = 'normalized HHI = (sum(share²) − 1/n) / (1 − 1/n), 1 for n = 1';

/** The formulas of the components as text, with the constants in force. */
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
  SEVERITIES.map((severity) => `${severity} ${list[severity]}`).join(', ');

const round = (sum: number): number => Math.round(sum * 1e6) / 1e6;
