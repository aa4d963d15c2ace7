// The request of a portfolio analysis (4.23, decision 56).
import { type Static, Strict, Type } from './define.ts';
import { Seed, SnapshotVersion } from './run-request.ts';
import { PORTFOLIO } from './values.ts';

const Id = (description: string) => Type.String({ description, minLength: 1, maxLength: 300 });
const Share = (description: string) => Type.Number({ minimum: 0, maximum: 1, description });

const PositionRequestSchema = Strict({
  opportunity_id: Type.Optional(Id('Id of a yield opportunity; instead of chain, venue and asset')),
  chain: Type.Optional(Id('Chain of the opportunity')),
  venue: Type.Optional(Id('Venue of the opportunity')),
  asset: Type.Optional(Id('Asset of the opportunity; with chain and venue it must name exactly one')),
  amount_usd: Type.Number({
    exclusiveMinimum: 0,
    maximum: PORTFOLIO.max_amount_usd,
    description: 'Size of the position, USD',
  }),
});
export type PositionRequest = Static<typeof PositionRequestSchema>;

const BetaSchema = Strict({
  to: Id('Symbol whose published returns are used'),
  beta: Type.Number({
    minimum: -10,
    maximum: 10,
    description: 'Return of the asset for a return of 1 of that symbol',
  }),
});

export const PortfolioAssumptionsSchema = Strict(
  {
    venue_annual_pd: Type.Optional(
      Type.Record(Id('Venue'), Share('Probability that a deposit there is lost within a year'), {
        maxProperties: 100,
        description: 'By venue; without one there is no expected loss',
      }),
    ),
    asset_beta: Type.Optional(
      Type.Record(
        Id('Symbol'),
        Type.Union([Type.Number({ minimum: -10, maximum: 10, description: 'Beta to ETH' }), BetaSchema]),
        {
          maxProperties: 100,
          description:
            'By symbol; used instead of the asset’s own returns, for example for an asset without a feed',
        },
      ),
    ),
  },
  'Assumptions of the caller; every number that depends on one is marked `assumed`',
);
export type PortfolioAssumptions = Static<typeof PortfolioAssumptionsSchema>;

const Confidence = Type.Number({
  minimum: PORTFOLIO.confidence.min,
  maximum: PORTFOLIO.confidence.max,
  description: `Confidence of value at risk and expected shortfall; default ${PORTFOLIO.confidence.default}`,
});
const HorizonDays = Type.Integer({
  minimum: 1,
  maximum: PORTFOLIO.horizon_days.max,
  description: `Horizon, days; default ${PORTFOLIO.horizon_days.default}`,
});
const Paths = Type.Integer({
  minimum: PORTFOLIO.paths.min,
  maximum: PORTFOLIO.paths.max,
  description: `Simulated paths; default ${PORTFOLIO.paths.default}, or as many as a long horizon allows: times \`horizon_days\` at most ${PORTFOLIO.max_path_days}`,
});
export const PortfolioRequestSchema = Strict({
  positions: Type.Array(PositionRequestSchema, { minItems: 1, maxItems: PORTFOLIO.max_positions }),
  horizon_days: Type.Optional(HorizonDays),
  confidence: Type.Optional(Confidence),
  paths: Type.Optional(Paths),
  seed: Type.Optional(Seed),
  assumptions: Type.Optional(PortfolioAssumptionsSchema),
  snapshot_version: Type.Optional(SnapshotVersion),
});
export type PortfolioRequest = Static<typeof PortfolioRequestSchema>;
