// Reads a written file again before its receipt is: every landed row keeps the rules of its table, and every computed field is what the
// row's other fields give. A fault of the engine or of the disk then ends the landing, instead of every run that reads the rows later.

import { deliveredFields, type RawField, type RawTable } from '../../define/raw-table.ts';
import type { DuckDb } from '../../engine/duckdb/session.ts';
import { literal, quoted } from '../../engine/sql-text.ts';
import { type Check, characterChecks, limitChecks, reasonSql } from '../check/checks.ts';
import { amountPattern } from '../check/numbers.ts';
import { IngestError } from '../errors.ts';

/** Files with more rows are sampled evenly. */
const SAMPLE_ROWS = 20_000;

export type ReadBack = 'sample' | 'all';

export interface WrittenFile {
  readonly path: string;
  readonly rows: number;
}

/** @throws IngestError that names the first row that differs. */
export async function readBack(
  db: DuckDb,
  table: RawTable,
  { path, rows }: WrittenFile,
  extent: ReadBack,
): Promise<void> {
  const step = extent === 'all' ? 1 : Math.max(1, Math.ceil(rows / SAMPLE_ROWS));
  // A query of its own: next to the rules, the condition would be tested after them, for every row of the file.
  const sampled = step === 1 ? '' : ` where file_row_number % ${step} = 0`;
  const from = `(select * from read_parquet(${literal(path)}, file_row_number = true)${sampled})`;
  const checks = landedChecks(table);
  // The reasons take longer to plan than the rules, and are needed only if one is broken.
  const isBroken = checks.map(({ when }) => `(${when})`).join(' or ') || 'false';
  if ((await db.rows(`select 1 as one from ${from} where ${isBroken} limit 1`)).length === 0) return;
  const [row] =
    await db.rows(`select count(*) as n, min(place) as place, arg_min(fault, place) as fault from (
    select file_row_number as place, ${reasonSql(checks)} as fault from ${from}) where fault is not null`);
  const broken = Number(row?.['n'] ?? 0);
  const what = `${broken} of the rows just written read back differently, the first is row ${Number(row?.['place']) + 1} (${String(row?.['fault'])})`;
  const todo = 'Nothing of the batch was kept. Run again; if it recurs, check memory and disk, and report it';
  throw new IngestError('damaged_landing', what, { file: path, todo });
}

/** The rules of landed rows, whatever source they came from. */
export function landedChecks(table: RawTable): readonly Check[] {
  const landed = new Set(table.fields.map(({ name }) => name));
  const dropped = deliveredFields(table).filter(({ name }) => !landed.has(name));
  return table.fields.flatMap((field) => [
    ...(field.required ? [fault(field, `${quoted(field.name)} is null`, 'missing')] : []),
    ...amountChecks(field),
    ...limitChecks(field),
    ...characterChecks(field),
    ...(isComputedAgain(table, field, dropped)
      ? [fault(field, differs(field), 'not what the other fields give')]
      : []),
  ]);
}

/** A count of copies is corrected when the rows land; a field that is not landed cannot be read again. */
const isComputedAgain = (table: RawTable, field: RawField, dropped: readonly RawField[]): boolean =>
  field.computed !== undefined &&
  field.name !== table.copies &&
  !dropped.some(({ name }) => new RegExp(`\\b${name}\\b`).test(field.computed ?? ''));

const amountChecks = (field: RawField): Check[] =>
  field.amount === undefined
    ? []
    : [
        fault(
          field,
          `not regexp_full_match(${quoted(field.name)}, ${literal(amountPattern(field.amount))})`,
          'not a number',
        ),
      ];

const differs = ({ name, computed = 'null', type }: RawField) =>
  `${quoted(name)} is distinct from try_cast(${computed} as ${type})`;

const fault = ({ name }: RawField, when: string, message: string): Check => ({
  when,
  reason: literal(`${name}: ${message}`),
});
