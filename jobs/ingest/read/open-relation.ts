// Opens a held file as a relation according to its format. A JSON document is first converted to lines, one record each.
import { basename, join } from 'node:path';
import { deliveredFields, type RawTable } from '../../define/raw-table.ts';
import type { FileDelivery } from '../../define/source.ts';
import type { DuckDb } from '../../engine/duckdb/session.ts';
import { type DataFolder, removeQuietly, writeTemporary } from '../data-folder.ts';
import { splitJson } from './json-records.ts';
import { type ExactField, linesRelation } from './read-json.ts';
import { parquetRelation } from './read-parquet.ts';
import { csvRelation, type Way } from './read-text.ts';
import { pick, type Relation } from './relation.ts';
import type { SourceFiles } from './source-files.ts';

export interface RelationTools {
  readonly db: DuckDb;
  readonly files: SourceFiles;
  readonly folder: DataFolder;
}

export interface RelationRequest {
  readonly delivery: FileDelivery;
  /** Plain bytes of the delivery. */
  readonly path: string;
  readonly table: RawTable;
  readonly way: Way;
}

export async function openRelation(tools: RelationTools, request: RelationRequest): Promise<Relation> {
  const { delivery, path, way } = request;
  const source = {
    db: tools.db,
    files: tools.files,
    path,
    file: delivery.path,
    fields: delivery.fields,
    exactFields: exactFields(request.table),
  };
  switch (delivery.format) {
    case 'csv':
      return csvRelation(source, delivery.delimiter ?? ',', way);
    case 'ndjson':
      return linesRelation(source, way);
    case 'parquet':
      return parquetRelation(source);
    case 'json':
      return documentRelation(tools, request);
  }
}

/** Ways to read a format, the fastest first. */
export const WAYS: { readonly [format in FileDelivery['format']]: readonly Way[] } = {
  csv: ['bulk', 'staged'],
  ndjson: ['bulk', 'lines', 'staged'],
  json: ['bulk', 'lines', 'staged'],
  parquet: ['bulk'],
};

/** Amounts, and text fields without a pattern, which may contain some. */
const exactFields = (table: RawTable): ExactField[] =>
  deliveredFields(table)
    .filter(({ type, pattern, lowercase }) => type === 'VARCHAR' && pattern === undefined && !lowercase)
    .map(({ name, amount }) => ({ name, isAmount: amount !== undefined }));

const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;

async function documentRelation(
  { db, files, folder }: RelationTools,
  { table, delivery, path, way }: RelationRequest,
): Promise<Relation> {
  const { records = '', entries = false } = delivery;
  const split = () => splitJson(files.read(path), { file: delivery.path, records, entries });
  const lines = await writeTemporary(folder, `${basename(delivery.path)}.lines`, recordLines(split()));
  const source = {
    db,
    files,
    path: join(folder.dir, lines),
    file: delivery.path,
    fields: delivery.fields,
    exactFields: exactFields(table),
  };
  const relation = await linesRelation(source, way);
  return {
    ...relation,
    locate: (numbers, rows) => pick(split(), numbers, rows),
    dispose: async () => {
      await relation.dispose();
      await removeQuietly(folder, [lines]);
    },
  };
}

async function* recordLines(batches: ReturnType<typeof splitJson>): AsyncIterable<Buffer> {
  for await (const records of batches) {
    if (records.length === 0) continue;
    yield Buffer.concat(records.flatMap(({ bytes }) => [onOneLine(bytes), Buffer.from([LF])]));
  }
}

/** Line ends inside a record are always between its tokens, because JSON allows none inside a string. */
const onOneLine = (bytes: Buffer): Buffer =>
  Buffer.from(bytes.map((byte) => (byte === LF || byte === CR ? SPACE : byte)));
