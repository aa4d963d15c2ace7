// Finds rows that repeat a fact, within a batch or against landed rows. Same key and same content is a repetition; same key and different
// content is a conflict. Which row of a batch wins does not depend on the order of its rows.

import { DAY_S } from '../../../platform/base/time.ts';
import type { RawTable } from '../../define/raw-table.ts';
import type { DuckDb } from '../../engine/duckdb/session.ts';
import { literal, quoted } from '../../engine/sql-text.ts';
import { IngestError } from '../errors.ts';

export const VERDICTS = 'landing_verdicts';
export const CONFLICT_KEPT = 'record: its key was kept before with other content';
export const CONFLICT_BATCH = 'record: its key comes twice with different content';

export interface Staged {
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
export async function takeCensus({ db, table, sourceId, path }: Staged): Promise<Census> {
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

/** The kept table's columns; null when it does not exist yet. */
export async function keptColumns(db: DuckDb, table: RawTable): Promise<readonly string[] | null> {
  const columns = await db.tableColumns(table.kept.model);
  if (columns === null) return null;
  const missing = [...table.key, table.kept.time].find((column) => !columns.includes(column));
  if (missing === undefined) return columns;
  const todo = `Add it to ${table.kept.model}, or remove it from the key`;
  throw new IngestError('bad_mapping', `${table.kept.model} has no column "${missing}"`, {
    field: `${table.name}.${missing}`,
    todo,
  });
}

/**
 * Fills the temporary table of verdicts with (place, reason) of every row that does not land; a NULL reason is a repetition.
 * `kept` are the kept table's columns if it may hold some of the batch's keys, otherwise null.
 */
export async function judge(staged: Staged, census: Census, kept: readonly string[] | null): Promise<void> {
  const { db } = staged;
  const parts = [
    NO_VERDICTS,
    ...(census.bad > 0 ? [badRows(staged)] : []),
    ...(kept === null ? [] : [againstKept(staged, census, kept)]),
  ];
  await db.execute(`create or replace temp table ${VERDICTS} as ${parts.join(' union all ')}`);
  if (!census.isUnique) await db.execute(`insert into ${VERDICTS} ${insideBatch(staged)}`);
}

const NO_VERDICTS = '(select cast(null as bigint) as place, cast(null as varchar) as reason limit 0)';

const numbered = (path: string) => `read_parquet(${literal(path)}, file_row_number = true)`;

const badRows = ({ path, sourceId }: Staged) =>
  `select file_row_number as place, substr(source_id, 2) as reason from ${numbered(path)} where source_id <> ${literal(sourceId)}`;

/** Compares only kept rows within a day of the batch, so that a tick does not read the whole history. */
function againstKept({ table, path, sourceId }: Staged, census: Census, kept: readonly string[]): string {
  const time = quoted(table.kept.time);
  const match = table.key.map((name) => `k.${quoted(name)} = b.${quoted(name)}`).join(' and ');
  const content = [...table.content].filter((name) => kept.includes(name));
  const same = content
    .map((name) => `k.${quoted(name)} is not distinct from b.${quoted(name)}`)
    .join(' and ');
  const columns = [...new Set([...table.key, ...content])].map(quoted).join(', ');
  const spans: string[] = [];
  const part = (rows: string, keptRows: string) =>
    spans.push(`select b.place, bool_or(${same || 'true'}) as is_same from (select file_row_number as place, ${columns} from ${numbered(path)}
      where source_id = ${literal(sourceId)} and ${rows}) b join (select ${columns} from ${table.kept.model} ${keptRows}) k on ${match} group by b.place`);
  if (census.firstTime !== null && census.lastTime !== null) {
    const span = `where ${time} between ${census.firstTime - DAY_S} and ${census.lastTime + DAY_S}`;
    part(`${quoted(table.time)} <> 0`, span);
  }
  if (census.untimed > 0) part(`${quoted(table.time)} = 0`, '');
  return `select place, case when is_same then null else ${literal(CONFLICT_KEPT)} end from (${spans.join(' union all ')})`;
}

function insideBatch({ table, path, sourceId }: Staged): string {
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
