// Writes models of every kind except `append`: the rows of a SELECT become rows of a table. Nothing is written if they are unchanged.
import type { ModelTable } from '../model.ts';
import { type Parameters, renderParameters } from '../parameters.ts';
import type { DuckDb } from './session.ts';

export interface Written {
  /** Rows of the SELECT. */
  readonly rows: number;
  /** Whether the rows of the table have changed. */
  readonly isChanged: boolean;
  /** Whether the table has rows now; undefined when unknown. */
  readonly hasRows?: boolean | undefined;
}

export interface WriteTarget {
  readonly db: DuckDb;
  /** Whether the table has rows. */
  readonly has: 'none' | 'some' | 'unknown';
}

export async function createView(db: DuckDb, model: ModelTable, window: Parameters): Promise<boolean> {
  const sql = renderParameters(model.sql, window);
  // A view without parameters has not changed since the models were opened.
  if (sql === model.sql) return false;
  await db.execute(`create or replace view ${model.name} as ${sql}`);
  return true;
}

export async function rebuild(target: WriteTarget, model: ModelTable, window: Parameters): Promise<Written> {
  const { db, has } = target;
  const sql = `(${renderParameters(model.sql, window)}\n)`;
  const hasOld = has === 'unknown' ? await hasAny(db, model.name) : has === 'some';
  if (!hasOld) {
    const rows = await insert(db, model, sql);
    return { rows, isChanged: rows > 0, hasRows: rows > 0 };
  }
  const written = await withBatch(db, model, { sql, old: () => 'true' });
  return { ...written, hasRows: written.rows > 0 };
}

export const insert = (db: DuckDb, model: ModelTable, from: string): Promise<number> =>
  db.execute(`insert into ${model.name} select * from ${from} order by ${model.order}`);

/** Leaves out rows outside the window: they belong to another window, and would be written twice. */
export async function replaceWindow(
  { db, has }: WriteTarget,
  model: ModelTable,
  window: Parameters,
): Promise<Written> {
  const inside = `${model.time} >= ${window.start} and ${model.time} < ${window.end}`;
  const sql = `(${renderParameters(model.sql, window)}\n) where ${inside}`;
  const hasOld = has !== 'none' && (await hasAny(db, `${model.name} where ${inside}`));
  if (!hasOld) return inserted(await insert(db, model, sql));
  return withBatch(db, model, { sql, old: () => inside });
}

export async function merge(
  { db, has }: WriteTarget,
  model: ModelTable,
  window: Parameters,
): Promise<Written> {
  const same = model.grain.map((name) => `old.${name} is not distinct from batch.${name}`).join(' and ');
  const sql = `(${renderParameters(model.sql, window)}\n)`;
  if (has === 'none') return inserted(await insert(db, model, sql));
  const old = (batch: string) => `exists (select 1 from ${batch} as batch where ${same})`;
  return withBatch(db, model, { sql, old });
}

const hasAny = async (db: DuckDb, from: string): Promise<boolean> =>
  (await db.rows(`select 1 as one from ${from} limit 1`)).length > 0;

/** The result of inserting into a table that has no rows to replace. */
const inserted = (rows: number): Written => ({
  rows,
  isChanged: rows > 0,
  hasRows: rows > 0 ? true : undefined,
});

interface Batch {
  readonly sql: string;
  /** SQL condition for the rows of the table, named `old`, that are replaced. */
  readonly old: (batch: string) => string;
}

/** Computes the new rows before removing any, because a model may read itself. */
async function withBatch(db: DuckDb, model: ModelTable, { sql, old }: Batch): Promise<Written> {
  const batch = `batch_${model.name.replace('.', '_')}`;
  await db.execute(`create or replace temp table ${batch} as select * from ${sql}`);
  const { rows, isSame } = await compare(db, batch, `${model.name} as old where ${old(batch)}`);
  const isChanged = !isSame;
  if (isChanged) {
    await db.execute(`delete from ${model.name} as old where ${old(batch)}`);
    await insert(db, model, batch);
  }
  await db.execute(`drop table ${batch}`);
  return { rows, isChanged, hasRows: rows > 0 ? true : undefined };
}

/** The number of new rows, and whether the old ones are the same: by a digest that does not depend on their order. */
async function compare(
  db: DuckDb,
  batch: string,
  before: string,
): Promise<{ readonly rows: number; readonly isSame: boolean }> {
  // One statement: planning it takes longer than reading the rows of most models.
  const digests = await db.rows(
    [`${batch} as old`, before]
      .map((from, side) => `select ${side} as side, ${DIGEST} from ${from}`)
      .join(' union all '),
  );
  const [now, then] = [0, 1].map((side) => digests.find((row) => row['side'] === side));
  const isSame = ['rows', 'total', 'mixed'].every((name) => now?.[name] === then?.[name]);
  return { rows: Number(now?.['rows']), isSame };
}

const DIGEST =
  'count(*) as rows, cast(sum(hash(old)) as varchar) as total, cast(bit_xor(hash(old)) as varchar) as mixed';
