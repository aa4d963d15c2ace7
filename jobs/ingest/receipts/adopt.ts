// Restores files that were set aside under `lost+found/`: with their receipt if it is back, otherwise with a new one for the rows that no
// other batch has. Works on the bare folder, because landing cannot be opened while a receipt is missing. Only for the single writer.
import { basename, join } from 'node:path';
import { DAY_S } from '../../../platform/base/time.ts';
import type { RawTable } from '../../define/raw-table.ts';
import type { SourceFacts } from '../../define/source.ts';
import { LANDED_COLUMNS, list } from '../../engine/duckdb/landed-sql.ts';
import type { DuckDb } from '../../engine/duckdb/session.ts';
import { literal, quoted } from '../../engine/sql-text.ts';
import {
  type DataFolder,
  dayFolder,
  makeFolder,
  namesIn,
  quarantinePath,
  remove,
  TEMPORARY_FOLDER,
  temporaryPath,
} from '../data-folder.ts';
import { hashOf } from '../hash.ts';
import { readCatalogue } from './catalogue.ts';
import { hashOfFile, seal } from './checked-files.ts';
import { bringBack, LOST_AND_FOUND, lostFiles } from './lost-and-found.ts';
import { landedFiles, type Receipt, standingOf } from './receipt.ts';
import { DEFAULT_LIMIT_PCT, type Move, ReceiptStore } from './receipts.ts';
import { wantedFiles } from './recover.ts';
import { surveyLanding, withoutReplaced } from './survey.ts';

export interface Adoption {
  readonly dataFolder: DataFolder;
  readonly db: DuckDb;
  readonly tables: readonly RawTable[];
  /** Facts of a configured source. */
  readonly sourceOf: (id: string) => SourceFacts | undefined;
}

export interface AdoptedFile {
  /** Path under the data folder where it was found. */
  readonly file: string;
  /** Rows that landed with it; null when it was left in place. */
  readonly rows: number | null;
  readonly what: string;
}

interface LostFile {
  readonly file: string;
  readonly table: RawTable;
  readonly day: string;
  /** Its name without extensions. */
  readonly batch: string;
}

/** One entry per file, ordered by path. */
export async function adoptFound(adoption: Adoption): Promise<readonly AdoptedFile[]> {
  const { dataFolder, tables } = adoption;
  await makeFolder(dataFolder, TEMPORARY_FOLDER);
  const back = await bringBack(dataFolder, wantedFiles(await surveyLanding(dataFolder)));
  const adopted: AdoptedFile[] = back.map((file) => ({
    file,
    rows: 0,
    what: 'put back: its receipt has been restored',
  }));
  for (const file of await lostFiles(dataFolder)) {
    const [, folder, name, day, last] = file.split('/');
    // Bad rows go with their batch.
    if (folder === 'quarantine') continue;
    const table = tables.find((one) => one.name === name);
    const batch = basename(last ?? '').replace(/\..*/, '');
    const isRows = /\.parquet(\.\d+)?$/.test(file) && day?.startsWith('day=');
    adopted.push(
      table === undefined || day === undefined || !isRows
        ? { file, rows: null, what: 'left: these are not rows of a known table' }
        : await adopt(adoption, { file, table, day: day.slice('day='.length), batch }),
    );
  }
  return adopted;
}

async function adopt(adoption: Adoption, lost: LostFile): Promise<AdoptedFile> {
  const { dataFolder } = adoption;
  const left = (why: string): AdoptedFile => ({ file: lost.file, rows: null, what: `left: ${why}` });
  const { receipts } = await surveyLanding(dataFolder);
  if (receipts.some(({ receipt }) => receipt.batch === lost.batch)) return left('its batch has landed again');
  const path = join(dayFolder(lost.table.name, lost.day), `${lost.batch}.json`);
  const known = (await readCatalogue(dataFolder))?.entries.get(path);
  const sha256 = await hashOfFile(join(dataFolder.dir, lost.file));
  if (known !== undefined && known.file !== sha256)
    return left('it is not the file that landed: restore it from a backup');
  const strange = await strangeness(adoption, lost);
  if (strange !== null) return left(strange);
  const counting = standingOf(withoutReplaced(receipts)).counting;
  const others = landedFiles(counting.filter(({ table }) => table === lost.table.name));
  const rows = await freshRows(adoption, lost, { sha256, others: others.map(({ path: file }) => file) });
  if (rows.landed === 0) return left('all of its rows have landed in other batches: remove it');
  const receipt = await receiptFor(adoption, lost, rows);
  await new ReceiptStore(dataFolder, DEFAULT_LIMIT_PCT).commit(
    receipt,
    await movesFor(dataFolder, lost, { rows, receipt }),
  );
  // Its rows that are not in the new file have landed in other batches.
  if (rows.path !== lost.file) await remove(dataFolder, lost.file);
  return { file: lost.file, rows: rows.landed, what: 'adopted with a new receipt' };
}

/** Why the file's rows are not rows of the table; null if they are. */
async function strangeness({ db, dataFolder }: Adoption, { file, table }: LostFile): Promise<string | null> {
  const source = `read_parquet(${literal(join(dataFolder.dir, file))}, hive_partitioning = false)`;
  const columns = await db.rows(`describe select * from ${source}`).catch((error: unknown) => String(error));
  if (typeof columns === 'string') return `it cannot be read: ${columns}`;
  const names = new Set(columns.map((row) => String(row['column_name'])));
  const needed = [...table.key, table.time, ...LANDED_COLUMNS.map(({ name }) => name)];
  const missing = needed.filter((name) => !names.has(name));
  if (missing.length > 0) return `it lacks ${missing.join(', ')}, which rows of ${table.name} have`;
  const [row] = await db.rows(`select count(distinct source_id) as sources from ${source}`);
  return Number(row?.['sources']) === 1 ? null : 'its rows do not come from one source';
}

interface FreshRows {
  /** Path of the rows to land, relative to the data folder. */
  readonly path: string;
  readonly sha256: string;
  readonly batch: string;
  readonly landed: number;
  readonly repeated: number;
}

/** The file itself if no other batch has any of its rows; otherwise a new file of the rows that no other batch has. */
async function freshRows(
  { db, dataFolder }: Adoption,
  { file, table, batch }: LostFile,
  { sha256, others }: { readonly sha256: string; readonly others: readonly string[] },
): Promise<FreshRows> {
  const own = `read_parquet(${literal(join(dataFolder.dir, file))}, hive_partitioning = false)`;
  const all = Number((await db.rows(`select count(*) as n from ${own}`))[0]?.['n']);
  const whole = { path: file, sha256, batch, landed: all, repeated: 0 };
  if (others.length === 0) return whole;
  const paths = others.map((one) => join(dataFolder.dir, one));
  const isSame = table.key
    .map((name) => `o.${quoted(name)} is not distinct from r.${quoted(name)}`)
    .join(' and ');
  const fresh = `select r.* from ${own} r where not exists (select 1 from read_parquet(${list(paths)}, union_by_name = true, hive_partitioning = false) o where ${isSame})`;
  const landed = Number((await db.rows(`select count(*) as n from (${fresh})`))[0]?.['n']);
  if (landed === all || landed === 0) return { ...whole, landed, repeated: all - landed };
  const name = hashOf('adopted', sha256, landed);
  const path = temporaryPath(`${name}.parquet`);
  await db.execute(
    `copy (${fresh}) to ${literal(join(dataFolder.dir, path))} (format parquet, compression zstd)`,
  );
  return { path, sha256: await seal(dataFolder, path), batch: name, landed, repeated: all - landed };
}

async function receiptFor(
  { db, dataFolder, sourceOf }: Adoption,
  lost: LostFile,
  rows: FreshRows,
): Promise<Receipt> {
  const { table, day } = lost;
  const source = `read_parquet(${literal(join(dataFolder.dir, rows.path))}, hive_partitioning = false)`;
  const time = quoted(table.time);
  const [facts] = await db.rows(
    `select min(source_id) as source, max(fetched_at) as fetched, min(${time}) filter (where ${time} <> 0) as first, max(${time}) filter (where ${time} <> 0) as last from ${source}`,
  );
  const id = String(facts?.['source']);
  const from = Date.parse(day) / 1000;
  const quarantine = await quarantineOf(dataFolder, lost);
  const orNull = (value: unknown) => (value === null || value === undefined ? null : Number(value));
  return {
    batch: rows.batch,
    table: table.name,
    source: sourceOf(id) ?? { id, kind: 'file', name: id, url: null, chain: null, license: null },
    interval: { from, to: from + DAY_S - 1 },
    fetched_at: Number(facts?.['fetched']),
    content_hash: hashOf('adopted', rows.sha256),
    rows_in: rows.landed + rows.repeated + quarantine.rows,
    rows_landed: rows.landed,
    rows_quarantined: quarantine.rows,
    rows_deduplicated: rows.repeated,
    file: join(dayFolder(table.name, day), `${rows.batch}.parquet`),
    file_sha256: rows.sha256,
    quarantine_files: quarantine.sha256 === null ? {} : { [rows.batch]: quarantine.sha256 },
    first_time: orNull(facts?.['first']),
    last_time: orNull(facts?.['last']),
    reasons: quarantine.rows === 0 ? {} : { 'record: adopted with its batch': quarantine.rows },
    over_limit: false,
    origin: ADOPTED,
  };
}

const ADOPTED: Receipt['origin'] = {
  kind: 'adopted',
  path: null,
  stamp: null,
  format: null,
  delimiter: null,
  header: null,
  mapping_hash: null,
  fields: null,
};

const lostQuarantine = ({ table, batch }: LostFile) =>
  join(LOST_AND_FOUND, quarantinePath(table.name, batch));

async function quarantineOf(
  folder: DataFolder,
  lost: LostFile,
): Promise<{ readonly rows: number; readonly sha256: string | null }> {
  const path = lostQuarantine(lost);
  const isThere = (await namesIn(folder, join(path, '..'))).includes(basename(path));
  if (!isThere) return { rows: 0, sha256: null };
  const text = (await folder.disk.read(join(folder.dir, path))).toString('utf8');
  return {
    rows: text.split('\n').filter((line) => line !== '').length,
    sha256: await hashOfFile(join(folder.dir, path)),
  };
}

async function movesFor(
  folder: DataFolder,
  lost: LostFile,
  { rows, receipt }: { readonly rows: FreshRows; readonly receipt: Receipt },
): Promise<readonly Move[]> {
  await makeFolder(folder, dayFolder(lost.table.name, lost.day));
  const bad = { from: lostQuarantine(lost), to: quarantinePath(lost.table.name, receipt.batch) };
  return [...(receipt.rows_quarantined === 0 ? [] : [bad]), { from: rows.path, to: receipt.file ?? '' }];
}
