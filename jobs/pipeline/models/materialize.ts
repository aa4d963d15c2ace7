// Writes models: how each of the five kinds turns a SELECT into rows of a table.
import { basename } from 'node:path';
import type { RawTable } from '../../define.ts';
import type { Engine } from '../../engine/engine.ts';
import { bindLanding } from './bind.ts';
import type { Landing } from '../../ingest/land.ts';
import { literal } from '../../engine/sql-text.ts';
import type { Model } from './model.ts';
import { type Parameters, renderParameters } from './model-text.ts';

/** Computes a model that is not `append` for the given span. Answers how many rows were written; a view writes none. */
export async function materialize(engine: Engine, model: Model, parameters: Parameters): Promise<number> {
  const sql = renderParameters(model.sql, parameters);
  switch (model.kind) {
    case 'view':
      // One without time in it is as it was when the models were opened.
      if (sql === model.sql) return 0;
      await engine.execute(`create or replace view ${model.name} as ${sql}`);
      return 0;
    case 'full':
      return engine.transaction(async () => {
        await engine.execute(`delete from ${model.name}`);
        return insert(engine, model, `(${sql}\n)`);
      });
    case 'window':
      return engine.transaction(() => replaceWindow(engine, { model, sql, parameters }));
    case 'merge':
      return engine.transaction(() => merge(engine, model, sql));
    case 'append':
      throw new Error(`${model.file} is an append model: it absorbs landed files`);
  }
}

const insert = (engine: Engine, model: Model, from: string) =>
  engine.execute(`insert into ${model.name} select * from ${from} order by ${model.order}`);

interface Window {
  readonly model: Model;
  readonly sql: string;
  readonly parameters: Parameters;
}

/** Rows outside the window belong to another one: keeping them would write them twice. */
async function replaceWindow(engine: Engine, { model, sql, parameters }: Window): Promise<number> {
  const inside = `${model.time} >= ${parameters.start} and ${model.time} < ${parameters.end}`;
  const batch = `batch_${model.name.replace('.', '_')}`;
  if (!model.readsSelf) {
    await engine.execute(`delete from ${model.name} where ${inside}`);
    return insert(engine, model, `(${sql}\n) where ${inside}`);
  }
  // The rows it carries on from are read before any are removed.
  await engine.execute(`create or replace temp table ${batch} as select * from (${sql}\n) where ${inside}`);
  await engine.execute(`delete from ${model.name} where ${inside}`);
  const rows = await insert(engine, model, batch);
  await engine.execute(`drop table ${batch}`);
  return rows;
}

async function merge(engine: Engine, model: Model, sql: string): Promise<number> {
  const batch = `batch_${model.name.replace('.', '_')}`;
  await engine.execute(`create or replace temp table ${batch} as ${sql}`);
  const same = model.grain.map((name) => `old.${name} is not distinct from batch.${name}`).join(' and ');
  await engine.execute(`delete from ${model.name} as old using ${batch} as batch where ${same}`);
  const rows = await insert(engine, model, batch);
  await engine.execute(`drop table ${batch}`);
  return rows;
}

export interface Absorption {
  /** The raw table whose files these are; its `kept.time` names the model's column with the instant. */
  readonly raw: RawTable;
  /** Parquet files. Those absorbed before, known by their names, are left out. */
  readonly files: readonly string[];
  readonly parameters: Parameters;
  /** Whether the files are what landed, and their hashes. */
  readonly landing?: Pick<Landing, 'check' | 'sha256Of'>;
}

export interface Absorbed {
  readonly files: number;
  readonly rows: number;
  /** Earliest and latest instant among the new rows, Unix seconds; null when there are none. */
  readonly firstTime: number | null;
  readonly lastTime: number | null;
}

/** Adds the rows of landed files to an `append` model, and remembers the files, all in one transaction. Costs what the new rows cost. */
export async function absorb(
  engine: Engine,
  model: Model,
  { raw, files, parameters, landing }: Absorption,
): Promise<Absorbed> {
  const fresh = await notAbsorbed(engine, model, files);
  if (fresh.length === 0) return { files: 0, rows: 0, firstTime: null, lastTime: null };
  const sql = renderParameters(model.sql, parameters);
  await landing?.check(fresh);
  return engine.transaction(async () => {
    await bindLanding(engine, raw, fresh);
    const rows = await insert(engine, model, `(${sql}\n)`);
    const span = await checkBatch(engine, { model, sql, time: raw.kept.time });
    // One that changed while it was read is rolled back.
    await landing?.check(fresh);
    const values = fresh.map((file) => {
      const sha256 = literal(landing?.sha256Of(file) ?? null);
      return `(${literal(model.name)}, ${literal(basename(file))}, ${span.firstTime ?? 'null'}, false, ${sha256})`;
    });
    await engine.execute(`insert into meta.absorbed values ${values.join(', ')}`);
    return { files: fresh.length, rows, ...span };
  });
}

/** Files that the model has not absorbed yet, in the order given. */
export async function notAbsorbed(
  engine: Engine,
  model: Model,
  files: readonly string[],
): Promise<readonly string[]> {
  if (files.length === 0) return [];
  const names = files.map((file) => literal(basename(file))).join(', ');
  const rows = await engine.rows(
    `select file from meta.absorbed where table_name = ${literal(model.name)} and file in (${names})`,
  );
  const known = new Set(rows.map((row) => row['file']));
  return files.filter((file) => !known.has(basename(file)));
}

/** Looks at the new rows alone. Landing has removed repeated keys; a model that multiplies rows is caught here. */
async function checkBatch(
  engine: Engine,
  { model, sql, time }: { readonly model: Model; readonly sql: string; readonly time: string },
): Promise<{ readonly firstTime: number | null; readonly lastTime: number | null }> {
  const [batch] = await engine.rows(`
    select count(*) as rows, count(distinct hash(${model.grain.join(', ')})) as keys,
      min(${time}) as first_time, max(${time}) as last_time
    from (${sql}\n)`);
  if (batch === undefined) throw new Error(`${model.file}: the new rows could not be counted`);
  // Two keys with one hash are as good as impossible, and are told apart here.
  if (batch['rows'] !== batch['keys']) await refuseRepeated(engine, model, sql);
  const seconds = (value: unknown) => (value === null ? null : Number(value));
  return { firstTime: seconds(batch['first_time']), lastTime: seconds(batch['last_time']) };
}

async function refuseRepeated(engine: Engine, model: Model, sql: string): Promise<void> {
  const grain = model.grain.join(', ');
  const rows = await engine.rows(
    `select ${grain} from (${sql}\n) group by ${grain} having count(*) > 1 limit 5`,
  );
  if (rows.length === 0) return;
  throw new Error(
    `${model.file}: rows share one ${grain}: ${JSON.stringify(rows)}: one row each, or widen the grain`,
  );
}
