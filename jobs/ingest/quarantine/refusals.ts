// The subjects of refused rows (decision 60). Subject and key of a refused row are read from its cells if these are valid.

import { FILTERED } from '../check/checks.ts';
import type { RawTable } from '../../define/raw-table.ts';
import type { Row } from '../../engine/rows.ts';
import { literal, quoted } from '../../engine/sql-text.ts';
import { isConflict, type StagedBatch, VERDICTS } from '../check/dedupe.ts';
import { BAD_MARK } from '../check/select-rows.ts';
import type { Refusal } from '../receipts/receipt.ts';

export interface RefusedRow {
  readonly reason: string;
  readonly subject: string | null;
  readonly key: string | null;
}

/** Maximum number of subjects that a receipt lists; rows of others count as rows of an unknown subject. */
const MAX_SUBJECTS = 1_000;

/** SQL that selects columns as text, each named by a letter and its position. */
const textsSql = (letter: string, columns: readonly string[]): string =>
  columns.map((name, index) => `cast(${quoted(name)} as varchar) as ${letter}${index}`).join(', ');

/** The texts of a row as a JSON list; null if one is missing. */
function listOf(row: Row, letter: string, columns: readonly string[]): string | null {
  const values = columns.map((_, index) => row[`${letter}${index}`]);
  return values.every((value) => typeof value === 'string') ? JSON.stringify(values) : null;
}

/** Every refused row of a checked batch, by 1-based record number. */
export async function refusedRows({
  db,
  table,
  path,
}: StagedBatch): Promise<ReadonlyMap<number, RefusedRow>> {
  // The sum keeps the join from being pushed into the scan by row number, where DuckDB 1.5 crashes occasionally.
  const staged = `(select file_row_number + 0 as at_row, ${textsSql('s', table.subject)}, ${textsSql('k', table.key)}
    from read_parquet(${literal(path)}, file_row_number = true))`;
  const rows = await db.rows(
    `select v.reason, r.* from ${VERDICTS} v join ${staged} r on r.at_row = v.place where v.reason is not null and v.reason <> ${literal(FILTERED)} order by r.at_row`,
  );
  return new Map(
    rows.map((row) => {
      const reason = String(row['reason']);
      const isGood = (fields: readonly string[]) => !fields.some((name) => reason.startsWith(`${name}: `));
      const subject = isGood(table.subject) ? listOf(row, 's', table.subject) : null;
      const key = isGood(table.key) && !isConflict(reason) ? listOf(row, 'k', table.key) : null;
      return [Number(row['at_row']) + 1, { reason, subject, key }];
    }),
  );
}

interface JudgedRow {
  readonly batch: { readonly batch: string; readonly redrive?: unknown };
  /** Rows of the batch, without those that its source filters out. */
  readonly rows: number;
  readonly bad: ReadonlyMap<number, RefusedRow>;
}

/** The refused rows as recorded in a batch's receipt; those of a redrive are recorded in the receipt of their first batch. */
export async function refusalsIn(
  staged: StagedBatch,
  judged: JudgedRow,
): Promise<{ readonly refusals?: readonly Refusal[] }> {
  const isRedrive = judged.batch.redrive !== undefined;
  return isRedrive || judged.bad.size === 0 ? {} : { refusals: [await refusalOf(staged, judged)] };
}

async function refusalOf(
  { db, table, path }: StagedBatch,
  { batch: { batch }, rows, bad }: JudgedRow,
): Promise<Refusal> {
  const counts = Map.groupBy(bad.values(), ({ subject }) => subject);
  const worst = [...counts]
    .map(([subject, rows]) => ({ subject, bad: rows.length }))
    .sort((a, b) => b.bad - a.bad || ((a.subject ?? '') < (b.subject ?? '') ? -1 : 1));
  const listed = worst.filter(({ subject }) => subject !== null).slice(0, MAX_SUBJECTS);
  const unknown = bad.size - listed.reduce((sum, one) => sum + one.bad, 0);
  const totals = new Map<string | null, number>();
  if (listed.length > 0)
    for (const row of await db.rows(subjectTotals(table, path)))
      totals.set(listOf(row, 's', table.subject), Number(row['n']));
  return {
    batch,
    rows_in: rows,
    subjects: [
      ...listed.map((one) => ({ ...one, rows: totals.get(one.subject) ?? one.bad })),
      ...(unknown === 0 ? [] : [{ subject: null, rows, bad: unknown }]),
    ],
  };
}

const subjectTotals = (table: RawTable, path: string): string =>
  `select ${table.subject.map((_, index) => `s${index}`).join(', ')}, count(*) as n
   from (select ${textsSql('s', table.subject)} from read_parquet(${literal(path)})
     where source_id <> ${literal(BAD_MARK + FILTERED)}) group by all`;
