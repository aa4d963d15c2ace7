// Adds landed files to `append` models and records which files were added: rows and file names in one transaction. Many rows are added in
// parts, because sorting and checking takes memory for all rows of a statement.
import { basename } from 'node:path';
import type { ModelTable } from '../model.ts';
import { renderParameters } from '../parameters.ts';
import { cutsOf, MAX_STRETCH_ROWS, rowsByDayOf, rowsByDaySql } from '../stretches.ts';
import type { AbsorptionReport, Absorption } from '../warehouse.ts';
import type { AbsorbedList } from './absorbed-files.ts';
import { bindLanding } from './bind.ts';
import type { DuckDb } from './session.ts';
import type { Versions } from './versions.ts';
import { insert } from './write-model.ts';

interface AbsorptionContext {
  readonly db: DuckDb;
  readonly versions: Versions;
  readonly absorbed: AbsorbedList;
  /** Runs the work in one transaction, together with the new versions of the tables that it changes. */
  readonly atomic: DuckDb['atomic'];
  /** Rows that one statement sorts and checks. */
  readonly maxRows?: number;
}

export async function absorb(
  { db, versions, absorbed, atomic, maxRows = MAX_STRETCH_ROWS }: AbsorptionContext,
  model: ModelTable,
  { raw, files, parameters, landing }: Absorption,
): Promise<AbsorptionReport> {
  const fresh = await notAbsorbed(absorbed, model.name, files);
  if (fresh.length === 0) return { files: 0, rows: 0, firstTime: null, lastTime: null };
  const sql = renderParameters(model.sql, parameters);
  await landing?.check(fresh);
  return atomic(async () => {
    await bindLanding(db, raw, fresh);
    const next = await nextRowNumber(db, model.name);
    const { time } = raw.observations;
    const landed = fresh.reduce((sum, file) => sum + (landing?.rowsOf(file) ?? 0), 0);
    const parts = landed <= maxRows ? [`(${sql}\n)`] : await partsOf(db, { sql, time, maxRows });
    const { rows, ...span } = await insertParts(db, model, { parts, time, next });
    // A file that changed while it was being read makes this throw, which rolls the batch back.
    await landing?.check(fresh);
    await absorbed.add(
      model.name,
      fresh.map((file) => ({
        file: basename(file),
        firstTime: span.firstTime,
        sha256: landing?.sha256Of(file) ?? null,
      })),
    );
    if (rows > 0) {
      if (next < FIRST_UNCOMMITTED) await versions.bumpAdded(model.name, Number(next));
      else await versions.bump([model.name]);
      await versions.noteFilled(model.name, true);
    }
    return { files: fresh.length, rows, ...span };
  });
}

interface NewRows {
  /** The query of the model. */
  readonly sql: string;
  readonly time: string;
  readonly maxRows: number;
}

/** Queries that together return the new rows, each those of some days. Rows without an instant belong to the last one. */
async function partsOf(db: DuckDb, { sql, time, maxRows }: NewRows): Promise<readonly string[]> {
  const all = `(${sql}\n)`;
  const days = rowsByDayOf(await db.rows(rowsByDaySql(`${all} where ${time} is not null`, time)));
  const cuts = cutsOf(days, maxRows);
  return [undefined, ...cuts].map((start, place) => {
    const end = cuts[place];
    const after = start === undefined ? 'true' : `(${time} >= ${start} or ${time} is null)`;
    return `${all} where ${after} and ${end === undefined ? 'true' : `${time} < ${end}`}`;
  });
}

/** Adds the rows of each part and checks them. `next`: the number that the first of them gets. */
async function insertParts(
  db: DuckDb,
  model: ModelTable,
  { parts, time, next }: { readonly parts: readonly string[]; readonly time: string; readonly next: bigint },
): Promise<Omit<AbsorptionReport, 'files'>> {
  // Rows that repeat a key are of the same part if the key states their time.
  const isTimed = model.grain.includes(time);
  const spans: Pick<AbsorptionReport, 'firstTime' | 'lastTime'>[] = [];
  let rows = 0;
  for (const part of parts) {
    const from = isTimed && rows > 0 ? await nextRowNumber(db, model.name) : next;
    rows += await insert(db, model, part);
    if (!isTimed && part !== parts.at(-1)) continue;
    spans.push(
      await checkBatch(db, { model, sql: `select * from ${model.name} where rowid >= ${from}`, time }),
    );
  }
  const times = (of: 'firstTime' | 'lastTime') => spans.map((span) => span[of]).filter((one) => one !== null);
  return {
    rows,
    firstTime: times('firstTime').reduce<number | null>((a, b) => Math.min(a ?? b, b), null),
    lastTime: times('lastTime').reduce<number | null>((a, b) => Math.max(a ?? b, b), null),
  };
}

/** Row numbers from here on are those of uncommitted rows, which will change. */
const FIRST_UNCOMMITTED = 2n ** 52n;

/** The number of the next row that is added. Those of uncommitted rows are no exact doubles. */
async function nextRowNumber(db: DuckDb, table: string): Promise<bigint> {
  const [row] = await db.rows(`select cast(max(rowid) + 1 as varchar) as next from ${table}`);
  return BigInt(String(row?.['next'] ?? 0));
}

async function notAbsorbed(
  absorbed: AbsorbedList,
  model: string,
  files: readonly string[],
): Promise<readonly string[]> {
  const fresh: string[] = [];
  for (const file of files) if (!(await absorbed.has(model, basename(file)))) fresh.push(file);
  return fresh;
}

/** Checks only the new rows. Landing has removed repeated keys; a model that multiplies rows is caught here. */
export async function checkBatch(
  db: DuckDb,
  { model, sql, time }: { readonly model: ModelTable; readonly sql: string; readonly time: string },
): Promise<Pick<AbsorptionReport, 'firstTime' | 'lastTime'>> {
  const [batch] = await db.rows(`
    select count(*) as rows, count(distinct hash(${model.grain.join(', ')})) as keys,
      min(${time}) as first_time, max(${time}) as last_time
    from (${sql}\n)`);
  if (batch === undefined) throw new Error(`${model.file}: the new rows could not be counted.`);
  // The counts may also differ because two keys have the same hash: practically impossible, but ruled out here.
  if (batch['rows'] !== batch['keys']) await refuseRepeated(db, model, sql);
  const seconds = (value: unknown) => (value === null ? null : Number(value));
  return { firstTime: seconds(batch['first_time']), lastTime: seconds(batch['last_time']) };
}

async function refuseRepeated(db: DuckDb, model: ModelTable, sql: string): Promise<void> {
  const grain = model.grain.join(', ');
  const rows = await db.rows(`select ${grain} from (${sql}\n) group by ${grain} having count(*) > 1 limit 5`);
  if (rows.length === 0) return;
  throw new Error(
    `${model.file}: several rows share one ${grain}: ${JSON.stringify(rows)}; return one row for each, or widen the grain.`,
  );
}
