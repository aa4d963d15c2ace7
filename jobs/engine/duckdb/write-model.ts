// Writes models of every kind except `append`: the rows of a SELECT become rows of a table. Nothing is written if they are unchanged.
import type { ModelTable } from '../model.ts';
import { type Parameters, renderParameters } from '../parameters.ts';
import type { DuckDb } from './session.ts';

export interface WriteResult {
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

/** Alias of a table whose rows are compared. A column of the same name would take precedence; with the space, none can have it. */
const ROW = '"a row"';

export async function createView(db: DuckDb, model: ModelTable, window: Parameters): Promise<boolean> {
  const sql = renderParameters(model.sql, window);
  // A view without parameters has not changed since the models were opened.
  if (sql === model.sql) return false;
  await db.execute(`create or replace view ${model.name} as ${sql}`);
  return true;
}

export async function rebuild(
  target: WriteTarget,
  model: ModelTable,
  window: Parameters,
): Promise<WriteResult> {
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
): Promise<WriteResult> {
  const inside = `${model.time} >= ${window.start} and ${model.time} < ${window.end}`;
  const sql = `(${renderParameters(model.sql, window)}\n) where ${inside}`;
  const hasOld = has !== 'none' && (await hasAny(db, `${model.name} where ${inside}`));
  if (!hasOld) return inserted(await insert(db, model, sql));
  // Rows without an instant are a part of their own.
  const part = model.byHour === '' ? {} : { part: `coalesce(${ROW}.${model.byHour} // 3600, -1)` };
  return withBatch(db, model, { sql, old: () => inside, ...part });
}

export async function merge(
  { db, has }: WriteTarget,
  model: ModelTable,
  window: Parameters,
): Promise<WriteResult> {
  const same = model.grain.map((name) => `${ROW}.${name} is not distinct from batch.${name}`).join(' and ');
  const sql = `(${renderParameters(model.sql, window)}\n)`;
  if (has === 'none') return inserted(await insert(db, model, sql));
  const old = (batch: string) => `exists (select 1 from ${batch} as batch where ${same})`;
  return withBatch(db, model, { sql, old });
}

const hasAny = async (db: DuckDb, from: string): Promise<boolean> =>
  (await db.rows(`select 1 as one from ${from} limit 1`)).length > 0;

/** The result of inserting into a table that has no rows to replace. */
const inserted = (rows: number): WriteResult => ({
  rows,
  isChanged: rows > 0,
  hasRows: rows > 0 ? true : undefined,
});

interface Batch {
  readonly sql: string;
  /** SQL condition for the rows of the table, named `ROW`, that are replaced. */
  readonly old: (batch: string) => string;
  /** SQL expression for the number of the part that a row, named `ROW`, belongs to. Only parts that have changed are replaced. */
  readonly part?: string;
}

/** Computes the new rows before removing any, because a model may read itself. */
async function withBatch(
  db: DuckDb,
  model: ModelTable,
  { sql, old, part = '0' }: Batch,
): Promise<WriteResult> {
  const batch = `batch_${model.name.replace('.', '_')}`;
  await db.execute(`create or replace temp table ${batch} as select * from ${sql}`);
  const before = `${model.name} as ${ROW} where ${old(batch)}`;
  const { rows, changed } = await compare(db, part, [`${batch} as ${ROW}`, before]);
  const isChanged = changed.length > 0;
  if (isChanged) {
    const inChanged = `${part} in (${changed.join(', ')})`;
    await db.execute(`delete from ${before} and ${inChanged}`);
    await insert(db, model, `${batch} as ${ROW} where ${inChanged}`);
  }
  await db.execute(`drop table ${batch}`);
  return { rows, isChanged, hasRows: rows > 0 ? true : undefined };
}

/** The number of new rows, on the first side, and the parts whose rows differ from those on the second: by a digest that does not depend on their order. */
async function compare(
  db: DuckDb,
  part: string,
  sides: readonly string[],
): Promise<{ readonly rows: number; readonly changed: readonly number[] }> {
  // One statement: planning it takes longer than reading the rows of most models. Groups are by position: a name would be that of a
  // column of the model if it has one.
  const digests = await db.rows(
    sides
      .map((from, side) => `select ${side} as side, ${part} as part, ${DIGEST} from ${from} group by 2`)
      .join(' union all '),
  );
  const digestsOf = (side: number) =>
    new Map(
      digests
        .filter((row) => row['side'] === side)
        .map((row) => [Number(row['part']), `${row['rows']} ${row['total']} ${row['mixed']}`]),
    );
  const [now, before] = [digestsOf(0), digestsOf(1)];
  const parts = [...new Set([...now.keys(), ...before.keys()])];
  return {
    rows: [...now.values()].reduce((sum, digest) => sum + Number.parseInt(digest, 10), 0),
    changed: parts.filter((one) => now.get(one) !== before.get(one)),
  };
}

const DIGEST = `count(*) as rows, cast(sum(hash(${ROW})) as varchar) as total, cast(bit_xor(hash(${ROW})) as varchar) as mixed`;
