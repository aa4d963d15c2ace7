// Adds landed files to `append` models and records which files were added: rows and file names in one transaction.
import { basename } from 'node:path';
import type { ModelTable } from '../model.ts';
import { renderParameters } from '../parameters.ts';
import { literal } from '../sql-text.ts';
import type { Absorbed, AbsorbedFiles, Absorption } from '../warehouse.ts';
import { bindLanding } from './bind.ts';
import type { DuckDb } from './session.ts';
import type { Versions } from './versions.ts';
import { insert } from './write-model.ts';

interface Place {
  readonly db: DuckDb;
  readonly versions: Versions;
}

export async function absorb(
  { db, versions }: Place,
  model: ModelTable,
  { raw, files, parameters, landing }: Absorption,
): Promise<Absorbed> {
  const fresh = await notAbsorbed(db, model.name, files);
  if (fresh.length === 0) return { files: 0, rows: 0, firstTime: null, lastTime: null };
  const sql = renderParameters(model.sql, parameters);
  await landing?.check(fresh);
  return db.atomic(async () => {
    await bindLanding(db, raw, fresh);
    const rows = await insert(db, model, `(${sql}\n)`);
    const span = await checkBatch(db, { model, sql, time: raw.kept.time });
    // One that changed while it was read is rolled back.
    await landing?.check(fresh);
    const values = fresh.map((file) => {
      const sha256 = literal(landing?.sha256Of(file) ?? null);
      return `(${literal(model.name)}, ${literal(basename(file))}, ${span.firstTime ?? 'null'}, false, ${sha256})`;
    });
    await db.execute(`insert into meta.absorbed values ${values.join(', ')}`);
    if (rows > 0) await versions.bump([model.name]);
    return { files: fresh.length, rows, ...span };
  });
}

async function notAbsorbed(db: DuckDb, model: string, files: readonly string[]): Promise<readonly string[]> {
  if (files.length === 0) return [];
  const names = files.map((file) => literal(basename(file))).join(', ');
  const rows = await db.rows(
    `select file from meta.absorbed where table_name = ${literal(model)} and file in (${names})`,
  );
  const known = new Set(rows.map((row) => row['file']));
  return files.filter((file) => !known.has(basename(file)));
}

interface NewRows {
  readonly model: ModelTable;
  readonly sql: string;
  readonly time: string;
}

/** Checks only the new rows. Landing has removed repeated keys; a model that multiplies rows is caught here. */
async function checkBatch(
  db: DuckDb,
  { model, sql, time }: NewRows,
): Promise<Pick<Absorbed, 'firstTime' | 'lastTime'>> {
  const [batch] = await db.rows(`
    select count(*) as rows, count(distinct hash(${model.grain.join(', ')})) as keys,
      min(${time}) as first_time, max(${time}) as last_time
    from (${sql}\n)`);
  if (batch === undefined) throw new Error(`${model.file}: the new rows could not be counted`);
  // Two keys with the same hash are practically impossible, but are distinguished here.
  if (batch['rows'] !== batch['keys']) await refuseRepeated(db, model, sql);
  const seconds = (value: unknown) => (value === null ? null : Number(value));
  return { firstTime: seconds(batch['first_time']), lastTime: seconds(batch['last_time']) };
}

async function refuseRepeated(db: DuckDb, model: ModelTable, sql: string): Promise<void> {
  const grain = model.grain.join(', ');
  const rows = await db.rows(`select ${grain} from (${sql}\n) group by ${grain} having count(*) > 1 limit 5`);
  if (rows.length === 0) return;
  throw new Error(
    `${model.file}: rows share one ${grain}: ${JSON.stringify(rows)}: one row each, or widen the grain`,
  );
}

export function absorbedFiles(db: DuckDb): AbsorbedFiles {
  return {
    async list(models) {
      if (models.length === 0) return [];
      const rows = await db.rows(
        `select table_name, file, sha256 from meta.absorbed where table_name in (${models.map(literal).join(', ')}) order by file, table_name`,
      );
      return rows.map(({ table_name, file, sha256 }) => ({
        model: String(table_name),
        file: String(file),
        sha256: sha256 === null ? null : String(sha256),
      }));
    },
    async adopt(model, { file, sha256, replaces }) {
      const names = replaces.map(literal).join(', ');
      const parts = `table_name = ${literal(model)} and file in (${names})`;
      await db.atomic(async () => {
        await db.execute(`insert into meta.absorbed
          select table_name, ${literal(file)}, min(first_time), bool_and(is_settled), ${literal(sha256)}
          from meta.absorbed where ${parts} group by table_name`);
        await db.execute(`delete from meta.absorbed where ${parts}`);
      });
    },
    async firstTime(of) {
      const open = of === 'unsettled' ? ' where not is_settled' : '';
      const [row] = await db.rows(`select min(first_time) as first_time from meta.absorbed${open}`);
      return typeof row?.['first_time'] === 'number' ? row['first_time'] : null;
    },
    async lateModels(before) {
      const late = await db.rows(
        `select distinct table_name from meta.absorbed where not is_settled and first_time < ${before} order by table_name`,
      );
      return late.map((row) => String(row['table_name']));
    },
    async settle() {
      await db.execute('update meta.absorbed set is_settled = true where not is_settled');
    },
  };
}
