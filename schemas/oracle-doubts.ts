// What the oracles behind a position make doubtful: a broken or unjudged assumption, a path that is not verified, debt that collateral does
// not cover, and interest that accrues on it. Dollars are an interval; both ends are null if they are not known, and a gap names why.
import { Nullable, type Static, Strict, Type } from './define.ts';

export const ORACLE_DOUBTS = {
  assumption_broken: 'something that the oracle assumes is not true now',
  assumption_unjudged: 'nothing can confirm or contradict something that the oracle assumes',
  path_wrong: 'a check of the oracle’s arithmetic failed',
  path_unverified: 'the price of the oracle does not follow from legs of known kinds',
  path_unknown: 'what the oracle is made of is not known',
  bad_debt: 'debt of the market is not covered by its collateral at the market price',
  bad_debt_unknown: 'whether the collateral covers the debt of the market is not known',
  phantom_interest: 'suppliers are credited interest on debt that is not covered',
} as const;
export type OracleDoubtReason = keyof typeof ORACLE_DOUBTS;

const Usd = (description: string) =>
  Nullable(Type.Number({ minimum: 0, description: `${description}, USD; null if unknown` }));

const figures = {
  loss_low_usd: Usd('What suppliers of uncovered debt would bear for the position, at least'),
  loss_high_usd: Usd('The same, at most'),
  phantom_interest_usd_day: Usd('Interest a day that the position is credited on debt that is not covered'),
  gaps: Type.Array(Type.String(), {
    description:
      'Why a figure is null: gaps of the market’s row in `oracle-paths`, or `oracle_paths_missing` (none are published, or their quality gate failed), `oracle_path_unknown` (none of this market), `supply_unknown`, `rate_unknown` (what borrowers pay), `lookthrough_incomplete` (a part of the position is in no known market)',
  }),
};

const OracleDoubtSchema = Strict({
  market: Type.String({ description: '`<chain>:<market_id>`' }),
  reasons: Type.Array(Type.Enum(Object.keys(ORACLE_DOUBTS) as OracleDoubtReason[]), {
    description: Object.entries(ORACLE_DOUBTS)
      .map(([name, meaning]) => `\`${name}\`: ${meaning}`)
      .join('; '),
  }),
  assumptions: Type.Array(Type.String(), { description: 'Ids of broken and unjudged assumptions' }),
  amount_usd: Type.Number({ minimum: 0, description: 'What the position has in the market, USD' }),
  ...figures,
});
export type OracleDoubt = Static<typeof OracleDoubtSchema>;

/** Of several positions together. */
export const OracleLossSchema = Strict(
  {
    ...figures,
    positions: Type.Integer({ minimum: 0, description: 'Positions with a doubt' }),
  },
  'What the oracles behind all lending positions make doubtful: sums of the positions; null if one of them is unknown',
);
export type OracleLoss = Static<typeof OracleLossSchema>;

export const OracleDoubtsSchema = Strict(
  {
    ...figures,
    markets: Type.Array(OracleDoubtSchema, {
      description: 'Markets behind the position whose oracle is doubtful, largest amount first',
    }),
  },
  'What the oracles behind a lending position make doubtful, now and without a shock',
);
export type OracleDoubts = Static<typeof OracleDoubtsSchema>;
