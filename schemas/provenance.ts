// Where a number comes from and how far it can be trusted: sources, confidence, quality gate, freshness (2.14, decisions 14 and 41).
import { IsoTime, Nullable, type Static, Strict, Type } from './define.ts';

export const SOURCE_KINDS = ['onchain', 'subgraph', 'api', 'file', 'derived', 'simulated'] as const;

export const SourceSchema = Strict({
  id: Type.String({ description: 'Id of the source in this service' }),
  kind: Type.Enum([...SOURCE_KINDS]),
  name: Type.String(),
  url: Nullable(Type.String()),
  chain: Nullable(Type.String()),
  block_number: Nullable(Type.Integer()),
  observed_at: Nullable(IsoTime('Newest row of the source')),
  fetched_at: Nullable(IsoTime('Time at which the service last read the source')),
  content_hash: Nullable(
    Type.String({
      description:
        'sha256, hex, of the file or batch read; for several, of their sorted sha256, one per line',
    }),
  ),
  files: Type.Optional(
    Type.Integer({ minimum: 0, description: 'Files or batches that content_hash covers' }),
  ),
  license: Nullable(Type.String({ description: 'SPDX id, or the words of the source' })),
  attribution: Type.Optional(Type.String({ description: 'Attribution required wherever the data is shown' })),
  terms_url: Type.Optional(Type.String({ description: 'Terms of the source' })),
  redistributable: Type.Optional(
    Type.Boolean({
      description: 'Whether the source’s terms allow the rows to be passed on; absent if unknown',
    }),
  ),
});
export type Source = Static<typeof SourceSchema>;

export const isSimulated = ({ kind }: Pick<Source, 'kind'>): boolean => kind === 'simulated';

export const ConfidenceSchema = Strict({
  score: Type.Number({ minimum: 0, maximum: 1 }),
  level: Type.Enum(['high', 'medium', 'low']),
  inputs_used: Type.Integer({ minimum: 0 }),
  inputs_expected: Type.Integer({ minimum: 0 }),
  reasons: Type.Array(Type.String()),
});
export type Confidence = Static<typeof ConfidenceSchema>;

/** Reason given in the confidence of a dataset without any configured source. */
export const NO_SOURCE = 'no source is configured';

/** Whether no source is configured for a dataset: it has no data that could be right or wrong, fresh or stale. */
export const isUnsourced = ({ confidence }: { readonly confidence: Pick<Confidence, 'reasons'> }): boolean =>
  confidence.reasons.includes(NO_SOURCE);

export const QualityGateSchema = Strict({
  verdict: Type.Enum(['pass', 'warn', 'fail', 'not_evaluated']),
  checks: Type.Array(
    Strict({
      name: Type.String(),
      verdict: Type.Enum(['pass', 'warn', 'fail', 'not_evaluated']),
      detail: Nullable(Type.String()),
    }),
  ),
  evaluated_at: Nullable(IsoTime('Time at which the checks ran')),
  policy_version: Type.String(),
});
export type QualityGate = Static<typeof QualityGateSchema>;

export const FRESHNESS_STATUSES = ['fresh', 'aging', 'stale', 'unknown'] as const;

export const FreshnessSchema = Strict({
  age_seconds: Nullable(Type.Integer({ minimum: 0, description: 'Age of the snapshot in seconds' })),
  status: Type.Enum([...FRESHNESS_STATUSES]),
  update_cadence_seconds: Type.Integer({ minimum: 1 }),
  next_update_at: Nullable(IsoTime('Time at which the next refresh is due')),
  computed_at: Nullable(IsoTime('Time at which the data was computed')),
});
export type Freshness = Static<typeof FreshnessSchema>;

const FRESH_SLACK = 1.1;
const AGING_FACTOR = 2;

/** The status of data of this age that is updated once per `cadenceSeconds`. */
export function freshnessStatus(ageSeconds: number, cadenceSeconds: number): Freshness['status'] {
  if (ageSeconds <= cadenceSeconds * FRESH_SLACK) return 'fresh';
  return ageSeconds <= cadenceSeconds * AGING_FACTOR ? 'aging' : 'stale';
}
