// Contradictions between constants of the overall score that are each within their limits.
import type { Contradiction } from '../../define/policy/define.ts';
import type { OverallPolicy } from './policy-schema.ts';

export function overallContradictions(policy: OverallPolicy): readonly Contradiction[] {
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
export const basisPoints = (weight: number): number => Math.round(weight * 10_000);
