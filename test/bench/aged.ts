// Makes an installation older: what every tick leaves behind is written as the programs write it, for days before its first one. That is two
// lines of the ledger for each tick, and, for each closed day, one receipt of each table and source, which names every batch that it
// replaces. Landed files, versions and events are left out: the receipts state that nothing landed.
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { hashOf } from '../../jobs/ingest/hash.ts';
import { type CatalogueEntry, textOfCatalogue } from '../../jobs/ingest/receipts/catalogue.ts';
import { type Receipt, sealReceipt } from '../../jobs/ingest/receipts/receipt.ts';
import { receiptPath } from '../../jobs/ingest/receipts/survey.ts';
import { writeLine } from '../../jobs/pipeline/run/ledger-line.ts';
import { DAY_S } from '../../platform/base/time.ts';

const TICK_S = 300;
const TICKS_A_DAY = DAY_S / TICK_S;

/** Batches of one table and source. */
export interface Stream {
  /** A receipt of one of them. */
  readonly like: Receipt;
  readonly batchesPerDay: number;
}

export interface Age {
  readonly days: number;
  /** The midnight before which they are, Unix seconds. */
  readonly before: number;
  readonly streams: readonly Stream[];
}

/** Resolves to the number of receipts. */
export function makeOlder(dir: string, { days, before, streams }: Age): number {
  const midnights = Array.from({ length: days }, (_, day) => before - (days - day) * DAY_S);
  for (const midnight of midnights) writeReceipts(dir, midnight, streams);
  const ledger = join(dir, 'ledger.ndjson');
  const own = readFileSync(ledger, 'utf8');
  const batches = streams.reduce((sum, { batchesPerDay }) => sum + batchesPerDay, 0) / TICKS_A_DAY;
  writeFileSync(ledger, '');
  for (const midnight of midnights) appendFileSync(ledger, linesOfDay(midnight, Math.round(batches)));
  appendFileSync(ledger, own);
  return midnights.length * streams.length;
}

function writeReceipts(dir: string, midnight: number, streams: readonly Stream[]): void {
  const entries: CatalogueEntry[] = [];
  for (const stream of streams) {
    const receipt = compactionOf(stream, midnight);
    const { text, sha256 } = sealReceipt(receipt);
    const path = receiptPath(receipt);
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), text);
    entries.push({ path, receipt: sha256, file: null });
  }
  appendFileSync(join(dir, 'landing', 'catalogue.txt'), textOfCatalogue(entries));
}

function compactionOf({ like, batchesPerDay }: Stream, midnight: number): Receipt {
  const batches = Array.from({ length: batchesPerDay }, (_, n) =>
    hashOf('batch', like.table, like.source.id, midnight, n),
  );
  return {
    ...like,
    batch: hashOf('compaction', batches),
    interval: { from: midnight, to: midnight + DAY_S - 1 },
    fetched_at: midnight + DAY_S,
    contents: batches.map((batch) => hashOf('contents', batch)).sort(),
    rows_in: 0,
    rows_landed: 0,
    rows_quarantined: 0,
    rows_deduplicated: 0,
    file: null,
    file_sha256: null,
    first_time: null,
    last_time: null,
    reasons: {},
    origin: { ...like.origin, kind: 'compaction', stamp: null },
    replaces: batches,
    origins: {},
    redrives: [],
  };
}

function linesOfDay(midnight: number, batches: number): string {
  const lines = Array.from({ length: TICKS_A_DAY }, (_, n) => {
    const interval = { from: midnight + n * TICK_S, to: midnight + (n + 1) * TICK_S };
    const run = { run: `tick:${interval.from}:${interval.to}:1`, job: 'tick', interval, attempt: 1 } as const;
    const at = new Date(interval.to * 1000).toISOString();
    const ended = {
      state: 'succeeded',
      input_hashes: Array.from({ length: batches }, (_, k) => hashOf(interval.to, k)),
      rows: { in: 120, landed: 120, quarantined: 0, deduplicated: 0 },
      events_appended: 0,
      reasons: [],
    } as const;
    return [writeLine({ ...run, state: 'started', at }), writeLine({ ...run, at, ...ended })];
  });
  return lines.flat().join('');
}
