// From a relation of cells to a committed batch: check, deduplicate, write Parquet and quarantine, and finally the receipt.
// Nothing is visible before the receipt is; a failure before that leaves only files that the next start removes.
import { DAY_S } from '../../../platform/base/time.ts';
import type { DuckDb } from '../../engine/duckdb/session.ts';
import { FILTERED } from '../check/checks.ts';
import { join } from 'node:path';
import type { RawTable } from '../../define/raw-table.ts';
import { literal, quoted } from '../../engine/sql-text.ts';
import {
  type Census,
  compareWithLanded,
  type EarlierRows,
  hasConflicts,
  isKeyTimed,
  judge,
  storedColumns,
  type StagedBatch,
  takeCensus,
  VERDICTS,
} from '../check/dedupe.ts';
import { enrich, forgetDelivery } from '../check/enrich.ts';
import type { Forms } from '../check/mapping.ts';
import { refuseMixedNotations } from '../check/mixed-notations.ts';
import { selectRows } from '../check/select-rows.ts';
import { writeError, IngestError } from '../errors.ts';
import { type BadRows, quarantineLines } from '../quarantine/quarantine.ts';
import { type RefusedRow, refusalsIn, refusedRows } from '../quarantine/refusals.ts';
import { INEXACT } from '../read/read-json.ts';
import { RecordsDisagreeError, type Relation } from '../read/relation.ts';
import { hashOfFile, seal } from '../receipts/checked-files.ts';
import type { Receipt } from '../receipts/receipt.ts';
import { isOverLimit, type Move } from '../receipts/receipts.ts';
import type { IngestTools, LandedBatch } from '../batch.ts';
import {
  dayFolder,
  dayOf,
  quarantinePath,
  removeQuietly,
  temporaryPath,
  writeTemporary,
} from '../data-folder.ts';
import { readBack } from './read-back.ts';

interface Outcome {
  readonly census: Census;
  /** Record number -> why it was refused, and its subject. */
  readonly bad: ReadonlyMap<number, RefusedRow>;
  readonly deduplicated: number;
  /** Rows that the source filters out. */
  readonly filtered: number;
  /** Temporary Parquet file with the rows that land; null when there is none. */
  readonly file: string | null;
}

const stagedPath = (batch: LandedBatch) => temporaryPath(`${batch.batch}.all.parquet`);

/** Reads the relation into a temporary Parquet file of all rows with their verdicts. Throws the engine's errors. */
export async function stageRows(
  { db, folder, key }: IngestTools,
  batch: LandedBatch,
  relation: Relation,
): Promise<string> {
  const path = stagedPath(batch);
  const { table, mappings, source, context } = batch;
  try {
    const filled = await enrich({ db, key }, relation, { table, mappings });
    const range = context.successor?.range;
    const selection = {
      table,
      mappings,
      sourceId: source.id,
      fetchedAt: context.fetchedAt,
      ...(range === undefined ? {} : { range }),
    };
    const file = literal(join(folder.dir, path));
    const write = (forms: Forms) =>
      db.execute(
        `copy (${selectRows(filled, { ...selection, forms })}) to ${file} (format parquet, compression zstd)`,
      );
    // A small delivery takes longer to plan than to read, and seldom has a bad row or an unusual number.
    if (batch.isSmall === true && batch.isFiltered !== true) {
      await write('usual');
      const isBad = `source_id <> ${literal(source.id)}`;
      const bad = await db.rows(`select 1 as one from read_parquet(${file}) where ${isBad} limit 1`);
      if (bad.length === 0) return path;
    }
    await write('all');
  } finally {
    await forgetDelivery(db, table);
  }
  return path;
}

/** Commits the staged rows; resolves to null when a redrive found none that can land. Throws IngestError, RecordsDisagreeError. */
export async function commitRows(
  tools: IngestTools,
  batch: LandedBatch,
  staged: { path: string; relation: Relation },
): Promise<Receipt | null> {
  const made: string[] = [staged.path];
  try {
    const outcome = await sortOut(tools, batch, staged.path);
    if (outcome.file !== null) made.push(outcome.file);
    await refuseMixedNotations(tools.db, {
      table: batch.table,
      mappings: batch.mappings,
      relation: staged.relation,
      file: batch.origin.path ?? batch.table.name,
      reasons: new Set([...outcome.bad.values()].map(({ reason }) => reason)),
    });
    batch.onRefused?.(outcome.bad);
    if (batch.redrive !== undefined && outcome.bad.size === outcome.census.rows) return null;
    const counted = await makeReceipt(tools, batch, outcome);
    const moves: Move[] = [];
    let receipt = counted;
    if (counted.rows_quarantined > 0) {
      const bad = { relation: staged.relation, rows: outcome.census.rows, refused: outcome.bad };
      const quarantine = await writeQuarantine(tools, batch, bad);
      made.push(quarantine.move.from);
      moves.push(quarantine.move);
      receipt = { ...counted, quarantine_files: { [batch.batch]: quarantine.sha256 } };
    }
    if (outcome.file !== null && receipt.file !== null) moves.push({ from: outcome.file, to: receipt.file });
    await tools.receipts.commit(receipt, moves);
    return receipt;
  } finally {
    await removeQuietly(tools.folder, made);
  }
}

const stagedOf = (
  { db, folder }: Pick<IngestTools, 'db' | 'folder'>,
  batch: LandedBatch,
  path = stagedPath(batch),
): StagedBatch => ({ db, table: batch.table, sourceId: batch.source.id, path: join(folder.dir, path) });

async function sortOut(tools: IngestTools, batch: LandedBatch, path: string): Promise<Outcome> {
  const { db } = tools;
  const staged = stagedOf(tools, batch, path);
  const census = await takeCensus(staged);
  const earlier = await earlierRows(tools, staged, census);
  if (census.bad === 0 && census.isUnique && earlier === null) {
    return { census, bad: new Map(), deduplicated: 0, filtered: 0, file: census.rows === 0 ? null : path };
  }
  try {
    await judge(staged, census, earlier);
    if (earlier !== null && 'storedColumns' in earlier && (await hasConflicts(db)))
      await compareWithLanded(staged, await tools.keys.filesWithin(batch.table, census));
    const { dropped, filtered, refused } = await countVerdicts(db);
    const bad = refused === 0 ? new Map<number, RefusedRow>() : await refusedRows(staged);
    if ([...bad.values()].some(({ reason }) => reason === INEXACT)) throw new RecordsDisagreeError(INEXACT);
    const counts = { census, bad, deduplicated: dropped - bad.size - filtered, filtered };
    if (dropped === 0) return { ...counts, file: path };
    if (dropped === census.rows) return { ...counts, file: null };
    return { ...counts, file: await copyGood(tools, batch, path) };
  } finally {
    await db.execute(`drop table if exists ${VERDICTS}`);
  }
}

async function countVerdicts(db: IngestTools['db']) {
  const isFiltered = `reason = ${literal(FILTERED)}`;
  const [row] = await db.rows(`select count(*) as dropped, count(*) filter (where ${isFiltered}) as filtered,
    count(*) filter (where not ${isFiltered}) as refused from ${VERDICTS}`);
  const number = (name: string) => Number(row?.[name] ?? 0);
  return { dropped: number('dropped'), filtered: number('filtered'), refused: number('refused') };
}

/** Where rows with keys of the batch may be; null if none has landed. */
async function earlierRows(
  { db, receipts, keys }: IngestTools,
  staged: StagedBatch,
  { firstTime, lastTime, untimed }: Census,
): Promise<EarlierRows | null> {
  const { table } = staged;
  if (!receipts.hasRows(table.name)) return null;
  if (isKeyTimed(table)) {
    const span = [(firstTime ?? 0) - DAY_S, (lastTime ?? 0) + DAY_S] as const;
    if (untimed === 0 && !receipts.overlaps(table.name, ...span)) return null;
    const columns = await storedColumns(db, table);
    if (columns !== null) return { storedColumns: columns };
  }
  const files = await keys.filesWith(staged);
  return files.length === 0 ? null : { files };
}

async function makeReceipt(
  { db, folder, quarantineLimitPct, readBack: extent }: IngestTools,
  batch: LandedBatch,
  outcome: Outcome,
): Promise<Receipt> {
  const { census, bad, deduplicated, filtered, file } = outcome;
  const isRedrive = batch.redrive !== undefined;
  const rowsIn = isRedrive ? census.rows - bad.size : census.rows;
  const quarantined = isRedrive ? 0 : bad.size;
  const written = await writtenRows({ db, folder }, batch, outcome);
  if (file !== null)
    await readBack(db, batch.table, { path: join(folder.dir, file), rows: written.rows }, extent);
  const name = join(dayFolder(batch.table.name, dayOf(batch.context.interval.to)), `${batch.batch}.parquet`);
  const receipt: Receipt = {
    batch: batch.batch,
    table: batch.table.name,
    source: batch.source,
    interval: batch.context.interval,
    fetched_at: batch.context.fetchedAt,
    content_hash: batch.contentHash,
    rows_in: rowsIn,
    rows_landed: rowsIn - quarantined - deduplicated - filtered,
    rows_quarantined: quarantined,
    rows_deduplicated: deduplicated,
    ...(batch.isFiltered === true ? { rows_filtered: filtered } : {}),
    ...(batch.joined === undefined ? {} : { joined: batch.joined }),
    file: file === null ? null : name,
    file_sha256: file === null ? null : await seal(folder, file),
    first_time: written.first,
    last_time: written.last,
    reasons: isRedrive ? {} : countReasons(bad),
    over_limit: isOverLimit(quarantined, rowsIn - filtered, quarantineLimitPct),
    ...(await refusalsIn(stagedOf({ db, folder }, batch), { batch, rows: rowsIn - filtered, bad })),
    origin: batch.origin,
    ...mappingMembers(batch),
    ...(batch.redrive === undefined ? {} : { redrives: batch.redrive(goodRecords(outcome)) }),
  };
  assertCounts(receipt, written.rows);
  return receipt;
}

/** The mapping, and what it takes the place of. */
function mappingMembers({ mapping, context, ordinaryName }: LandedBatch): Partial<Receipt> {
  const own = mapping === undefined ? {} : { mappings: [mapping] };
  if (context.successor === undefined || ordinaryName === undefined) return own;
  return { ...own, landed_with: context.successor.supersession, stands_for: [ordinaryName] };
}

/** Counts the rows of the file that lands; those of the staged file are already counted. */
async function writtenRows(
  { db, folder }: Pick<IngestTools, 'db' | 'folder'>,
  batch: LandedBatch,
  { census, file }: Outcome,
): Promise<WrittenRows> {
  if (file === null) return { rows: 0, first: null, last: null };
  if (file !== stagedPath(batch)) return countRows(db, batch.table, join(folder.dir, file));
  return { rows: census.rows, first: census.firstTime, last: census.lastTime };
}

const goodRecords = ({ census, bad }: Outcome): number[] =>
  Array.from({ length: census.rows }, (_, index) => index + 1).filter((record) => !bad.has(record));

function countReasons(bad: Outcome['bad']): { [reason: string]: number } {
  const counts: { [reason: string]: number } = {};
  for (const reason of [...bad.values()].map((row) => row.reason).sort())
    counts[reason] = (counts[reason] ?? 0) + 1;
  return counts;
}

async function writeQuarantine(
  { folder, key }: IngestTools,
  batch: LandedBatch,
  bad: Omit<BadRows, 'key'>,
): Promise<{ readonly move: Move; readonly sha256: string }> {
  const lines = quarantineLines(batch, { ...bad, key });
  const from = await writeTemporary(folder, `${batch.batch}.ndjson`, lines);
  const move = { from, to: quarantinePath(batch.table.name, batch.batch) };
  return { move, sha256: await hashOfFile(join(folder.dir, from)) };
}

/** Removes what a failure left behind. */
export async function takeBack({ folder, receipts }: IngestTools, batch: LandedBatch): Promise<void> {
  const path = join(dayFolder(batch.table.name, dayOf(batch.context.interval.to)), `${batch.batch}.parquet`);
  const moved = [path, quarantinePath(batch.table.name, batch.batch)];
  await removeQuietly(folder, [
    stagedPath(batch),
    ...(receipts.find(batch.batch) === undefined ? moved : []),
  ]);
}

// The rows of a batch that land: a copy of the staged rows without those that have a verdict.

/** Resolves to the relative path of the temporary file that it writes. */
async function copyGood({ db, folder }: IngestTools, batch: LandedBatch, path: string): Promise<string> {
  const good = temporaryPath(`${batch.batch}.good.parquet`);
  const staged = literal(join(folder.dir, path));
  const { fields, copies } = batch.table;
  const columns = fields.map(({ name }) =>
    name === copies ? `coalesce(c.said, 1) as ${quoted(name)}` : `r.${quoted(name)}`,
  );
  const counted = copies === undefined ? '' : countedCopies(batch.table, staged);
  const rows = `select ${columns.join(', ')}, r.source_id, r.fetched_at from read_parquet(${staged}, file_row_number = true) r ${counted}
    where not exists (select 1 from ${VERDICTS} v where v.place = r.file_row_number)`;
  const target = join(folder.dir, good);
  try {
    await db.execute(`copy (${rows}) to ${literal(target)} (format parquet, compression zstd)`);
  } catch (error) {
    throw writeError(error, target);
  }
  return good;
}

/** Joins to each row the number of identical rows in its batch; conflicting rows are not counted. */
function countedCopies({ key }: RawTable, staged: string): string {
  const keys = key.map(quoted);
  const isSame = keys.map((name) => `c.${name} is not distinct from r.${name}`).join(' and ');
  return `left join (
    select ${keys.join(', ')}, count(*) as said from read_parquet(${staged}, file_row_number = true) p
    where not exists (select 1 from ${VERDICTS} v where v.place = p.file_row_number and v.reason is not null)
    group by ${keys.join(', ')} having count(*) > 1) c on ${isSame}`;
}

// A receipt's facts about the written file: its time range, and the check that no row is missing.

interface WrittenRows {
  readonly rows: number;
  /** Instants; 0 ("never") is ignored. */
  readonly first: number | null;
  readonly last: number | null;
}

export async function countRows(db: DuckDb, table: RawTable, path: string): Promise<WrittenRows> {
  const time = quoted(table.time);
  const [row] = await db.rows(`select count(*) as n, min(${time}) filter (where ${time} <> 0) as first,
    max(${time}) filter (where ${time} <> 0) as last from read_parquet(${literal(path)})`);
  const orNull = (name: string) =>
    row?.[name] === null || row?.[name] === undefined ? null : Number(row[name]);
  return { rows: Number(row?.['n'] ?? 0), first: orNull('first'), last: orNull('last') };
}

/** No row may vanish: every incoming row landed, is in quarantine, is a repetition, or was filtered out. */
function assertCounts(receipt: Receipt, written: number): void {
  const { rows_in, rows_landed, rows_quarantined, rows_deduplicated, rows_filtered = 0 } = receipt;
  const sum = rows_landed + rows_quarantined + rows_deduplicated + rows_filtered;
  if (rows_in === sum && rows_landed === written) return;
  throw new IngestError(
    'damaged_landing',
    `${rows_in} rows came in; ${rows_landed} landed (${written} written), ${rows_quarantined} quarantined, ${rows_deduplicated} deduplicated, ${rows_filtered} filtered`,
    {
      file: receipt.origin.path ?? receipt.table,
      todo: 'This is a bug in landing. Nothing was kept; report it with the file',
    },
  );
}
