// How each kind of model but `append` is written: a SELECT turned into rows of a table. Rows that are there already are not written again.
import type { ModelTable } from '../model.ts';
import { type Parameters, renderParameters } from '../parameters.ts';
import type { DuckDb } from './session.ts';

export interface Written {
  /** Rows of the SELECT. */
  readonly rows: number;
  /** Whether the table has other rows than before. */
  readonly isChanged: boolean;
}

export async function createView(db: DuckDb, model: ModelTable, window: Parameters): Promise<boolean> {
  const sql = renderParameters(model.sql, window);
  // A view without time parameters is unchanged since the models were opened.
  if (sql === model.sql) return false;
  await db.execute(`create or replace view ${model.name} as ${sql}`);
  return true;
}

export const rebuild = (db: DuckDb, model: ModelTable, window: Parameters): Promise<Written> =>
  replaceRows(db, model, { sql: `(${renderParameters(model.sql, window)}\n)`, old: 'true' });

export const insert = (db: DuckDb, model: ModelTable, from: string): Promise<number> =>
  db.execute(`insert into ${model.name} select * from ${from} order by ${model.order}`);

/** Rows outside the window belong to another one: keeping them would write them twice. */
export function replaceWindow(db: DuckDb, model: ModelTable, window: Parameters): Promise<Written> {
  const inside = `${model.time} >= ${window.start} and ${model.time} < ${window.end}`;
  const sql = `(${renderParameters(model.sql, window)}\n) where ${inside}`;
  return replaceRows(db, model, { sql, old: inside });
}

export function merge(db: DuckDb, model: ModelTable, window: Parameters): Promise<Written> {
  const same = model.grain.map((name) => `old.${name} is not distinct from batch.${name}`).join(' and ');
  return db.atomic(() =>
    withBatch(db, model, {
      sql: `(${renderParameters(model.sql, window)}\n)`,
      old: (batch) => `exists (select 1 from ${batch} as batch where ${same})`,
    }),
  );
}

interface Replacement {
  /** What follows `select * from`. */
  readonly sql: string;
  /** SQL condition for the rows of the table, named `old`, that are replaced. */
  readonly old: string;
}

function replaceRows(db: DuckDb, model: ModelTable, { sql, old }: Replacement): Promise<Written> {
  return db.atomic(async () => {
    const [any] = await db.rows(`select 1 as one from ${model.name} as old where ${old} limit 1`);
    if (any !== undefined) return withBatch(db, model, { sql, old: () => old });
    const rows = await insert(db, model, sql);
    return { rows, isChanged: rows > 0 };
  });
}

interface Batch {
  readonly sql: string;
  readonly old: (batch: string) => string;
}

/** The new rows are computed before any are removed: a model may read itself. */
async function withBatch(db: DuckDb, model: ModelTable, { sql, old }: Batch): Promise<Written> {
  const batch = `batch_${model.name.replace('.', '_')}`;
  await db.execute(`create or replace temp table ${batch} as select * from ${sql}`);
  const { rows, isChanged } = await compare(
    db,
    `${batch} as old`,
    `${model.name} as old where ${old(batch)}`,
  );
  if (isChanged) {
    await db.execute(`delete from ${model.name} as old where ${old(batch)}`);
    await insert(db, model, batch);
  }
  await db.execute(`drop table ${batch}`);
  return { rows, isChanged };
}

/** Whether two sets hold the same rows, in whatever order, by two sums over the hashes of rows. */
async function compare(db: DuckDb, now: string, before: string): Promise<Written> {
  const digest = (from: string) =>
    `select count(*) as rows, cast(sum(hash(old)) as varchar) as total, cast(bit_xor(hash(old)) as varchar) as mixed from ${from}`;
  const [row] = await db.rows(
    `select n.rows, (n.rows, n.total, n.mixed) is distinct from (b.rows, b.total, b.mixed) as is_changed
     from (${digest(now)}) as n cross join (${digest(before)}) as b`,
  );
  return { rows: Number(row?.['rows']), isChanged: row?.['is_changed'] !== false };
}
