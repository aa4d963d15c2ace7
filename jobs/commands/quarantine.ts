// `quarantine list`: rows that did not land and have not been redriven. Only reads files, so it works while a scheduler runs.
import type { Disk } from '../../platform/storage/disk.ts';
import { CONFLICT_STORED } from '../ingest/check/dedupe.ts';
import { type ListedRow, readQuarantine } from '../ingest/quarantine/quarantine.ts';
import { ReceiptStore } from '../ingest/receipts/receipts.ts';
import type { DataFolder } from '../ingest/data-folder.ts';
import { hashOf } from '../ingest/hash.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { counted } from '../../platform/base/plural.ts';

export interface QuarantineView {
  readonly disk: Disk;
  readonly dataDir: string;
  /** A command as it is typed for this folder. */
  readonly commandFor: (message: string) => string;
  readonly print: (line: string) => void;
}

const SHOWN_RAW = 120;

/** A row that is still refused, as it was delivered last. */
interface RefusedRow extends ListedRow {
  /** How often it was delivered. Encrypted rows cannot be compared, so each is delivered once. */
  readonly deliveries: number;
}

/** Prints one line per row, as JSON or as text. */
export async function listQuarantine(
  { disk, dataDir, commandFor, print }: QuarantineView,
  json: boolean,
): Promise<ExitCode> {
  const folder = { disk, dir: dataDir };
  let rows = 0;
  const contradicting = new Set<string>();
  for await (const row of refusedRows(folder, await ReceiptStore.read(folder))) {
    rows += 1;
    if (row.reason === CONFLICT_STORED) contradicting.add(row.source);
    print(json ? JSON.stringify(row) : describe(row));
  }
  if (!json)
    print(
      rows === 0
        ? 'Nothing is in quarantine.'
        : `${counted(rows, 'row')}. To land those that now pass: ${commandFor('quarantine redrive')} (rows refused for their join: deliver the files again)`,
    );
  if (!json)
    for (const source of [...contradicting].sort())
      print(
        `Rows of ${source} contradict rows that landed before. If those are wrong, correct their mapping, and land them again: ${commandFor(`reland --source ${source} --dry-run`)}`,
      );
  return EXIT.done;
}

/**
 * A file that is delivered again with the same mistake has the same bytes in the same row: the operator has one row to correct, and looks for
 * it in the newest file. Quarantine is read twice, so that memory does not hold its rows.
 */
async function* refusedRows(folder: DataFolder, receipts: ReceiptStore): AsyncIterable<RefusedRow> {
  const found = new Map<string, { deliveries: number; readonly newest: Delivery }>();
  for await (const [identity, row] of identified(folder, receipts)) {
    const { deliveries = 0, newest = null } = found.get(identity) ?? {};
    const delivery = { fetched: receipts.find(row.batch)?.fetched_at ?? 0, batch: row.batch };
    const isNewer = newest === null || delivery.fetched >= newest.fetched;
    found.set(identity, { deliveries: deliveries + 1, newest: isNewer ? delivery : newest });
  }
  for await (const [identity, row] of identified(folder, receipts)) {
    const known = found.get(identity);
    if (known?.newest.batch === row.batch) yield { ...row, deliveries: known.deliveries };
  }
}

interface Delivery {
  /** Unix seconds. */
  readonly fetched: number;
  readonly batch: string;
}

/** Rows that have not been redriven, each with its identity. Equal rows of one delivery are different rows. */
async function* identified(
  folder: DataFolder,
  receipts: ReceiptStore,
): AsyncIterable<readonly [identity: string, row: ListedRow]> {
  let batch = '';
  let equal = new Map<string, number>();
  for await (const row of readQuarantine(folder, receipts, {})) {
    if (row.redriven_by !== null) continue;
    if (row.batch !== batch) [batch, equal] = [row.batch, new Map()];
    const content = hashOf(row.table, row.source, row.encoding, row.raw);
    const count = (equal.get(content) ?? 0) + 1;
    equal.set(content, count);
    yield [`${content} ${count}`, row];
  }
}

function describe({
  source,
  file,
  line,
  record,
  reason,
  raw,
  encoding,
  batch,
  deliveries,
}: RefusedRow): string {
  const location = line === null ? `record ${record}` : `line ${line}`;
  const text = encoding === 'utf8' ? JSON.stringify(raw) : `${encoding} ${raw}`;
  const often = deliveries === 1 ? '' : `, delivered ${deliveries} times`;
  return `${source} ${file ?? ''} ${location}: ${reason}: ${text.slice(0, SHOWN_RAW)} (batch ${batch.slice(0, 12)}${often})`.replace(
    '  ',
    ' ',
  );
}
