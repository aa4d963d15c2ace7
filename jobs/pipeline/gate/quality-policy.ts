// The policy of the quality gate. The maximum ages of raw tables are declared where the tables are defined (decision 41).
import { definePolicy, Strict, Type, type ValuesOf } from '../../define/policy/define.ts';
import type { RawTable } from '../../define/raw-table.ts';

const schemaFor = (maxAges: { readonly [table: string]: number }) =>
  Strict({
    bad_rows_min_sample: Type.Integer({
      minimum: 1,
      maximum: 1_000_000_000,
      default: 200,
      description:
        'Minimum rows of a batch for its bad rows to hold a subject back (decision 60); in a smaller batch they only warn',
    }),
    source_max_age_s: Type.Record(
      Type.String({ pattern: '^[a-z][a-z0-9_]{0,63}$' }),
      Type.Integer({ minimum: 1, maximum: 31_536_000, description: 'Maximum age, seconds' }),
      {
        default: maxAges,
        additionalProperties: false,
        expected: 'a map from raw tables to seconds',
        description:
          'Maximum age of the newest row by raw table, seconds; a table that is not listed is never stale',
      },
    ),
  });

export type QualityPolicy = ValuesOf<ReturnType<typeof schemaFor>>;

export function qualityPolicyOf(tables: readonly RawTable[]) {
  const maxAges = tables.flatMap(({ name, maxAgeSeconds }) =>
    maxAgeSeconds === null ? [] : [[name, maxAgeSeconds] as const],
  );
  return definePolicy({ section: 'quality', schema: schemaFor(Object.fromEntries(maxAges)) });
}
