// The data manifest: counts over all covered items, and one coverage row per item (2.12, 2.13).
import { IsoTime, Nullable, Strict, Type } from './define.ts';
import { number, type SeriesDefinition } from './series.ts';

export const COVERAGE_SCOPES = ['oracle_feed', 'lending_market', 'lending_vault', 'protocol'] as const;
export const GAP_KINDS = ['missing_metadata', 'missing_history', 'stale', 'unverifiable'] as const;

export const CoverageRowSchema = Strict({
  chain: Type.String({ description: 'Chain name' }),
  scope: Type.Enum([...COVERAGE_SCOPES]),
  scope_id: Type.String({ description: 'Id of the scoped item: a feed address, a vault address' }),
  label: Type.String({ description: 'Human-readable label, for example a trading pair' }),
  classified: Type.Boolean({ description: 'Whether it has a classification' }),
  has_metadata: Type.Boolean({ description: 'Whether it is in its registry' }),
  history_completeness_pct: Nullable(
    Type.Number({
      minimum: 0,
      maximum: 100,
      description:
        'Rows present over rows expected, percent, at most 100; of a feed, at most 100 less the share of time in holes beyond the heartbeat. Null if rows exist but the expected number is unknown. Any value below 100 has a gap',
    }),
  ),
  last_update_at: Nullable(IsoTime('Time at which the underlying data last changed')),
  gaps: Type.Array(
    Strict({
      kind: Type.Enum([...GAP_KINDS]),
      from: Type.Optional(IsoTime('Last answer before a gap in the history')),
      to: Type.Optional(IsoTime('First answer after that gap')),
    }),
    {
      description:
        'What is missing; holes in a history are listed individually, up to the twenty longest, with their bounds',
    },
  ),
});

const Count = (description: string) => Type.Integer({ minimum: 0, description });

const counts = {
  markets: Strict({
    total: Count('All markets'),
    classified: Count('Markets with a classification'),
    fresh: Count('Markets with verdict fresh'),
    stale: Count('Markets with verdict stale'),
    unverifiable: Count('Markets whose freshness cannot be modelled, unclassified ones included'),
    unknown: Count('Classified markets without a staleness verdict yet'),
  }),
  feeds: Strict({
    total: Count('Oracle feeds'),
    with_metadata: Count('Feeds with metadata'),
    with_history: Count('Feeds with time-series rows'),
    complete: Count('Feeds with complete history: a completeness of 100, and not stale'),
  }),
  vaults: Strict({
    total: Count('Vaults'),
    governance_indexed: Count('Vaults whose governance events are indexed'),
  }),
};

/** The published part of the manifest; the response adds `generated_at`. */
export const ManifestCountsSchema = Strict({
  ...counts,
  protocols: Type.Record(
    Type.String(),
    Strict({ markets: Count('Markets of the protocol'), vaults: Count('Vaults of the protocol') }),
    { description: 'Keyed by protocol' },
  ),
});

export const ManifestSummarySchema = Strict({
  generated_at: IsoTime('Time at which the snapshot was published'),
  ...ManifestCountsSchema.properties,
});

/** `all`: every scope together. */
export const FIGURE_SCOPES = ['all', ...COVERAGE_SCOPES] as const;

export const CoverageFiguresSchema = Strict({
  scope: Type.Enum([...FIGURE_SCOPES]),
  items: Count('Items that the service promises data about'),
  complete: Count('Items with a completeness of 100 that are not stale'),
  mean_completeness: Nullable(
    Type.Number({
      minimum: 0,
      maximum: 100,
      description: 'Mean completeness of the items for which it is known, percent',
    }),
  ),
  unknown: Count('Items whose completeness cannot be computed'),
  missing_metadata: Count('Items in no registry'),
  missing_history: Count('Items that lack rows'),
  stale: Count('Items without a recent update'),
  unverifiable: Count('Items whose freshness cannot be judged'),
});

export const COVERAGE_SERIES: SeriesDefinition = {
  dataset: 'coverage-history',
  grain: 'daily',
  columns: {
    items: number(null, 'Items that the service promises data about'),
    complete: number(null, 'Items with a completeness of 100 that are not stale'),
    mean_completeness: number('percent', 'Mean completeness of the items for which it is known'),
    unknown: number(null, 'Items whose completeness cannot be computed'),
    missing_metadata: number(null, 'Items in no registry'),
    missing_history: number(null, 'Items that lack rows'),
    stale: number(null, 'Items without a recent update'),
    unverifiable: number(null, 'Items whose freshness cannot be judged'),
  },
};
