// Rows that did not land: one NDJSON file per batch, each line with the reason, the position in the source and the raw bytes.
import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from 'node:crypto';
import { join } from 'node:path';
import { IngestError } from '../errors.ts';
import { decode } from '../read/read-text.ts';
import type { Relation } from '../read/relation.ts';
import { quarantineFiles } from '../receipts/receipt.ts';
import type { ReceiptStore } from '../receipts/receipts.ts';
import type { LandedBatch } from '../batch.ts';
import { namesIn, type DataFolder, QUARANTINE_FOLDER, quarantinePath } from '../data-folder.ts';
import type { RefusedRow } from './refusals.ts';

export interface QuarantinedRow {
  readonly batch: string;
  readonly table: string;
  readonly source: string;
  readonly file: string | null;
  /** 1-based, not counting the header. */
  readonly record: number;
  readonly line: number | null;
  /** Offset in the file's plain bytes, after unpacking gzip. */
  readonly byte_offset: number | null;
  readonly reason: string;
  readonly field: string | null;
  /** The row's subject, as its raw table names it; null if it cannot be read. */
  readonly subject?: string | null;
  /** Its natural key; null if it cannot be read, and for a row that conflicts with a landed one. */
  readonly key?: string | null;
  readonly raw: string;
  /** `encrypted`: base64 of bytes encrypted with the landing key, because the row contains personal data. */
  readonly encoding: 'utf8' | 'base64' | 'encrypted';
}

export interface ListedRow extends QuarantinedRow {
  /** Batch with which the row landed later; null while it is still bad. */
  readonly redriven_by: string | null;
}

const FLUSH_BYTES = 1 << 20;

export interface BadRows {
  readonly relation: Relation;
  /** How many rows the relation has. */
  readonly rows: number;
  /** Record number -> why it was refused, and its subject. */
  readonly refused: ReadonlyMap<number, RefusedRow>;
  readonly key: Uint8Array;
}

/** The lines of a batch's quarantine file, in pieces. */
export async function* quarantineLines(
  batch: Pick<LandedBatch, 'batch' | 'table' | 'source' | 'origin'>,
  { relation, rows, refused, key: secret }: BadRows,
): AsyncIterable<Buffer> {
  let waiting = '';
  for await (const { record, line, byteOffset, raw } of relation.locate(new Set(refused.keys()), rows)) {
    const { reason = '', subject = null, key = null } = refused.get(record) ?? {};
    const row: QuarantinedRow = {
      batch: batch.batch,
      table: batch.table.name,
      source: batch.source.id,
      file: batch.origin.path,
      record,
      line,
      byte_offset: byteOffset,
      reason,
      field: fieldOf(reason),
      subject,
      key,
      ...(batch.table.isPersonal ? encrypted(secret, `${batch.batch} ${record}`, raw) : written(raw)),
    };
    waiting += `${JSON.stringify(row)}\n`;
    if (waiting.length < FLUSH_BYTES) continue;
    yield Buffer.from(waiting);
    waiting = '';
  }
  yield Buffer.from(waiting);
}

function fieldOf(reason: string): string | null {
  const field = reason.slice(0, reason.indexOf(':'));
  return field === 'record' ? null : field;
}

function written(raw: Buffer): Pick<QuarantinedRow, 'raw' | 'encoding'> {
  const text = decode(raw);
  return text === null
    ? { raw: raw.toString('base64'), encoding: 'base64' }
    : { raw: text, encoding: 'utf8' };
}

const encrypted = (key: Uint8Array, location: string, raw: Buffer) =>
  ({ raw: encryptRaw(key, location, raw).toString('base64'), encoding: 'encrypted' }) as const;

/** The record's bytes as they were in the source. Throws IngestError when they were encrypted with another key. */
export function rawBytes({ raw, encoding }: QuarantinedRow, key: Uint8Array): Buffer {
  if (encoding === 'encrypted') return decryptRaw(key, Buffer.from(raw, 'base64'));
  return Buffer.from(raw, encoding);
}

export interface QuarantineFilter {
  readonly table?: string;
  readonly source?: string;
  readonly batch?: string;
}

/**
 * Quarantined rows, batch by batch; rows that have since landed are marked.
 * @throws IngestError for a missing or altered file: an incomplete list would look complete
 */
export async function* readQuarantine(
  folder: DataFolder,
  receipts: ReceiptStore,
  filter: QuarantineFilter,
): AsyncIterable<ListedRow> {
  const redriven = redrivenRows(receipts);
  const wanted = quarantineFiles(receipts.all(filter.table));
  await receipts.checkFiles(wanted.filter(({ path }) => path.includes(filter.batch ?? '')));
  const named = new Set(wanted.map(({ path }) => path));
  const past = new Set(quarantineFiles(receipts.superseded(filter.table)).map(({ path }) => path));
  for (const table of await namesIn(folder, QUARANTINE_FOLDER)) {
    if (filter.table !== undefined && filter.table !== table) continue;
    for (const name of await namesIn(folder, join(QUARANTINE_FOLDER, table))) {
      const batch = name.replace(/\.ndjson$/, '');
      if (filter.batch !== undefined && filter.batch !== batch) continue;
      const path = quarantinePath(table, batch);
      if (past.has(path) && !named.has(path)) continue;
      for (const row of await readRows(folder, table, batch)) {
        if (filter.source !== undefined && filter.source !== row.source) continue;
        yield { ...row, redriven_by: redriven.get(`${batch} ${row.record}`) ?? null };
      }
    }
  }
}

async function readRows({ disk, dir }: DataFolder, table: string, batch: string): Promise<QuarantinedRow[]> {
  const text = (await disk.read(join(dir, quarantinePath(table, batch)))).toString('utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as QuarantinedRow);
}

function redrivenRows(receipts: ReceiptStore): Map<string, string> {
  const marks = new Map<string, string>();
  for (const receipt of receipts.all()) {
    for (const { batch, records } of receipt.redrives ?? []) {
      for (const record of records) marks.set(`${batch} ${record}`, receipt.batch);
    }
  }
  return marks;
}

// Encryption of raw rows with personal data: AES-256-GCM with a key derived from the landing key. The nonce is derived from the content, so
// that the same row always yields the same text and no randomness is needed.

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;

const derived = (key: Uint8Array, purpose: string) =>
  Buffer.from(hkdfSync('sha256', key, '', `landing quarantine ${purpose}`, KEY_BYTES));

/** `place` identifies the row, so that equal rows in two places yield different texts. */
function encryptRaw(key: Uint8Array, location: string, raw: Buffer): Buffer {
  const nonce = createHmac('sha256', derived(key, 'nonce'))
    .update(`${location}\n`)
    .update(raw)
    .digest()
    .subarray(0, NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, derived(key, 'text'), nonce);
  const text = Buffer.concat([cipher.update(raw), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), text]);
}

/** Throws IngestError when the text was encrypted with another key. */
function decryptRaw(key: Uint8Array, encrypted: Buffer): Buffer {
  const nonce = encrypted.subarray(0, NONCE_BYTES);
  const tag = encrypted.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
  const cipher = createDecipheriv(ALGORITHM, derived(key, 'text'), nonce).setAuthTag(tag);
  try {
    return Buffer.concat([cipher.update(encrypted.subarray(NONCE_BYTES + TAG_BYTES)), cipher.final()]);
  } catch (cause) {
    const todo = 'Put back the key file that was in use at the time, or fetch the rows again';
    throw new IngestError('damaged_landing', 'a quarantined row cannot be decrypted', { todo, cause });
  }
}
