// The envelopes of responses: version 2 (`data, meta, error`), legacy (`status, data`), and `meta._agentic` (Part 9, 2.14, decision 41).
import { Nullable, PartialDay, Strict, type TSchema, Type } from './define.ts';
import { ConfidenceSchema, FreshnessSchema, QualityGateSchema, SourceSchema } from './provenance.ts';

/** Version of the version-2 envelope; its major number is the same as in the path (9.4). */
export const SCHEMA_VERSION = '2.0.0';

export const AgenticSchema = Strict({
  schema_version: Type.String(),
  freshness: FreshnessSchema,
  confidence: ConfidenceSchema,
  sources: Type.Array(SourceSchema),
  quality_gate: QualityGateSchema,
});

/** `{data, meta, error: null}` with `meta._agentic`. `more`: other members of `meta`. */
export const V2Document = <T extends TSchema>(data: T, more: Readonly<Record<string, TSchema>> = {}) =>
  Strict({ data, meta: Strict({ ...more, _agentic: AgenticSchema }), error: Type.Null() });

/** The version-2 envelope for daily records. */
export const V2DailyDocument = <T extends TSchema>(data: T) =>
  Strict({ data, meta: Strict({ partial_day: PartialDay, _agentic: AgenticSchema }), error: Type.Null() });

const total = Type.Integer({ minimum: 0, description: 'Rows that pass the filters' });

/** A whole version-2 list, with `meta._agentic`. `more`: other members of `meta`. */
export const V2List = <T extends TSchema>(row: T, more: Readonly<Record<string, TSchema>> = {}) =>
  Strict({
    data: Type.Array(row),
    meta: Strict({ total, ...more, _agentic: AgenticSchema }),
    error: Type.Null(),
  });

/** A whole version-2 list of daily records. */
export const V2DailyList = <T extends TSchema>(row: T) =>
  Strict({
    data: Type.Array(row),
    meta: Strict({ total, partial_day: PartialDay, _agentic: AgenticSchema }),
    error: Type.Null(),
  });

const filterValues = (description: string) =>
  Type.Optional(Type.Array(Strict({ parameter: Type.String(), value: Type.String() }), { description }));

/** Values of filters that nothing has, so that a mistyped one does not look like a quiet list. */
export const unmatchedSchema = filterValues(
  'Values of filters that no row has, whatever the other filters select; absent if there are none. It may be mistyped, or a subject that the version does not have',
);

/** Values of filters of which nothing is known, so that silence is not taken for agreement. */
export const uncheckedSchema = filterValues(
  'Values of filters that could not be looked up, because published data or the event log cannot be read now; absent if there are none. Each may be right or mistyped',
);

/** A page of a version-2 list, with `meta._agentic`. `more`: other members of `meta`. */
export const V2Page = <T extends TSchema>(row: T, more: Readonly<Record<string, TSchema>> = {}) =>
  Strict({
    data: Type.Array(row),
    meta: Strict({
      total: Type.Integer({ minimum: 0, description: 'Rows that pass the filters, over all pages' }),
      has_more: Type.Boolean(),
      cursor: Nullable(
        Type.String({ description: 'Pass as `cursor` to get the next page; null on the last one' }),
      ),
      ...more,
      _agentic: AgenticSchema,
    }),
    error: Type.Null(),
  });

/** `{data: […]}`, the legacy envelope of the restaking endpoints (4.13-4.15) */
export const LegacyData = <T extends TSchema>(row: T) => Strict({ data: Type.Array(row) });

/** `{status: true, data: […]}` */
export const LegacyList = <T extends TSchema>(row: T) =>
  Strict({ status: Type.Literal(true), data: Type.Array(row) });
