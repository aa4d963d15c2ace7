// The list of all receipts that should exist, one line each, so that a lost one is noticed. It is derived from the receipts: a damaged line
// or a missing file is rewritten from them; only a line whose receipt is missing means that something was lost.
import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { isMissing } from '../../../platform/storage/disk.ts';
import { type DataFolder, LANDING_FOLDER, moveFile, writeTemporary } from '../data-folder.ts';
import { writeError } from '../errors.ts';

export interface CatalogueEntry {
  /** Path of the receipt, relative to the data folder. */
  readonly path: string;
  /** sha256 over the receipt's members. */
  readonly receipt: string;
  /** sha256 of the Parquet file; null when no row landed. */
  readonly file: string | null;
}

const NAME = 'catalogue.txt';
export const CATALOGUE = join(LANDING_FOLDER, NAME);
const LINE = /^([0-9a-f]{64}) ([0-9a-f]{64}|-) (\S+) ([0-9a-f]{16})$/;

const checkOf = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 16);

function lineOf({ receipt, file, path }: CatalogueEntry): string {
  const text = `${receipt} ${file ?? '-'} ${path}`;
  return `${text} ${checkOf(text)}\n`;
}

function entryOf(line: string): CatalogueEntry | null {
  const [, receipt, file, path, check] = LINE.exec(line) ?? [];
  if (receipt === undefined || file === undefined || path === undefined) return null;
  if (checkOf(`${receipt} ${file} ${path}`) !== check) return null;
  return { path, receipt, file: file === '-' ? null : file };
}

export interface Catalogue {
  /** Entries by the path of the receipt. */
  readonly entries: ReadonlyMap<string, CatalogueEntry>;
  /** Unreadable lines; a crash can truncate the last one. */
  readonly damagedLines: number;
  readonly lines: number;
}

/** Null when there is none. */
export async function readCatalogue({ disk, dir }: DataFolder): Promise<Catalogue | null> {
  const text = await disk.read(join(dir, CATALOGUE)).then(
    (bytes) => bytes.toString('utf8'),
    (error: unknown) => {
      if (isMissing(error)) return null;
      throw error;
    },
  );
  if (text === null) return null;
  const lines = text.split('\n');
  const whole = lines.pop() === '' ? lines : [...lines, ''];
  const read = whole.map(entryOf);
  const entries = read.flatMap((entry) => (entry === null ? [] : [[entry.path, entry] as const]));
  return { entries: new Map(entries), damagedLines: read.length - entries.length, lines: whole.length };
}

/** Durable when it resolves. The file exists, because opening landing creates it. */
export async function appendToCatalogue(
  { dir }: DataFolder,
  entries: readonly CatalogueEntry[],
): Promise<void> {
  const path = join(dir, CATALOGUE);
  try {
    const handle = await open(path, 'a');
    try {
      await handle.appendFile(entries.map(lineOf).join(''));
      await handle.datasync();
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw writeError(error, path);
  }
}

export const textOfCatalogue = (entries: readonly CatalogueEntry[]): string => entries.map(lineOf).join('');

export async function writeCatalogue(folder: DataFolder, entries: readonly CatalogueEntry[]): Promise<void> {
  const temporary = await writeTemporary(folder, NAME, [Buffer.from(textOfCatalogue(entries))]);
  await moveFile(folder, temporary, CATALOGUE);
}
