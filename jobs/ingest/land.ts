// Landing: from the bytes of a source to immutable, checked Parquet. `openIngest` returns the only object that writes the landing folder.
import { type Disk, nodeDisk } from '../../platform/storage/disk.ts';
import type { RawTable } from '../define/raw-table.ts';
import type { ColumnsDelivery, Delivery, FileDelivery, SourceFacts } from '../define/source.ts';
import type { DuckDb } from '../engine/duckdb/session.ts';
import type { IngestContext, IngestTools, LandedBatch } from './batch.ts';
import { checkConstants, checkMapping } from './check/check-mapping.ts';
import { type KeyedLanding, KeyIndex } from './check/key-index.ts';
import type { DataFolder } from './data-folder.ts';
import { IngestError } from './errors.ts';
import { hashOf } from './hash.ts';
import { type ListedRow, type QuarantineFilter, readQuarantine } from './quarantine/quarantine.ts';
import { withColumnNumbers, withDocumentValues } from './read/document-values.ts';
import { type DeliveryFiles, holdDelivery, openDelivery, stampOf } from './read/open-delivery.ts';
import { WAYS } from './read/open-relation.ts';
import { columnsHash, columnsRelation, identityMapping } from './read/read-columns.ts';
import { GZIP_LIMITS, type GzipLimits, holdCopy, holdFile, type Reading } from './read/read-file.ts';
import type { Way } from './read/read-text.ts';
import { readingError } from './read/reading-error.ts';
import { RecordsDisagreeError, type Relation } from './read/relation.ts';
import { nodeSourceFiles, type SourceFiles } from './read/source-files.ts';
import { type LandedFiles, landedRows } from './read-landing.ts';
import type { Origin, Receipt, SupersedingReceipt } from './receipts/receipt.ts';
import { DEFAULT_LIMIT_PCT, ReceiptStore, stampKey } from './receipts/receipts.ts';
import { type Notices, SILENT } from './receipts/recover.ts';
import { batchName, mappingOf, mappingParts, successorName, versionMark } from './write/batch-name.ts';
import { compactDay } from './write/compact.ts';
import { commitRows, stageRows, takeBack } from './write/land-batch.ts';
import type { ReadBack } from './write/read-back.ts';
import { type RedriveRequest, redriveBatches } from './write/redrive.ts';
import { type DraftBatch, landRemainder, type BatchPart, supersede } from './write/supersede.ts';

export interface IngestOptions {
  /** The data folder: `landing/` and `quarantine/` are created in it. */
  readonly dir: string;
  readonly db: DuckDb;
  readonly disk?: Disk;
  readonly files?: SourceFiles;
  /** Share of bad rows in a batch above which its receipt is marked `over_limit`. */
  readonly quarantineLimitPct?: number;
  /** Needed for tables with personal data. Rows landed with another key are not recognised as repetitions. */
  readonly key?: Uint8Array;
  /** How much of a written file is read again before it counts; all of it in files of up to 20,000 rows. */
  readonly readBack?: ReadBack;
  readonly notices?: Notices;
  readonly gzipLimits?: GzipLimits;
  /** Batches of another landing whose rows are kept in the tables of `db`. */
  readonly neighbours?: KeyedLanding;
}

export interface Ingest extends LandedFiles {
  /**
   * Lands a delivery. The table's kept rows must be up to date. Bytes that have already landed with the same mapping change nothing: the
   * first receipt is returned, marked `repeated`. Throws IngestError if the delivery as a whole cannot land; none of it is kept then.
   */
  land(table: RawTable, source: SourceFacts, delivery: Delivery, context: IngestContext): Promise<Receipt>;
  listQuarantine(filter?: QuarantineFilter): AsyncIterable<ListedRow>;
  /** Checks quarantined rows again, with the current table and mapping; those that pass land as new batches. */
  redrive(request: RedriveRequest): Promise<readonly Receipt[]>;
  /** Merges the batches of a closed day into one file per source. `day` is `YYYY-MM-DD`. */
  compact(table: RawTable, day: string): Promise<readonly Receipt[]>;
  /** Lands, in a draft, the rows of a batch of another landing that are outside a range. */
  landRemainder(table: RawTable, parted: BatchPart): Promise<void>;
  /** From now on, these batches of drafts count instead of those that the receipt names. All or nothing. */
  supersede(receipt: SupersedingReceipt, batches: readonly DraftBatch[]): Promise<void>;
}

export async function openIngest(options: IngestOptions): Promise<Ingest> {
  const {
    db,
    disk = nodeDisk,
    files = nodeSourceFiles,
    quarantineLimitPct = DEFAULT_LIMIT_PCT,
    key = new Uint8Array(),
    readBack = 'sample',
    notices = SILENT,
    neighbours,
    gzipLimits = GZIP_LIMITS,
  } = options;
  const folder: DataFolder = { disk, dir: options.dir };
  const receipts = await ReceiptStore.open(folder, quarantineLimitPct, {
    notices,
    neighbours: neighbours?.receipts() ?? [],
  });
  const landing = landedRows(folder, receipts);
  const keys = new KeyIndex(db, neighbours === undefined ? [landing] : [landing, neighbours]);
  const writing: IngestTools = { db, folder, receipts, keys, quarantineLimitPct, readBack, key };
  return {
    async land(table, source, delivery, context) {
      if (table.isPersonal && key.length === 0)
        throw new Error(`Raw table ${table.name} contains personal data: landing it needs a key.`);
      const request = { table, source, context };
      return delivery.kind === 'file'
        ? landFile({ writing, files, gzipLimits }, delivery, request)
        : landColumns(writing, delivery, request);
    },
    ...landing,
    listQuarantine: (filter = {}) => readQuarantine(folder, receipts, filter),
    redrive: (request) => redriveBatches(writing, request),
    compact: (table, day) => compactDay(writing, table, day),
    landRemainder: (table, parted) => landRemainder(writing, table, parted),
    supersede: (receipt, batches) => supersede(writing, receipt, batches),
  };
}

const SMALL_BYTES = 262_144;
const SMALL_ROWS = 2_000;

interface Request {
  readonly table: RawTable;
  readonly source: SourceFacts;
  readonly context: IngestContext;
}

async function landColumns(
  writing: IngestTools,
  delivery: ColumnsDelivery,
  request: Request,
): Promise<Receipt> {
  const mappings = identityMapping(request.table);
  const origin: Origin = {
    kind: 'columns',
    path: null,
    stamp: null,
    format: 'columns',
    delimiter: null,
    header: null,
    mapping_hash: null,
    fields: null,
  };
  const batch = nameBatch(request, {
    contentHash: columnsHash(delivery),
    mappingHash: `columns${versionMark(request.table)}`,
    origin,
    mappings,
  });
  const known = writing.receipts.find(batch.batch);
  if (known !== undefined) return repeated(known);
  const relation = await columnsRelation(writing.db, request.table, delivery);
  return landRelation(writing, { ...batch, isSmall: delivery.count <= SMALL_ROWS }, relation);
}

async function landFile(
  tools: { writing: IngestTools; files: SourceFiles; gzipLimits: GzipLimits },
  delivery: FileDelivery,
  request: Request,
): Promise<Receipt> {
  const { writing, files, gzipLimits } = tools;
  const mappingHash = `${hashOf(...mappingParts(delivery))}${versionMark(request.table)}`;
  const mapping = mappingOf(delivery, request.context.constants);
  const before =
    delivery.sha256 === undefined ? undefined : landedBefore(writing, request, delivery.sha256, mappingHash);
  if (before !== undefined) return repeated(before);
  await checkMapping(writing.db, request.table, delivery);
  const reading: Reading = { files, folder: writing.folder, delivery, gzipLimits };
  const stamp = await stampOf(reading);
  const known = writing.receipts.findByStamp(
    stampKey({
      table: request.table.name,
      source: request.source.id,
      path: delivery.path,
      stamp,
      mappingHash,
    }),
  );
  if (known !== undefined) return repeated(known);
  for (const hold of [holdFile, holdCopy]) {
    const opened = await holdDelivery(hold, reading);
    try {
      const settled = await withConstants(tools, request.table, { delivery, path: opened.path });
      const receipt = await landHeld(tools, { delivery: settled, opened, mappingHash, mapping }, request);
      if (receipt !== null) return receipt;
    } finally {
      await opened.release();
    }
  }
  throw new IngestError('changing_file', 'the file keeps changing', {
    file: delivery.path,
    todo: 'Run again when it is completely written',
  });
}

const landedBefore = ({ receipts }: IngestTools, request: Request, ...hashes: [string, string]) =>
  receipts.find(namesOf(request, ...hashes).batch);

/** The delivery with its document-level values as constants, and its columns by number. */
async function withConstants(
  { writing, files }: { writing: IngestTools; files: SourceFiles },
  table: RawTable,
  { delivery, path }: { delivery: FileDelivery; path: string },
): Promise<FileDelivery> {
  const settled = await withColumnNumbers(
    files,
    { ...delivery, fields: await withDocumentValues(files, delivery, path) },
    path,
  );
  await checkConstants(writing.db, table, settled);
  return settled;
}

interface HeldDelivery {
  readonly delivery: FileDelivery;
  readonly opened: DeliveryFiles;
  readonly mappingHash: string;
  readonly mapping: string;
}

/** Null if the file changed in the meantime. */
async function landHeld(
  tools: { writing: IngestTools; files: SourceFiles },
  what: HeldDelivery,
  request: Request,
): Promise<Receipt | null> {
  const { writing, files } = tools;
  const { delivery, opened, mappingHash, mapping } = what;
  const { fields } = delivery;
  const origin = (header: readonly string[] | null): Origin => ({
    kind: 'file',
    path: delivery.path,
    stamp: opened.stamp,
    // Records of a join have no bytes of their own: they are kept like those of a Parquet file.
    format: delivery.join === undefined ? delivery.format : 'parquet',
    delimiter: delivery.delimiter ?? null,
    header,
    mapping_hash: mappingHash,
    fields,
  });
  const named = { contentHash: opened.contentHash, mappingHash, mapping, mappings: fields };
  const known = writing.receipts.find(nameBatch(request, { ...named, origin: origin(null) }).batch);
  if (known !== undefined) return repeated(known);
  try {
    return await landInTurn(WAYS[delivery.format], async (way) => {
      const tool = { db: writing.db, files, folder: writing.folder };
      const { relation, joined } = await openDelivery(tool, { table: request.table, delivery, opened, way });
      const batch = nameBatch(request, { ...named, origin: origin(relation.header) });
      const isFiltered =
        delivery.where !== undefined ||
        delivery.join?.missing === 'filter' ||
        request.context.successor !== undefined;
      const isSmall = opened.bytes <= SMALL_BYTES;
      const facts = { ...batch, isFiltered, isSmall, ...(joined === undefined ? {} : { joined }) };
      return landRelation(writing, facts, relation, () => opened.isUnchanged());
    });
  } catch (error) {
    if (await opened.isUnchanged()) throw error;
    return null;
  }
}

/** Tries the fastest way first, and the next one whenever a record is refused. */
async function landInTurn(ways: readonly Way[], land: (way: Way) => Promise<Receipt>): Promise<Receipt> {
  const [way = 'staged', ...more] = ways;
  try {
    return await land(way);
  } catch (error) {
    if (more.length === 0 || !isRefusal(error)) throw error;
    return landInTurn(more, land);
  }
}

const isRefusal = (error: unknown) =>
  error instanceof RecordsDisagreeError ||
  (error instanceof IngestError && error.fault === 'unreadable_file');

async function landRelation(
  writing: IngestTools,
  batch: LandedBatch,
  relation: Relation,
  isStill?: () => Promise<boolean>,
): Promise<Receipt> {
  try {
    const path = await stage(writing, batch, relation);
    if (isStill !== undefined && !(await isStill()))
      throw new RecordsDisagreeError('the file changed while it was read');
    const receipt = await commitRows(writing, batch, { path, relation });
    if (receipt === null)
      throw new IngestError('bad_delivery', 'no row of this delivery can land', {
        todo: 'See why with the command `quarantine list` of the jobs',
      });
    return receipt;
  } catch (error) {
    await takeBack(writing, batch);
    throw error;
  } finally {
    await relation.dispose();
  }
}

async function stage(writing: IngestTools, batch: LandedBatch, relation: Relation): Promise<string> {
  try {
    return await stageRows(writing, batch, relation);
  } catch (error) {
    const { path: file, format } = batch.origin;
    const reader = { db: writing.db, dir: writing.folder.dir, file: file ?? batch.table.name, format };
    throw await readingError(error, reader);
  }
}

interface BatchIdentity {
  readonly contentHash: string;
  readonly mappingHash: string;
  readonly origin: Origin;
  readonly mapping?: string;
  readonly mappings: LandedBatch['mappings'];
}

function nameBatch(request: Request, { contentHash, mappingHash, ...named }: BatchIdentity): LandedBatch {
  const { context } = request;
  const first = context.successor?.firstLanding(contentHash);
  return {
    ...request,
    ...namesOf(request, contentHash, mappingHash),
    ...(first === undefined ? {} : { context: { ...context, ...first } }),
    contentHash,
    ...named,
  };
}

function namesOf(
  { table, source, context: { successor } }: Request,
  contentHash: string,
  mappingHash: string,
): Pick<LandedBatch, 'batch' | 'ordinaryName'> {
  const name = batchName(table, source, contentHash, mappingHash);
  if (successor === undefined) return { batch: name };
  return { batch: successorName(successor.supersession, name), ordinaryName: name };
}

/** The receipt for bytes that landed before: all of their rows are repetitions. */
const repeated = (first: Receipt): Receipt => ({
  ...first,
  rows_landed: 0,
  rows_quarantined: 0,
  rows_deduplicated: first.rows_in,
  reasons: {},
  repeated: true,
});
