// Published datasets: the list of them, and one of them as a table in JSON.
import { IsoTime, Nullable, PartialDay, Strict, Type, Ulid } from './define.ts';
import { PLANS, type PlanName, SCOPES } from './plans.ts';
import { ConfidenceSchema, FreshnessSchema, QualityGateSchema, SourceSchema } from './provenance.ts';

const Sha256 = (description: string) => Type.String({ description, pattern: '^[0-9a-f]{64}$' });
const Count = (description: string) => Type.Integer({ minimum: 0, description });

export const DatasetSchema = Strict({
  id: Type.String(),
  title: Nullable(Type.String({ description: 'Title; null in versions without titles' })),
  version: Ulid('Version that contains it'),
  as_of: IsoTime('Logical time of the datasets in the version'),
  documents: Count('Number of documents, as the endpoints serve them'),
  rows: Nullable(Count('Number of rows, the same in every form; null in versions that did not count them')),
  partial_day: PartialDay,
  sha256: Sha256('SHA-256 of the published documents, which changes only when they do'),
  freshness: FreshnessSchema,
  confidence: ConfidenceSchema,
  quality_gate: QualityGateSchema,
  sources: Type.Array(SourceSchema, { description: 'Sources of the data, each with its licence' }),
  required_plan: Nullable(
    Type.Enum(Object.keys(PLANS) as PlanName[], {
      description: 'Lowest plan that may read the rows; null if they are open',
    }),
  ),
  required_scopes: Type.Array(Type.Enum([...SCOPES]), {
    description: 'Scopes that a key needs to read the rows',
  }),
  forms: Type.Array(
    Strict({
      form: Type.Enum(['json', 'ndjson', 'csv', 'parquet', 'arrow']),
      media_type: Type.String(),
      path: Type.String(),
    }),
  ),
  schema: Nullable(
    Type.Record(Type.String(), Type.Unknown(), {
      description: 'JSON Schema of a row; descriptions state units',
    }),
  ),
});

/** Any row; the `schema` of its dataset describes it. */
export const DatasetRowSchema = Type.Record(Type.String(), Type.Unknown());

export const DatasetMetaSchema = Strict({
  dataset: Type.String(),
  version: Ulid('Version that contains it'),
  as_of: IsoTime('Logical time of the datasets in the version'),
  computed_at: IsoTime('Logical time the data was computed for'),
  rows: Nullable(Count('Rows')),
  partial_day: PartialDay,
  confidence: ConfidenceSchema,
  quality_gate: QualityGateSchema,
  sources: Type.Array(SourceSchema),
});
