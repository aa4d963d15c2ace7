// How each kind of model but `append` is written: a SELECT turned into rows of a table.
import type { ModelTable } from '../model.ts';
import { type Parameters, renderParameters } from '../parameters.ts';
import type { DuckDb } from './session.ts';

export async function createView(db: DuckDb, model: ModelTable, window: Parameters): Promise<void> {
  const sql = renderParameters(model.sql, window);
  // A view without time parameters is unchanged since the models were opened.
  if (sql !== model.sql) await db.execute(`create or replace view ${model.name} as ${sql}`);
}

export const rebuild = (db: DuckDb, model: ModelTable, window: Parameters): Promise<number> =>
  db.atomic(async () => {
    await db.execute(`delete from ${model.name}`);
    return insert(db, model, `(${renderParameters(model.sql, window)}\n)`);
  });

export const insert = (db: DuckDb, model: ModelTable, from: string): Promise<number> =>
  db.execute(`insert into ${model.name} select * from ${from} order by ${model.order}`);

/** Rows outside the window belong to another one: keeping them would write them twice. */
export function replaceWindow(db: DuckDb, model: ModelTable, window: Parameters): Promise<number> {
  const inside = `${model.time} >= ${window.start} and ${model.time} < ${window.end}`;
  const wanted = `(${renderParameters(model.sql, window)}\n) where ${inside}`;
  const remove = () => db.execute(`delete from ${model.name} where ${inside}`);
  return db.atomic(async () => {
    if (!model.readsSelf) {
      await remove();
      return insert(db, model, wanted);
    }
    // The rows that it continues from are read before any are removed.
    return withBatch(db, model, `select * from ${wanted}`, remove);
  });
}

export function merge(db: DuckDb, model: ModelTable, window: Parameters): Promise<number> {
  const same = model.grain.map((name) => `old.${name} is not distinct from batch.${name}`).join(' and ');
  return db.atomic(() =>
    withBatch(db, model, renderParameters(model.sql, window), (batch) =>
      db.execute(`delete from ${model.name} as old using ${batch} as batch where ${same}`),
    ),
  );
}

/** Computes the new rows, deletes those they replace, and inserts them. */
async function withBatch(
  db: DuckDb,
  model: ModelTable,
  sql: string,
  makeRoom: (batch: string) => Promise<unknown>,
): Promise<number> {
  const batch = `batch_${model.name.replace('.', '_')}`;
  await db.execute(`create or replace temp table ${batch} as ${sql}`);
  await makeRoom(batch);
  const rows = await insert(db, model, batch);
  await db.execute(`drop table ${batch}`);
  return rows;
}
