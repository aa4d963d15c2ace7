// Adds landed files to `append` models. DuckDB computes the rows and writes them to one file, which Trino adds to the table. The names of
// the landed files are recorded before and confirmed afterwards; in between, the table itself shows whether it has the file.
import { readFile, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { checkBatch } from '../duckdb/absorb.ts';
import { bindLanding } from '../duckdb/bind.ts';
import { exportRows } from '../duckdb/copied-rows.ts';
import type { ModelTable } from '../model.ts';
import { renderParameters } from '../parameters.ts';
import { literal } from '../sql-text.ts';
import type { AbsorptionReport, Absorption } from '../warehouse.ts';
import type { Lake } from './lake.ts';
import { tidyTable } from './maintenance.ts';
import { TrinoError } from './trino-error.ts';

const NOTHING: AbsorptionReport = { files: 0, rows: 0, firstTime: null, lastTime: null };

/** Tries once more after losing a node or the network; the second attempt first finds out what the first one added. */
export async function absorb(
  lake: Lake,
  model: ModelTable,
  absorption: Absorption,
): Promise<AbsorptionReport> {
  try {
    return await absorbOnce(lake, model, absorption);
  } catch (error) {
    if (!(error instanceof TrinoError && error.isPassing)) throw error;
    return absorbOnce(lake, model, absorption);
  }
}

async function absorbOnce(lake: Lake, model: ModelTable, absorption: Absorption): Promise<AbsorptionReport> {
  await settlePending(lake, model.name);
  const fresh = await notAbsorbed(lake, model.name, absorption.files);
  if (fresh.length === 0) return NOTHING;
  const file = join(lake.tempDir, `${lake.makeId()}.parquet`);
  try {
    const batch = await computeFile(lake, { model, absorption, fresh, file });
    const id = `${model.name}/${lake.makeId()}`;
    await record(lake, { model, absorption, fresh, batch, id });
    if (batch.rows > 0) await addFile(lake, model, { id, file });
    return { files: fresh.length, ...batch };
  } finally {
    await rm(file, { force: true });
  }
}

type Batch = Omit<AbsorptionReport, 'files'>;

interface Fresh {
  readonly model: ModelTable;
  readonly absorption: Absorption;
  readonly fresh: readonly string[];
}

/** Computes the rows of new files on DuckDB, checks them, and writes them to a file with the types of the table. */
async function computeFile(
  { shapes: { db }, columns }: Lake,
  { model, absorption, fresh, file }: Fresh & { readonly file: string },
): Promise<Batch> {
  const { raw, landing, parameters } = absorption;
  const batch = `absorbing_${model.name.replace('.', '_')}`;
  await landing?.check(fresh);
  await bindLanding(db, raw, fresh);
  try {
    const sql = renderParameters(model.sql, parameters);
    await db.execute(
      `create or replace temp table ${batch} as select * from (${sql}\n) order by ${model.order}`,
    );
    const [count] = await db.rows(`select count(*) as n from ${batch}`);
    const span = await checkBatch(db, { model, sql: `select * from ${batch}`, time: raw.observations.time });
    // A file that changed while it was being read makes this throw.
    await landing?.check(fresh);
    await exportRows(db, { from: batch, columns: await columns(model.name) }, file);
    return { rows: Number(count?.['n']), ...span };
  } finally {
    await db.execute(`drop table if exists ${batch}`);
    await bindLanding(db, raw, []);
  }
}

interface RecordedBatch extends Fresh {
  readonly batch: Batch;
  /** Key of the folder that holds the file. */
  readonly id: string;
}

/** Records the files of a batch. If it has no rows, they are thereby absorbed. */
async function record(
  { database }: Lake,
  { model, absorption, fresh, batch, id }: RecordedBatch,
): Promise<void> {
  await database.query(
    `insert into absorbed (model, file, first_time, sha256, batch, is_pending)
     select $1, f.file, $2, f.sha256, $3, $4 from unnest($5::text[], $6::text[]) as f (file, sha256)`,
    [
      model.name,
      batch.firstTime,
      id,
      batch.rows > 0,
      fresh.map((one) => basename(one)),
      fresh.map((one) => absorption.landing?.sha256Of(one) ?? null),
    ],
  );
}

async function addFile(
  lake: Lake,
  { name }: ModelTable,
  { id, file }: { readonly id: string; readonly file: string },
): Promise<void> {
  const { states } = lake;
  await states.begin(name);
  try {
    await registerFile(lake, { table: name, key: keyOf(id), file });
  } catch (error) {
    const isChanged = await states.settle(name);
    await settlePending(lake, name);
    if (!isChanged) throw error;
  }
  await states.settle(name, true);
  await confirm(lake, id);
  await tidyTable(lake, name);
}

/** Puts a file where Trino finds it, and adds its rows to the table. */
export async function registerFile(
  { client, files }: Lake,
  { table, key, file }: { readonly table: string; readonly key: string; readonly file: string },
): Promise<void> {
  const folder = await files.put(key, await readFile(file));
  await client.run(
    `alter table ${table} execute add_files(location => ${literal(folder)}, format => 'PARQUET')`,
  );
}

export const keyOf = (id: string): string => `${id}/rows.parquet`;

const confirm = ({ database }: Lake, id: string) =>
  database.query('update absorbed set is_pending = false where batch = $1', [id]);

/** Settles batches whose outcome is unknown: those that the table has are confirmed, the others are discarded. */
export async function settlePending(lake: Lake, model: string): Promise<void> {
  const { database, client, files } = lake;
  const pending = await database.query(
    'select distinct batch from absorbed where model = $1 and is_pending',
    [model],
  );
  for (const id of pending.map(({ batch }) => String(batch))) {
    const [schema = '', table = ''] = model.split('.');
    const { rows } = await client.run(
      `select count(*) from ${schema}."${table}$files" where file_path like ${literal(`%/${keyOf(id)}`)}`,
    );
    if (Number(rows[0]?.[0]) > 0) await confirm(lake, id);
    else {
      await database.query('delete from absorbed where batch = $1', [id]);
      await files.remove(keyOf(id));
    }
  }
}

async function notAbsorbed(
  { database }: Lake,
  model: string,
  files: readonly string[],
): Promise<readonly string[]> {
  if (files.length === 0) return [];
  const rows = await database.query('select file from absorbed where model = $1 and file = any($2)', [
    model,
    files.map((file) => basename(file)),
  ]);
  const known = new Set(rows.map(({ file }) => file));
  return files.filter((file) => !known.has(basename(file)));
}
