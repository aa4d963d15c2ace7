// Every constant of the overall score and of its six components (decisions 1, 2). The formulas that are published beside the numbers
// are written from these.
import { Strict, Type } from './define.ts';

export const OVERALL_COMPONENTS = [
  'liquidity',
  'security',
  'decentralization',
  'tokenomics',
  'development',
  'social',
] as const;
export type OverallComponent = (typeof OVERALL_COMPONENTS)[number];

export const OVERALL_SEVERITIES = ['low', 'medium', 'high', 'critical'] as const;
type Penalties = { readonly [severity in (typeof OVERALL_SEVERITIES)[number]]: number };

export interface OverallPolicy {
  /** Weight of each component, whole basis points of 1; together 1. */
  readonly weights: { readonly [component in OverallComponent]: number };
  /** Fewest components of a record, and least weight that the known ones have together. */
  readonly min_components: number;
  readonly min_weight: number;
  readonly liquidity: {
    /** Exit depth that scores 0 and exit depth that scores 1; logarithmic between them. */
    readonly depth_floor_usd: number;
    readonly depth_full_usd: number;
    /** Up to here utilization takes nothing; at 1 it takes all. */
    readonly optimal_utilization: number;
    readonly depth_weight: number;
    readonly utilization_weight: number;
    /** A pool that is not seen on a day counts as it was seen at most so many days before. */
    readonly carry_days: number;
  };
  readonly security: {
    readonly full_age_days: number;
    readonly full_audits: number;
    /** Audits older than this no longer count. */
    readonly audit_days: number;
    /** A registry that nobody has reviewed for this long says nothing. */
    readonly review_days: number;
    readonly incident_half_life_days: number;
    readonly age_weight: number;
    readonly audits_weight: number;
    readonly incidents_weight: number;
    readonly flags_weight: number;
    readonly incident_penalties: Penalties;
    readonly flag_penalties: Penalties;
  };
  readonly decentralization: {
    readonly voting_weight: number;
    readonly operators_weight: number;
    /** A set of operators that was seen longer ago is not known any more. */
    readonly operator_days: number;
  };
  readonly tokenomics: {
    readonly holders_weight: number;
    readonly emissions_weight: number;
    /** Token figures that are older are not known any more. */
    readonly token_days: number;
  };
  readonly social: {
    /** With so many messages a day the score is half way from .5 to what the sentiment says. */
    readonly damping_messages: number;
  };
}

export const DEFAULT_OVERALL_POLICY: OverallPolicy = Object.freeze({
  weights: {
    liquidity: 0.25,
    security: 0.25,
    decentralization: 0.15,
    tokenomics: 0.15,
    development: 0.12,
    social: 0.08,
  },
  min_components: 4,
  min_weight: 0.7,
  liquidity: {
    depth_floor_usd: 100_000,
    depth_full_usd: 100_000_000,
    optimal_utilization: 0.8,
    depth_weight: 0.6,
    utilization_weight: 0.4,
    carry_days: 1,
  },
  security: {
    full_age_days: 1_095,
    full_audits: 4,
    audit_days: 1_095,
    review_days: 365,
    incident_half_life_days: 365,
    age_weight: 0.3,
    audits_weight: 0.3,
    incidents_weight: 0.25,
    flags_weight: 0.15,
    incident_penalties: { low: 0.05, medium: 0.15, high: 0.35, critical: 0.6 },
    flag_penalties: { low: 0.05, medium: 0.15, high: 0.35, critical: 0.6 },
  },
  decentralization: { voting_weight: 0.6, operators_weight: 0.4, operator_days: 30 },
  tokenomics: { holders_weight: 0.5, emissions_weight: 0.5, token_days: 7 },
  social: { damping_messages: 50 },
});

const Opt = Type.Optional;
const Share = Opt(Type.Number({ minimum: 0, maximum: 1, description: 'a share, 0 to 1' }));
const days = (maximum: number) =>
  Opt(Type.Integer({ minimum: 1, maximum, description: `whole days, 1 to ${maximum}` }));
const Usd = Opt(Type.Number({ minimum: 1, maximum: 1e15, description: 'USD from 1' }));
const PenaltySection = Opt(Strict(Object.fromEntries(OVERALL_SEVERITIES.map((name) => [name, Share]))));

export const OverallSection = Strict({
  weights: Opt(Strict(Object.fromEntries(OVERALL_COMPONENTS.map((name) => [name, Share])))),
  min_components: Opt(Type.Integer({ minimum: 1, maximum: 6, description: 'a count, 1 to 6' })),
  min_weight: Share,
  liquidity: Opt(
    Strict({
      depth_floor_usd: Usd,
      depth_full_usd: Usd,
      optimal_utilization: Opt(Type.Number({ minimum: 0, maximum: 0.99, description: 'a share, 0 to .99' })),
      depth_weight: Share,
      utilization_weight: Share,
      carry_days: Opt(Type.Integer({ minimum: 0, maximum: 7, description: 'whole days, 0 to 7' })),
    }),
  ),
  security: Opt(
    Strict({
      full_age_days: days(36_500),
      full_audits: Opt(Type.Integer({ minimum: 1, maximum: 1_000, description: 'a count from 1' })),
      audit_days: days(36_500),
      review_days: days(36_500),
      incident_half_life_days: days(36_500),
      age_weight: Share,
      audits_weight: Share,
      incidents_weight: Share,
      flags_weight: Share,
      incident_penalties: PenaltySection,
      flag_penalties: PenaltySection,
    }),
  ),
  decentralization: Opt(Strict({ voting_weight: Share, operators_weight: Share, operator_days: days(90) })),
  tokenomics: Opt(Strict({ holders_weight: Share, emissions_weight: Share, token_days: days(30) })),
  social: Opt(
    Strict({
      damping_messages: Opt(Type.Number({ minimum: 0, maximum: 1e6, description: 'messages, 0 to 1000000' })),
    }),
  ),
});

type Wrong = readonly [where: string, given: string, expected: string];

/** What is wrong with values that are right one by one: where, what they are, what they should be. */
export function wrongOverall(policy: OverallPolicy): readonly Wrong[] {
  return [...wrongWeights(policy), ...wrongParts(policy)];
}

/** Sums of weights are exact because every weight is a whole number of basis points. */
function wrongWeights({ weights, min_weight }: OverallPolicy): readonly Wrong[] {
  const total = Object.values(weights).reduce((sum, weight) => sum + basisPoints(weight), 0);
  const uneven = Object.entries({ ...weights, min_weight }).filter(
    ([, weight]) => Math.abs(weight * 10_000 - basisPoints(weight)) > 1e-6,
  );
  return [
    ...uneven.map(([name, weight]): Wrong => ['.overall', `${name} ${weight}`, 'at most four decimals']),
    ...(total === 10_000
      ? []
      : [['.overall.weights', `together ${total / 10_000}`, 'weights that are 1 together'] satisfies Wrong]),
  ];
}

/** Parts that may be the only known one of their component need a weight. */
function wrongParts({ liquidity, security, decentralization, tokenomics }: OverallPolicy): readonly Wrong[] {
  const { depth_floor_usd: floor, depth_full_usd: full } = liquidity;
  const { age_weight, audits_weight, incidents_weight, flags_weight } = security;
  const least = [
    ['liquidity', liquidity.depth_weight],
    ['security', age_weight + audits_weight + incidents_weight + flags_weight],
    ['decentralization', Math.min(decentralization.voting_weight, decentralization.operators_weight)],
    ['tokenomics', Math.min(tokenomics.holders_weight, tokenomics.emissions_weight)],
  ] as const;
  const weightless = least.filter(([, weight]) => weight === 0);
  const depth: Wrong = [
    '.overall.liquidity',
    `depth_floor_usd ${floor}, depth_full_usd ${full}`,
    'the floor below the full depth',
  ];
  return [
    ...(floor < full ? [] : [depth]),
    ...weightless.map(
      ([name]): Wrong => [`.overall.${name}`, 'no weight', 'a weight above 0 for a part that may be alone'],
    ),
  ];
}

/** A weight in whole basis points of 1. */
export const basisPoints = (weight: number): number => Math.round(weight * 10_000);
