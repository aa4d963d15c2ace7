// A landing in a temporary folder, deliveries made from text, and the resulting rows.
import { cp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RawTable } from '../../../jobs/define/raw-table.ts';
import type { FieldMapping, FileDelivery } from '../../../jobs/define/source.ts';
import { landedSql } from '../../../jobs/engine/duckdb/landed-sql.ts';
import type { DuckDb } from '../../../jobs/engine/duckdb/session.ts';
import type { Row } from '../../../jobs/engine/rows.ts';
import { type Ingest, type IngestOptions, openIngest } from '../../../jobs/ingest/land.ts';
import type { ListedRow } from '../../../jobs/ingest/quarantine/quarantine.ts';
import { feedRound } from '../../../jobs/families/oracles/raw.ts';
import { openScratchEngine } from '../../support/case-duckdb.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

export const NOW = 1_700_000_000;
export const CONTEXT = { interval: { from: NOW - 300, to: NOW }, fetchedAt: NOW };
export const SOURCE = {
  id: 'rounds',
  kind: 'file',
  name: 'Rounds',
  url: null,
  chain: null,
  license: null,
} as const;

export const ROUND_FIELDS: { readonly [field: string]: FieldMapping } = {
  chain: { value: 'ethereum' },
  feed_address: { value: '0xAB' },
  decimals: { value: 8 },
  round_id: { from: 'round' },
  answer: { from: 'answer' },
  updated_at: { from: 'at' },
};

export interface Scratch {
  readonly dir: string;
  readonly engine: DuckDb;
  readonly ingest: Ingest;
  /** Writes a file next to the data folder and resolves to its path. */
  file(name: string, content: string | Buffer): Promise<string>;
  /** Opens landing again, as after a restart. */
  reopen(options?: Partial<IngestOptions>): Promise<Ingest>;
  /** A copy of all files, on the same engine: what becomes of it does not touch the original. */
  copy(): Promise<Scratch>;
  close(): Promise<void>;
}

export async function openScratch(options: Partial<IngestOptions> = {}): Promise<Scratch> {
  const engine = await openScratchEngine();
  const scratch = await openIn(temporaryFolder('ingest'), engine, options);
  return {
    ...scratch,
    async close() {
      await engine.close();
      await scratch.close();
    },
  };
}

async function openIn(root: string, engine: DuckDb, options: Partial<IngestOptions>): Promise<Scratch> {
  const dir = join(root, 'data');
  const reopen = (more: Partial<IngestOptions> = {}) => openIngest({ dir, db: engine, ...options, ...more });
  return {
    dir,
    engine,
    ingest: await reopen(),
    reopen,
    async file(name, content) {
      const path = join(root, name);
      await writeFile(path, content);
      return path;
    },
    async copy() {
      const other = temporaryFolder('ingest');
      await cp(root, other, { recursive: true });
      return openIn(other, engine, options);
    },
    close: () => rm(root, { recursive: true, force: true }),
  };
}

export const csv = (path: string, more: Partial<FileDelivery> = {}): FileDelivery => ({
  kind: 'file',
  path,
  format: 'csv',
  fields: ROUND_FIELDS,
  ...more,
});

/** Rounds as CSV text with the header that ROUND_FIELDS expects. */
export const roundsCsv = (
  rows: readonly (readonly [round: number | string, answer: number | string, at: number | string])[],
): string => `round,answer,at\n${rows.map((row) => `${row.join(',')}\n`).join('')}`;

export const landedRows = (
  { engine, ingest }: Pick<Scratch, 'engine' | 'ingest'>,
  table: RawTable = feedRound,
): Promise<readonly Row[]> =>
  engine.rows(`select * from (${landedSql(table, ingest.files(table.name))}) order by all`);

export async function quarantined(ingest: Ingest): Promise<ListedRow[]> {
  const rows: ListedRow[] = [];
  for await (const row of ingest.listQuarantine()) rows.push(row);
  return rows;
}
