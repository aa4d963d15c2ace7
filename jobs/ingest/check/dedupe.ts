// Finds rows that repeat a fact, within a batch or against landed rows. Same key and same content is a repetition; same key and different
// content is a conflict. Which row of a batch wins does not depend on the order of its rows.

import { DAY_S } from '../../../platform/base/time.ts';
import type { RawTable } from '../../define/raw-table.ts';
import { landedSql } from '../../engine/duckdb/landed-sql.ts';
import type { DuckDb } from '../../engine/duckdb/session.ts';
import { literal, quoted } from '../../engine/sql-text.ts';
import { IngestError } from '../errors.ts';

export const VERDICTS = 'landing_verdicts';
export const CONFLICT_STORED = 'record: its key was kept before with other content';
export const CONFLICT_BATCH = 'record: its key comes twice with different content';
export const isConflict = (reason: string): boolean =>
  reason === CONFLICT_STORED || reason === CONFLICT_BATCH;

export interface StagedBatch {
  readonly db: DuckDb;
  readonly table: RawTable;
  readonly sourceId: string;
  /** Parquet file with every row of the batch and its verdict. */
  readonly path: string;
}

export interface Census {
  readonly rows: number;
  readonly bad: number;
  readonly isUnique: boolean;
  /** Instants of the good rows; 0 ("never") is ignored. */
  readonly firstTime: number | null;
  readonly lastTime: number | null;
  readonly untimed: number;
}

/** One cheap pass: how many rows there are, how many are bad, and whether a key may repeat (by 64-bit hash, so no repetition is missed). */
export async function takeCensus({ db, table, sourceId, path }: StagedBatch): Promise<Census> {
  const isGood = `source_id = ${literal(sourceId)}`;
  const time = quoted(table.time);
  const key = table.key.map(quoted).join(', ');
  const [row] = await db.rows(`select count(*) as n, count(*) filter (where not ${isGood}) as bad,
    count(distinct hash(${key})) filter (where ${isGood}) as keys, count(*) filter (where ${isGood} and ${time} = 0) as untimed,
    min(${time}) filter (where ${isGood} and ${time} <> 0) as first, max(${time}) filter (where ${isGood} and ${time} <> 0) as last
    from read_parquet(${literal(path)})`);
  const number = (name: string) => Number(row?.[name] ?? 0);
  const orNull = (name: string) =>
    row?.[name] === null || row?.[name] === undefined ? null : Number(row[name]);
  return {
    rows: number('n'),
    bad: number('bad'),
    isUnique: number('keys') === number('n') - number('bad'),
    firstTime: orNull('first'),
    lastTime: orNull('last'),
    untimed: number('untimed'),
  };
}

/** Where rows that landed earlier are looked up: in the kept table, by time, or in landed files that may have the same keys. */
export type EarlierRows =
  | { readonly storedColumns: readonly string[] }
  | { readonly files: readonly string[] };

/** Whether two rows with one key have the same time: then only rows within the span of a batch can have its keys. */
export const isKeyTimed = ({ key, time }: RawTable): boolean => key.includes(time);

/** The kept table's columns; null when it does not exist or has no rows, because they are in another warehouse or not absorbed yet. */
export async function storedColumns(db: DuckDb, table: RawTable): Promise<readonly string[] | null> {
  const columns = await db.tableColumns(table.observations.model);
  if (columns === null) return null;
  const missing = [...table.key, table.observations.time].find((column) => !columns.includes(column));
  if (missing === undefined) {
    const [row] = await db.rows(`select 1 as one from ${table.observations.model} limit 1`);
    return row === undefined ? null : columns;
  }
  const todo = `Add it to ${table.observations.model}, or remove it from the key`;
  throw new IngestError('bad_mapping', `${table.observations.model} has no column "${missing}"`, {
    field: `${table.name}.${missing}`,
    todo,
  });
}

/**
 * Fills the temporary table of verdicts with (place, reason) of every row that does not land; a NULL reason is a repetition.
 * `earlier` is null if no earlier row has one of the batch's keys.
 */
export async function judge(staged: StagedBatch, census: Census, earlier: EarlierRows | null): Promise<void> {
  const { db } = staged;
  const parts = [
    NO_VERDICTS,
    ...(census.bad > 0 ? [badRows(staged)] : []),
    ...(earlier === null ? [] : [againstEarlier(staged, census, earlier)]),
  ];
  await db.execute(`create or replace temp table ${VERDICTS} as ${parts.join(' union all ')}`);
  if (!census.isUnique) await db.execute(`insert into ${VERDICTS} ${insideBatch(staged)}`);
}

/**
 * A kept row may hold a value in another form than it landed in. Rows that seem to contradict one are compared with the landed rows of these
 * files.
 */
export async function compareWithLanded(staged: StagedBatch, files: readonly string[]): Promise<void> {
  if (files.length === 0) return;
  const { db, table } = staged;
  const conflicts = `select place from ${VERDICTS} where reason = ${literal(CONFLICT_STORED)}`;
  const found = matching(staged, {
    rows: `file_row_number in (${conflicts})`,
    content: table.content,
    from: `(${landedSql(table, files)})`,
  });
  await db.execute(
    `update ${VERDICTS} set reason = null where reason = ${literal(CONFLICT_STORED)} and place in (select place from (${found}) where is_same)`,
  );
}

/** Whether a row of the batch has the key of an earlier one with other content. */
export async function hasConflicts(db: DuckDb): Promise<boolean> {
  const rows = await db.rows(
    `select 1 as one from ${VERDICTS} where reason = ${literal(CONFLICT_STORED)} limit 1`,
  );
  return rows.length > 0;
}

const NO_VERDICTS = '(select cast(null as bigint) as place, cast(null as varchar) as reason limit 0)';

const numbered = (path: string) => `read_parquet(${literal(path)}, file_row_number = true)`;

const badRows = ({ path, sourceId }: StagedBatch) =>
  `select file_row_number as place, substr(source_id, 2) as reason from ${numbered(path)} where source_id <> ${literal(sourceId)}`;

function againstEarlier(staged: StagedBatch, census: Census, earlier: EarlierRows): string {
  const { table } = staged;
  const found =
    'files' in earlier
      ? [
          matching(staged, {
            rows: 'true',
            content: table.content,
            from: `(${landedSql(table, earlier.files)})`,
          }),
        ]
      : againstKept(staged, census, earlier.storedColumns);
  return `select place, case when is_same then null else ${literal(CONFLICT_STORED)} end from (${found.join(' union all ')})`;
}

/** Compares only kept rows within a day of the batch, so that a tick does not read the whole history. */
function againstKept(staged: StagedBatch, census: Census, kept: readonly string[]): readonly string[] {
  const { table } = staged;
  const time = quoted(table.observations.time);
  const content = table.content.filter((name) => kept.includes(name));
  const own = quoted(table.time);
  const spans: string[] = [];
  if (census.firstTime !== null && census.lastTime !== null) {
    const span = `where ${time} between ${census.firstTime - DAY_S} and ${census.lastTime + DAY_S}`;
    spans.push(
      matching(staged, { rows: `${own} <> 0`, content, from: `${table.observations.model} ${span}` }),
    );
  }
  if (census.untimed > 0)
    spans.push(matching(staged, { rows: `${own} = 0`, content, from: table.observations.model }));
  return spans;
}

/** SQL of (place, is_same) of every good row of the batch whose key an earlier row has. */
function matching(
  { table, path, sourceId }: StagedBatch,
  {
    rows,
    content,
    from,
  }: {
    /** Condition for the rows of the batch. */
    readonly rows: string;
    readonly content: readonly string[];
    /** Earlier rows. */
    readonly from: string;
  },
): string {
  const equal = (name: string) => `k.${quoted(name)} is not distinct from b.${quoted(name)}`;
  const columns = [...new Set([...table.key, ...content])].map(quoted).join(', ');
  return `select b.place, bool_or(${content.map(equal).join(' and ') || 'true'}) as is_same
    from (select file_row_number as place, ${columns} from ${numbered(path)} where source_id = ${literal(sourceId)} and ${rows}) b
    join (select ${columns} from ${from}) k on ${table.key.map(equal).join(' and ')} group by b.place`;
}

function insideBatch({ table, path, sourceId }: StagedBatch): string {
  const key = table.key.map(quoted);
  const content = table.content.map(quoted);
  const time = quoted(table.time);
  const rest = table.fields
    .map((field) => quoted(field.name))
    .filter((name) => !key.includes(name) && !content.includes(name) && name !== time);
  const order = [time, ...content, ...rest].map((name) => `${name} nulls last`).join(', ');
  const sameAsFirst =
    content.map((name) => `${name} is not distinct from first_value(${name}) over w`).join(' and ') || 'true';
  return `select place, case when is_same then null else ${literal(CONFLICT_BATCH)} end from (
    select file_row_number as place, row_number() over w as n, ${sameAsFirst} as is_same
    from ${numbered(path)} r where source_id = ${literal(sourceId)} and not exists (select 1 from ${VERDICTS} v where v.place = r.file_row_number)
    window w as (partition by ${key.join(', ')} order by ${order}, file_row_number)) where n > 1`;
}
