// Writes a model: the new rows are compared with the old ones, and if they differ, one statement changes them all. A statement that
// failed because of a node or the network is sent once more, after checking that the first attempt changed nothing.
import type { ModelTable } from '../model.ts';
import { type Parameters, renderParameters } from '../parameters.ts';
import { quoted } from '../sql-text.ts';
import type { TrinoClient } from './client.ts';
import type { Lake } from './lake.ts';
import { tidyTable } from './maintenance.ts';
import { textColumns } from './models.ts';
import { areWritable, constantsIn, constantsSql, type FetchedRow } from './constants.ts';
import {
  compareMergeSql,
  compareSql,
  exchangeSql,
  insertSql,
  mergeSql,
  replaceAllSql,
  replaceSql,
  type TableWrite,
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

function keepWritten(
  { written, states }: Lake,
  { table, old }: TableWrite,
  rows: readonly FetchedRow[],
): void {
  written.delete(table);
  written.set(table, { where: old(''), rows, version: states.version(table) });
  for (const oldest of [...written.keys()].slice(0, -MAX_WRITTEN)) written.delete(oldest);
}

function noted({ counts }: Lake, { name }: ModelTable, rows: number): number {
  counts.set(name, rows);
  return rows;
}

interface TableComparison {
  /** Number of rows of the query. */
  readonly rows: number;
  /** The rows themselves, if they were fetched. */
  readonly fetched?: readonly FetchedRow[];
  /** The statement that changes the table; null if it has the same rows already. */
  readonly sql: string | null;
}

/** Larger changes are computed once more by the statement that writes them: constants have to be planned too. */
const MAX_CONSTANTS = 2_000;

async function comparison(lake: Lake, model: ModelTable, writing: TableWrite): Promise<TableComparison> {
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
  writing: TableWrite,
  { fresh, removed, added }: Difference,
): TableComparison {
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

function changeSql(model: ModelTable, writing: TableWrite): string {
  if (model.kind === 'full') return replaceAllSql(writing);
  return model.kind === 'merge' ? mergeSql(writing, model.grain) : replaceSql(writing, model.grain);
}

async function compare(
  lake: Lake,
  model: ModelTable,
  writing: TableWrite,
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
  { table }: TableWrite,
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

// Small results are fetched and compared here, so that a model that changes is computed once: the statement that changes the table gets the
// changed rows as constants. A Trino query over few rows costs what its plan costs, so computing them a second time would double the cost.

interface Difference {
  /** Rows of the query. */
  readonly fresh: readonly FetchedRow[];
  /** Rows of the table that the query no longer returns. */
  readonly removed: readonly FetchedRow[];
  readonly added: readonly FetchedRow[];
}

/** Larger results are compared on Trino. */
const MAX_FETCHED_ROWS = 2_000;

/** Runs the query of a model and reads the rows that it replaces; null if either has more rows than are fetched. */
export async function fetchDifference(
  client: Pick<TrinoClient, 'pages'>,
  { table, columns, rows, old }: TableWrite,
): Promise<Difference | null> {
  const names = columns.map(({ name }) => quoted(name)).join(', ');
  const [fresh, before] = await Promise.all([
    fetchRows(client, `select ${names} from (${rows}) as batch`),
    fetchRows(client, `select ${names} from ${table} where ${old('')}`),
  ]);
  return fresh === null || before === null ? null : differenceOf(before, fresh);
}

/** Ends the query as soon as there are too many rows. */
async function fetchRows(
  client: Pick<TrinoClient, 'pages'>,
  sql: string,
): Promise<readonly FetchedRow[] | null> {
  const rows: FetchedRow[] = [];
  for await (const page of client.pages(sql)) {
    rows.push(...page.rows);
    if (rows.length > MAX_FETCHED_ROWS) return null;
  }
  return rows;
}

/** Rows are the same if all of their values are; a row may occur several times. */
export function differenceOf(before: readonly FetchedRow[], fresh: readonly FetchedRow[]): Difference {
  const left = new Map<string, FetchedRow[]>();
  for (const row of before) {
    const text = JSON.stringify(row);
    const same = left.get(text);
    if (same === undefined) left.set(text, [row]);
    else same.push(row);
  }
  const added = fresh.filter((row) => left.get(JSON.stringify(row))?.pop() === undefined);
  return { fresh, removed: [...left.values()].flat(), added };
}
