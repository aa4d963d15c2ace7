// Lands received pages in a temporary folder, with the same code as a real run, for `sources check`.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { nodeDisk } from '../../platform/storage/disk.ts';
import type { TryLanding } from '../commands/sources.ts';
import type { Config } from '../config.ts';
import type { RawTable } from '../define/raw-table.ts';
import { openDuckDb } from '../engine/duckdb/duckdb.ts';
import { type Ingest, openIngest } from '../ingest/land.ts';
import { landedSample } from '../ingest/read-landing.ts';
import type { Receipt } from '../ingest/receipts/receipt.ts';
import { deliveryOf } from '../sources/live/fetch/landing-sources.ts';
import type { RecordedPage, Recording } from '../sources/live/fetch/recording.ts';
import type { PageReading } from '../sources/live/fetch/recording-store.ts';

const SAMPLE_ROWS = 5;

export interface TrialTools {
  readonly config: Config;
  readonly tables: readonly RawTable[];
  /** Hashes personal names of the sample. */
  readonly key: Uint8Array;
  readonly cores: number;
}

type TrialArguments = Parameters<TryLanding>;

/** `folder` is created and removed. */
export function tryLandingIn(folder: string, { config, tables, key, cores }: TrialTools): TryLanding {
  return async (source, pages, window) => {
    const table = tables.find(({ name }) => name === source.table);
    if (table === undefined) throw new Error(`There is no raw table ${source.table}.`);
    mkdirSync(folder, { recursive: true });
    const { duckdb_memory_limit: memoryLimit } = config.settings;
    const tempDir = join(folder, 'tmp');
    const db = await openDuckDb({ file: ':memory:', memoryLimit, threads: cores, tempDir });
    try {
      const ingest = await openIngest({ dir: folder, db, disk: nodeDisk, key });
      const receipts = await landPages({ ingest, table, folder }, [source, pages, window]);
      return { ...sumsOf(receipts), sample: await landedSample(db, ingest, { table, rows: SAMPLE_ROWS }) };
    } finally {
      await db.close();
      rmSync(folder, { recursive: true, force: true });
    }
  };
}

async function landPages(
  { ingest, table, folder }: { ingest: Ingest; table: RawTable; folder: string },
  [source, pages, window]: TrialArguments,
): Promise<Receipt[]> {
  const receipts: Receipt[] = [];
  for (const [index, page] of pages.entries()) {
    if (page.records.length === 0) continue;
    const path = join(folder, `${index}.gz`);
    writeFileSync(path, gzipSync(page.body));
    const recorded = { recording: asRecording(page, window), page: asPage(page), path };
    const { sha256: _, ...file } = deliveryOf(source, recorded);
    const fetchedAt = file.fetched_at ?? Math.ceil(window.to);
    const context = { interval: { from: 0, to: fetchedAt }, fetchedAt };
    receipts.push(await ingest.land(table, source.facts, file, context));
  }
  return receipts;
}

/** A recording with only the facts that a mapping may use; the page is never recorded. */
const asRecording = (page: PageReading, window: Parameters<TryLanding>[2]): Recording =>
  ({
    as_of: page.as_of,
    fetched_at: page.as_of,
    newest_possible: Math.max(page.as_of, page.server_time ?? 0, window.to),
    window: { from: window.from, to: window.to },
    params: window.partition.params,
  }) as Recording;

const asPage = ({ facts }: PageReading): RecordedPage => ({
  ...facts,
  file: '',
  file_sha256: '',
  sha256: '',
  bytes: 0,
});

function sumsOf(receipts: readonly Receipt[]) {
  const sum = (count: (receipt: Receipt) => number) => receipts.reduce((total, one) => total + count(one), 0);
  const reasons: { [reason: string]: number } = {};
  for (const receipt of receipts)
    for (const [reason, count] of Object.entries(receipt.reasons))
      reasons[reason] = (reasons[reason] ?? 0) + count;
  return {
    rows_in: sum(({ rows_in }) => rows_in),
    rows_landed: sum(({ rows_landed }) => rows_landed),
    rows_filtered: sum(({ rows_filtered = 0 }) => rows_filtered),
    reasons,
  };
}
