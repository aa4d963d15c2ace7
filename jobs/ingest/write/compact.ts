// Merges the many small files of a closed day into one per source. The new receipt names the batches that it replaces. Once it is renamed
// into place, they no longer count and are removed; after a crash in between, the next start finishes the removal.
import { join } from 'node:path';
import type { RawTable } from '../../define/raw-table.ts';
import { LANDED_COLUMNS, list } from '../../engine/duckdb/landed-sql.ts';
import type { DuckDb } from '../../engine/duckdb/session.ts';
import { literal, quoted } from '../../engine/sql-text.ts';
import { IngestError, writeError } from '../errors.ts';
import { seal } from '../receipts/checked-files.ts';
import { landedFiles, type Origin, type Receipt } from '../receipts/receipt.ts';
import { contentsOf } from '../receipts/receipts.ts';
import type { IngestTools } from '../batch.ts';
import { hashOf } from '../hash.ts';
import { dayFolder, dayOf, removeQuietly, temporaryPath } from '../data-folder.ts';

/** Resolves to the new receipts: none when every source already has a single file for that day. */
export async function compactDay(
  tools: IngestTools,
  table: RawTable,
  day: string,
): Promise<readonly Receipt[]> {
  const ofDay = tools.receipts.all(table.name).filter((receipt) => dayOf(receipt.interval.to) === day);
  const made: Receipt[] = [];
  for (const source of [...new Set(ofDay.map((receipt) => receipt.source.id))].sort()) {
    const parts = ofDay.filter((receipt) => receipt.source.id === source);
    if (parts.length > 1) made.push(await compactParts(tools, table, parts));
  }
  return made;
}

async function compactParts(
  tools: IngestTools,
  table: RawTable,
  parts: readonly Receipt[],
): Promise<Receipt> {
  const batch = hashOf(
    'compaction',
    parts.map((part) => part.batch),
  );
  const temporary = temporaryPath(`${batch}.parquet`);
  const landed = landedFiles(parts);
  const files = landed.map(({ path }) => join(tools.folder.dir, path));
  try {
    await tools.receipts.checkFiles(landed);
    const written = files.length === 0 ? null : await writeFile(tools, table, { files, temporary });
    // Checked again in case a part changed while it was read: its originals must not be removed.
    await tools.receipts.checkFiles(landed);
    const receipt = combine(parts, batch, written);
    await tools.receipts.commit(
      receipt,
      receipt.file === null ? [] : [{ from: temporary, to: receipt.file }],
    );
    return receipt;
  } finally {
    await removeQuietly(tools.folder, [temporary]);
  }
}

async function writeFile(
  { db, folder }: IngestTools,
  table: RawTable,
  { files, temporary }: { files: readonly string[]; temporary: string },
): Promise<{ sha256: string; rows: number }> {
  const target = join(folder.dir, temporary);
  const columns = [...table.fields, ...LANDED_COLUMNS].map((column) => quoted(column.name)).join(', ');
  const rowsOf = (paths: readonly string[]) =>
    `select ${columns} from read_parquet(${list(paths)}, union_by_name = true, hive_partitioning = false)`;
  try {
    await db.execute(`copy (${rowsOf(files)}) to ${literal(target)} (format parquet, compression zstd)`);
  } catch (error) {
    throw writeError(error, target);
  }
  const [before, after] = [
    await contentOf(db, rowsOf(files), columns),
    await contentOf(db, rowsOf([target]), columns),
  ];
  if (before.hash !== after.hash) {
    const todo = 'The old files are untouched. Run again; if it recurs, check memory and disk, and report it';
    throw new IngestError('damaged_landing', 'the merged file reads back differently', {
      file: target,
      todo,
    });
  }
  return { sha256: await seal(folder, temporary), rows: after.rows };
}

/** The number of rows and a hash over all of them that does not depend on their order. */
async function contentOf(db: DuckDb, rows: string, columns: string): Promise<{ rows: number; hash: string }> {
  const [row] = await db.rows(
    `select count(*) as n, coalesce(cast(sum(hash(${columns})) as varchar), '') as hash from (${rows})`,
  );
  return { rows: Number(row?.['n']), hash: String(row?.['hash']) };
}

function combine(
  parts: readonly Receipt[],
  batch: string,
  written: { sha256: string; rows: number } | null,
): Receipt {
  const last = parts.at(-1);
  if (last === undefined) throw new Error('Nothing to compact.');
  const landed = sum(parts, 'rows_landed');
  if (landed !== (written?.rows ?? 0)) {
    const todo = 'The old files are untouched. Check them with the command `verify` of the jobs';
    throw new IngestError(
      'damaged_landing',
      `the receipts state ${landed} rows, the files hold ${written?.rows ?? 0}`,
      { file: last.table, todo },
    );
  }
  const to = Math.max(...parts.map((part) => part.interval.to));
  const { landed_with: _, stands_for: _names, mappings: _mappings, ...facts } = last;
  return {
    ...facts,
    batch,
    interval: { from: Math.min(...parts.map((part) => part.interval.from)), to },
    contents: [...new Set(parts.flatMap(contentsOf))].sort(),
    ...countsOf(parts),
    file: written === null ? null : join(dayFolder(last.table, dayOf(to)), `${batch}.parquet`),
    file_sha256: written?.sha256 ?? null,
    quarantine_files: Object.assign({}, ...parts.map((part) => part.quarantine_files)),
    ...timesOf(parts),
    reasons: addReasons(parts),
    refusals: parts.flatMap(({ refusals = [] }) => refusals),
    over_limit: parts.some((part) => part.over_limit),
    origin: { ...last.origin, kind: 'compaction', stamp: null },
    replaces: parts.flatMap((part) => [part.batch, ...(part.replaces ?? [])]),
    origins: Object.fromEntries(parts.flatMap(originsOf)),
    redrives: parts.flatMap((part) => part.redrives ?? []),
    ...unionOf('mappings', parts),
    ...unionOf('stands_for', parts),
  };
}

const countsOf = (parts: readonly Receipt[]) => ({
  rows_in: sum(parts, 'rows_in'),
  rows_landed: sum(parts, 'rows_landed'),
  rows_quarantined: sum(parts, 'rows_quarantined'),
  rows_deduplicated: sum(parts, 'rows_deduplicated'),
  ...filteredOf(parts),
});

/** Absent if no part has any. */
function unionOf<Name extends 'mappings' | 'stands_for'>(
  name: Name,
  parts: readonly Receipt[],
): Pick<Receipt, Name> {
  const all = [...new Set(parts.flatMap((part) => part[name] ?? []))].sort();
  return (all.length === 0 ? {} : { [name]: all }) as unknown as Pick<Receipt, Name>;
}

function filteredOf(parts: readonly Receipt[]): Pick<Receipt, 'rows_filtered'> {
  const counts = parts.map(({ rows_filtered }) => rows_filtered).filter((rows) => rows !== undefined);
  return counts.length === 0 ? {} : { rows_filtered: counts.reduce((total, rows) => total + rows, 0) };
}

function timesOf(parts: readonly Receipt[]): Pick<Receipt, 'first_time' | 'last_time'> {
  const firsts = parts.map((part) => part.first_time).filter((time) => time !== null);
  const lasts = parts.map((part) => part.last_time).filter((time) => time !== null);
  return {
    first_time: firsts.length === 0 ? null : Math.min(...firsts),
    last_time: lasts.length === 0 ? null : Math.max(...lasts),
  };
}

/** A batch's bad rows can only be read again if it is known how it was read. */
function originsOf({ batch, origin, origins = {}, replaces, rows_quarantined }: Receipt): [string, Origin][] {
  const isOwn = rows_quarantined > 0 && replaces === undefined;
  return [...Object.entries(origins), ...(isOwn ? [[batch, origin] as [string, Origin]] : [])];
}

const sum = (
  parts: readonly Receipt[],
  name: 'rows_in' | 'rows_landed' | 'rows_quarantined' | 'rows_deduplicated',
) => parts.reduce((total, part) => total + part[name], 0);

function addReasons(parts: readonly Receipt[]): { [reason: string]: number } {
  const totals: { [reason: string]: number } = {};
  for (const part of parts) {
    for (const [reason, count] of Object.entries(part.reasons))
      totals[reason] = (totals[reason] ?? 0) + count;
  }
  return totals;
}
