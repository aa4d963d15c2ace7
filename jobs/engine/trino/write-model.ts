// Writes a model: one query compares the new rows with the old ones, and if they differ, one statement changes them all. A statement that
// failed because of a node or the network is sent once more, after checking that the first attempt changed nothing.
import type { ModelTable } from '../model.ts';
import { type Parameters, renderParameters } from '../parameters.ts';
import type { Lake } from './lake.ts';
import { tidyTable } from './maintenance.ts';
import { textColumns } from './models.ts';
import {
  compareMergeSql,
  compareSql,
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
    if (rows !== null) return rows;
  }
  const { rows, isChanged } = await compare(lake, model, writing);
  if (isChanged) await change(lake, writing, changeSql(model, writing), rows);
  return rows;
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
  const ask = () => lake.client.run(sql);
  const { rows } = await ask().catch((error: unknown) => {
    if (error instanceof TrinoError && error.isPassing) return ask();
    throw error;
  });
  const [n, a, b, ...before] = rows[0] ?? [];
  return { rows: Number(n), isChanged: [n, a, b].some((value, index) => value !== before[index]) };
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
