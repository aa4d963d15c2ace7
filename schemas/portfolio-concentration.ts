// The parts of a portfolio analysis about dependence: correlation of the assets, concentration, and what backs a position.
import { AnalyticsGapSchema } from './analytics.ts';
import { Nullable, type Static, Strict, Type } from './define.ts';
import { NODE_KINDS } from './exposure.ts';

const Text = (description: string) => Type.String({ description });
const Usd = (description: string) => Type.Number({ description: `${description}, USD` });
const Share = (description: string) => Type.Number({ minimum: 0, maximum: 1, description });
const Count = (description: string) => Type.Integer({ minimum: 0, description });
const Rho = (description: string) => Type.Number({ minimum: -1, maximum: 1, description });
const gaps = Type.Array(AnalyticsGapSchema, { description: 'What is missing' });

export const CorrelationSchema = Strict(
  {
    symbols: Type.Array(Type.String(), { description: 'Largest amount first, at most 20' }),
    matrix: Type.Array(Type.Array(Nullable(Rho('Correlation'))), {
      description: 'In the order of symbols; null below 720 common hours, or if a price has not moved',
    }),
    mean: Nullable(Rho('Mean over the known pairs')),
    pairs: Type.Array(
      Strict({
        symbols: Type.Array(Type.String(), { minItems: 2, maxItems: 2 }),
        hours: Count('Common hours'),
        correlation: Nullable(Rho('Correlation of hourly returns')),
        standard_error: Nullable(Type.Number({ minimum: 0, description: '(1 − ρ²) / √(n − 1)' })),
        lower_tail: Nullable(
          Share('Share of the worst 5 % of hours of the first that are among the worst 5 % of the second'),
        ),
        lower_tail_standard_error: Nullable(Type.Number({ minimum: 0, description: '√(p(1 − p) / hours)' })),
      }),
    ),
    gaps,
  },
  'Correlation of hourly returns over the last 90 days',
);
export type Correlation = Static<typeof CorrelationSchema>;

const PartsSchema = Strict({
  parts: Type.Array(
    Strict({ key: Text('Name'), amount_usd: Usd('Amount'), share: Share('Share of the portfolio') }),
    { description: 'Largest first; shares add up to 1 with unknown_share' },
  ),
  unknown_share: Share('Share for which it is unknown'),
  hhi: Nullable(
    Share(
      'Herfindahl–Hirschman index if the unknown share all belongs to the largest part; null if nothing is known',
    ),
  ),
  hhi_min: Nullable(Share('Herfindahl–Hirschman index if the unknown share is spread out')),
  effective_number: Nullable(Type.Number({ minimum: 1, description: '1 / hhi' })),
});
export type ConcentrationParts = Static<typeof PartsSchema>;

const BY = {
  by_venue: PartsSchema,
  by_chain: PartsSchema,
  by_asset: PartsSchema,
  by_issuer: PartsSchema,
  by_curator: PartsSchema,
  by_oracle: PartsSchema,
};

const LookThroughSchema = Strict(
  {
    ...BY,
    ends: PartsSchema,
    amplification: Type.Array(
      Strict({
        node: Text('Node of the exposure graph'),
        value: Nullable(
          Type.Number({
            minimum: 0,
            description:
              'How much of the node backs itself, summed over all walks around its cycles; null if nothing but its cycle backs it',
          }),
        ),
      }),
      { description: 'Nodes of cycles, largest first' },
    ),
    failures: Type.Array(
      Strict({
        node: Text('Node of the exposure graph'),
        kind: Nullable(Type.Enum([...NODE_KINDS])),
        name: Nullable(Text('Display name')),
        loss_usd: Usd('Loss of the portfolio'),
        share: Share('Loss as a share of the portfolio'),
      }),
      {
        description:
          'Loss of the portfolio if one node loses everything and its holders bear the loss; largest first',
      },
    ),
    gaps,
  },
  'Each dollar by the last venue, chain, asset, … on its path through vaults, markets and issuers, and by the node where it ends',
);

export const ConcentrationSchema = Strict({
  hhi: Share('Herfindahl–Hirschman index of the positions'),
  effective_number: Type.Number({ minimum: 1, description: '1 / hhi' }),
  ...BY,
  look_through: Nullable(LookThroughSchema),
  gaps,
});
export type PortfolioConcentration = Static<typeof ConcentrationSchema>;

export const ContagionPathSchema = Strict({
  amount_usd: Usd('Amount that takes this path'),
  share: Share('Share of the position'),
  nodes: Type.Array(
    Strict({
      node: Text('Node of the exposure graph'),
      kind: Type.Enum([...NODE_KINDS]),
      name: Nullable(Text('Display name')),
      amount_usd: Usd('Amount of the position that reaches the node on this path'),
    }),
  ),
});
export type PortfolioContagionPath = Static<typeof ContagionPathSchema>;
