// What is doubtful about a yield, in words: flags of an opportunity and warnings of its quality gate.

export interface YieldDoubts {
  readonly flags: readonly string[];
  readonly qualityGate: { readonly warnings: readonly string[] };
}

export const DOUBTS: Readonly<Record<string, string>> = {
  apy_implausible: 'Its APY is implausible, and in no mean or rank.',
  apy_missing: 'Its net APY is not known.',
  apy_spike: 'Its APY is at least three times its mean of 30 days.',
  asset_ambiguous:
    'Several coins with different backing share a symbol of its assets: the weakest is assumed.',
  asset_depegged: 'One of its assets is off its peg.',
  asset_price_doubtful: 'No feed of one of its assets is known to be fresh: a lost peg would go unnoticed.',
  asset_unknown: 'What backs one of its assets is not known.',
  available_above_tvl: 'Its source reports more as withdrawable than it holds.',
  category_missing: 'A factor of its risk has no score.',
  duplicate_listing: 'The same pool is listed under another venue too.',
  market_oracle_stale: 'A feed behind its lending market is stale.',
  market_oracle_unverifiable: 'A feed behind its lending market cannot be verified.',
  mean_from_source: 'Its mean of 30 days is the source’s own: too few days have been observed.',
  oracle_assumption_broken:
    'Something that an oracle behind its market or vault assumes is not true any more.',
  outlier: 'Its source marks its figures as an outlier.',
  reward_only: 'All of its APY is paid in rewards.',
  score_missing: 'Too little is known for a risk score.',
  stale: 'It was not observed lately: all figures may have changed since.',
  tvl_missing: 'Its value locked is not known.',
  uncovered_debt:
    'Its market or vault bears debt that the collateral does not cover, or may: no one pays interest on that.',
  uncovered_debt_unknown: 'Whether the debt of its market or vault is covered is not known.',
  yield_bearing_asset: 'One of its assets accrues yield itself and is meant to trade above its peg.',
  zero_tvl: 'Nothing is locked in it.',
};

/** Each once: most warnings are flags too. */
export const doubtsOf = ({ flags, qualityGate }: YieldDoubts): readonly string[] => [
  ...new Set([...flags, ...qualityGate.warnings]),
];
