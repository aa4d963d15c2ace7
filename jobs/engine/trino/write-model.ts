// Writes a model: the new rows are compared with the old ones, and if they differ, one statement changes them all. A statement that
// failed because of a node or the network is sent once more, after checking that the first attempt changed nothing.
import type { ModelTable } from '../model.ts';
import { type Parameters, renderParameters } from '../parameters.ts';
import type { Lake } from './lake.ts';
import { tidyTable } from './maintenance.ts';
import { textColumns } from './models.ts';
import { areWritable, constantsIn, constantsSql, type FetchedRow } from './constants.ts';
import { type Difference, fetchDifference, MAX_FETCHED_ROWS } from './small-results.ts';
import {
  compareMergeSql,
  compareSql,
  exchangeSql,
  insertSql,
  mergeSql,
  replaceAllSql,
  replaceSql,
  type Writing,
  writingOf,
} from './statements.ts';
import { TrinoError } from './trino-error.ts';

/** Resolves to the number of rows of the query. */
export async function writeModel(lake: Lake, model: ModelTable, window: Parameters): Promise<number> {
  const columns = await lake.columns(model.name);
  const texts = await textColumns(lake, model, renderParameters(model.sql, window));
  const writing = writingOf(model, columns, { window, texts });
  if (lake.states.hasRows(model.name) === false) {
    const { rows } = await change(lake, writing, insertSql(writing));
    if (rows !== null) return noted(lake, model, rows);
  }
  const { rows, fetched, sql } = await comparison(lake, model, writing);
  if (sql !== null) {
    await change(lake, writing, sql, rows);
    if (fetched !== undefined) keepWritten(lake, writing, fetched);
  }
  return noted(lake, model, rows);
}

/** A copy is made directly after the write, if one is made at all. */
const MAX_WRITTEN = 8;

function keepWritten({ written, states }: Lake, { table, old }: Writing, rows: readonly FetchedRow[]): void {
  written.delete(table);
  written.set(table, { where: old(''), rows, version: states.version(table) });
  for (const oldest of [...written.keys()].slice(0, -MAX_WRITTEN)) written.delete(oldest);
}

function noted({ counts }: Lake, { name }: ModelTable, rows: number): number {
  counts.set(name, rows);
  return rows;
}

interface Compared {
  /** Number of rows of the query. */
  readonly rows: number;
  /** The rows themselves, if they were fetched. */
  readonly fetched?: readonly FetchedRow[];
  /** The statement that changes the table; null if it has the same rows already. */
  readonly sql: string | null;
}

/** Larger changes are computed once more by the statement that writes them: constants have to be planned too. */
const MAX_CONSTANTS = 2_000;

async function comparison(lake: Lake, model: ModelTable, writing: Writing): Promise<Compared> {
  const last = lake.counts.get(model.name) ?? Number.POSITIVE_INFINITY;
  if (last <= MAX_FETCHED_ROWS && model.kind !== 'merge' && areWritable(writing.columns)) {
    const difference = await again(() => fetchDifference(lake.client, writing));
    if (difference !== null) return fetchedComparison(model, writing, difference);
  }
  const { rows, isChanged } = await compare(lake, model, writing);
  return { rows, sql: isChanged ? changeSql(model, writing) : null };
}

function fetchedComparison(
  model: ModelTable,
  writing: Writing,
  { fresh, removed, added }: Difference,
): Compared {
  const found = { rows: fresh.length, fetched: fresh };
  if (removed.length + added.length === 0) return { ...found, sql: null };
  const { columns } = writing;
  const isSmall = (some: readonly FetchedRow[]) => constantsIn(some) <= MAX_CONSTANTS;
  if (model.kind === 'full' && fresh.length > 0 && isSmall(fresh))
    return { ...found, sql: replaceAllSql({ ...writing, rows: constantsSql(columns, fresh) }) };
  if (!isSmall([...removed, ...added])) return { ...found, sql: changeSql(model, writing) };
  const constants = (some: readonly FetchedRow[]) => (some.length === 0 ? null : constantsSql(columns, some));
  const exchanged = { removed: constants(removed), added: constants(added) };
  return { ...found, sql: exchangeSql(writing, model.grain, exchanged) };
}

function changeSql(model: ModelTable, writing: Writing): string {
  if (model.kind === 'full') return replaceAllSql(writing);
  return model.kind === 'merge' ? mergeSql(writing, model.grain) : replaceSql(writing, model.grain);
}

async function compare(
  lake: Lake,
  model: ModelTable,
  writing: Writing,
): Promise<{ readonly rows: number; readonly isChanged: boolean }> {
  const sql = model.kind === 'merge' ? compareMergeSql(writing, model.grain) : compareSql(writing);
  const { rows } = await again(() => lake.client.run(sql));
  const [n, a, b, ...before] = rows[0] ?? [];
  return { rows: Number(n), isChanged: [n, a, b].some((value, index) => value !== before[index]) };
}

/** Repeats a query that failed because of a node or the network. */
function again<T>(ask: () => Promise<T>): Promise<T> {
  return ask().catch((error: unknown) => {
    if (error instanceof TrinoError && error.isPassing) return ask();
    throw error;
  });
}

/** Runs one statement on the table. `rows`: how many it writes; null when it changed the table but its result was not received. */
async function change(
  lake: Lake,
  { table }: Writing,
  sql: string,
  known: number | null = null,
): Promise<{ readonly rows: number | null }> {
  const { client, states } = lake;
  for (let isFirst = true; ; isFirst = false) {
    await states.begin(table);
    try {
      const { updateCount } = await client.run(sql);
      await states.settle(table, hasRows(known ?? updateCount));
      await tidyTable(lake, table);
      return { rows: known ?? updateCount };
    } catch (error) {
      if (await states.settle(table)) return { rows: known };
      if (!(isFirst && error instanceof TrinoError && error.isPassing)) throw error;
    }
  }
}

/** Null when unknown: if a window has no rows, other windows may have some. */
const hasRows = (rows: number | null): boolean | null => (rows === null || rows === 0 ? null : true);
