// CSV files as relations. The fast way is the SQL engine's bulk reader, which refuses a file with a broken record; the careful way splits
// the file here, keeps broken records as rows with the reason, and is only used after a refusal.

import type { FieldMapping } from '../../define/source.ts';
import type { DuckDb } from '../../engine/duckdb/session.ts';
import { literal } from '../../engine/sql-text.ts';
import { IngestError } from '../errors.ts';
import { checkHeader, pick, type Relation, wantedNames } from './relation.ts';
import type { SourceFiles } from './source-files.ts';
import { csvCells, type RawRecord, splitCsv } from './split-records.ts';

/** How records are read, the fastest first: the next way is used when the previous one refused a record. */
export type Way = 'bulk' | 'lines' | 'staged';

export interface TextSource {
  readonly db: DuckDb;
  readonly files: SourceFiles;
  /** Plain bytes: unpacked, and complete records only. */
  readonly path: string;
  /** Name for messages. */
  readonly file: string;
  readonly fields: { readonly [field: string]: FieldMapping };
}

export const BROKEN_UTF8 = 'record: not UTF-8';
export const STAGED = 'landing_staged';
const STAGE_ROWS = 20_000;

export async function csvRelation(source: TextSource, delimiter: string, way: Way): Promise<Relation> {
  const { db, files, path, file, fields } = source;
  const split = () => splitCsv(files.read(path), delimiter);
  const header = await readHeader(splitCsv(inPieces(files.read(path)), delimiter), source, delimiter);
  checkHeader(file, header, fields);
  const columns = header.map((_, index) => `c${index}`);
  const cells = (field: string) =>
    wantedNames(fields[field])
      .filter((name) => header.includes(name))
      .map((name) => `c${header.indexOf(name)}`);
  const locate: Relation['locate'] = (wanted, rows) => pick(split(), wanted, rows);
  if (way === 'staged') {
    await stage(db, columns, parseCsv(split(), delimiter, columns.length));
    return { header, cells, locate, from: STAGED, structure: 'broken', dispose: () => dropStaged(db) };
  }
  const types = columns.map((name) => `'${name}': 'VARCHAR'`).join(', ');
  const from = `read_csv(${literal(path)}, auto_detect = false, header = true, delim = ${literal(delimiter)}, quote = '"', escape = '"', columns = {${types}})`;
  return { header, cells, locate, from, dispose: async () => {} };
}

const PIECE_BYTES = 4_096;

/** A header is short, and a chunk of the file has thousands of records, which take longer to split than to land. */
async function* inPieces(chunks: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  for await (const chunk of chunks)
    for (let at = 0; at < chunk.length; at += PIECE_BYTES) yield chunk.subarray(at, at + PIECE_BYTES);
}

async function readHeader(
  batches: AsyncIterable<RawRecord[]>,
  { file }: TextSource,
  delimiter: string,
): Promise<string[]> {
  for await (const [first] of batches) {
    if (first === undefined) continue;
    const text = decode(first.bytes);
    if (text === null || first.broken !== null) {
      const todo = 'Save it as UTF-8 text with a header line';
      throw new IngestError('unreadable_file', `the header is ${first.broken ?? 'not UTF-8'}`, {
        file,
        line: first.line,
        todo,
      });
    }
    return csvCells(text, delimiter).map((name) => name.trim());
  }
  const todo = 'A CSV file needs a header line; remove the file if there is nothing in it';
  throw new IngestError('empty_file', 'there is nothing in it', { file, todo });
}

export interface StagedRow {
  readonly broken: string | null;
  readonly cells: readonly (string | null)[];
}

async function* parseCsv(
  batches: AsyncIterable<RawRecord[]>,
  delimiter: string,
  width: number,
): AsyncIterable<StagedRow[]> {
  for await (const records of batches) {
    yield records.filter(({ record }) => record > 0).map((record) => csvRow(record, delimiter, width));
  }
}

function csvRow({ bytes, broken }: RawRecord, delimiter: string, width: number): StagedRow {
  if (broken !== null) return { broken: `record: ${broken}`, cells: [] };
  const text = decode(bytes);
  if (text === null) return { broken: BROKEN_UTF8, cells: [] };
  const cells = csvCells(text, delimiter);
  if (cells.length < width) return { broken: 'record: too few columns', cells: [] };
  const isTooWide = cells.length > width + 1 || (cells.length === width + 1 && cells[width] !== '');
  return isTooWide ? { broken: 'record: too many columns', cells: [] } : { broken: null, cells };
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

export function decode(bytes: Buffer): string | null {
  try {
    return utf8.decode(bytes);
  } catch {
    return null;
  }
}

/** Raw records, each read on its own. */
export interface RawRows extends Pick<TextSource, 'db' | 'file' | 'fields'> {
  readonly raws: readonly Buffer[];
}

/** `header` is the header of the file that the records came from. */
export async function stagedCsv(
  source: RawRows,
  header: readonly string[],
  delimiter: string,
): Promise<Relation> {
  const { db, file, fields, raws } = source;
  checkHeader(file, header, fields);
  const columns = header.map((_, index) => `c${index}`);
  const rows: StagedRow[] = [];
  for (const raw of raws) rows.push(await oneCsvRow(raw, delimiter, columns.length));
  await stage(db, columns, batchesOf(rows));
  const cells = (field: string) =>
    wantedNames(fields[field])
      .filter((name) => header.includes(name))
      .map((name) => `c${header.indexOf(name)}`);
  return {
    header,
    cells,
    from: STAGED,
    structure: 'broken',
    locate: nowhere,
    dispose: () => dropStaged(db),
  };
}

async function oneCsvRow(raw: Buffer, delimiter: string, width: number): Promise<StagedRow> {
  const rows: RawRecord[] = [];
  for await (const records of splitCsv(batchesOf(raw), delimiter)) rows.push(...records);
  const [only, more] = rows;
  if (only === undefined || more !== undefined) return { broken: 'record: broken quotes', cells: [] };
  return csvRow(only, delimiter, width);
}

export async function* batchesOf<T>(rows: T): AsyncIterable<T> {
  yield rows;
}

/** `locate` of a relation whose raw rows are already in memory. */
export async function* nowhere(): AsyncIterable<never> {}

export async function stage(
  db: DuckDb,
  columns: readonly string[],
  batches: AsyncIterable<StagedRow[]>,
): Promise<void> {
  const names = ['broken', ...columns];
  await db.execute(
    `create or replace temp table ${STAGED} (${names.map((name) => `${name} varchar`).join(', ')})`,
  );
  let waiting: StagedRow[] = [];
  for await (const rows of batches) {
    waiting = waiting.concat(rows);
    while (waiting.length >= STAGE_ROWS) await append(db, columns, waiting.splice(0, STAGE_ROWS));
  }
  await append(db, columns, waiting);
}

async function append(db: DuckDb, columns: readonly string[], rows: readonly StagedRow[]): Promise<void> {
  if (rows.length === 0) return;
  const type = 'VARCHAR' as const;
  await db.append(`main.${STAGED}`, [
    { name: 'broken', type, values: rows.map((row) => row.broken) },
    ...columns.map((name, index) => ({ name, type, values: rows.map((row) => row.cells[index] ?? null) })),
  ]);
}

export const dropStaged = async (db: DuckDb): Promise<void> => {
  await db.execute(`drop table if exists ${STAGED}`);
};
