// Opens a held file as the relation that fits its format. A JSON document is first turned into lines, one record each.
import { basename, join } from 'node:path';
import type { FileDelivery } from '../../define.ts';
import type { Engine } from '../../engine/engine.ts';
import { splitJson } from './json-records.ts';
import { type Place, removeQuietly, writeTemporary } from './placement.ts';
import { parquetRelation } from './read-parquet.ts';
import { csvRelation, linesRelation } from './read-text.ts';
import { pick, type Relation } from './relation.ts';
import type { SourceFiles } from './source-files.ts';

export interface RelationTools {
  readonly engine: Engine;
  readonly files: SourceFiles;
  readonly place: Place;
}

export interface RelationWanted {
  readonly delivery: FileDelivery;
  /** Plain bytes of the delivery. */
  readonly path: string;
  /** Read record by record instead of in bulk. */
  readonly isCareful: boolean;
}

export async function openRelation(tools: RelationTools, wanted: RelationWanted): Promise<Relation> {
  const { delivery, path, isCareful } = wanted;
  const source = {
    engine: tools.engine,
    files: tools.files,
    path,
    file: delivery.path,
    fields: delivery.fields,
  };
  switch (delivery.format) {
    case 'csv':
      return csvRelation(source, delivery.delimiter ?? ',', isCareful);
    case 'ndjson':
      return linesRelation(source, isCareful);
    case 'parquet':
      return parquetRelation(source);
    case 'json':
      return documentRelation(tools, wanted);
  }
}

const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;

async function documentRelation(
  { engine, files, place }: RelationTools,
  { delivery, path, isCareful }: RelationWanted,
): Promise<Relation> {
  const split = () => splitJson(files.read(path), { file: delivery.path, records: delivery.records ?? '' });
  const lines = await writeTemporary(place, `${basename(delivery.path)}.lines`, recordLines(split()));
  const source = {
    engine,
    files,
    path: join(place.dir, lines),
    file: delivery.path,
    fields: delivery.fields,
  };
  const relation = await linesRelation(source, isCareful);
  return {
    ...relation,
    locate: (numbers, rows) => pick(split(), numbers, rows),
    dispose: async () => {
      await relation.dispose();
      await removeQuietly(place, [lines]);
    },
  };
}

async function* recordLines(batches: ReturnType<typeof splitJson>): AsyncIterable<Buffer> {
  for await (const records of batches) {
    if (records.length === 0) continue;
    yield Buffer.concat(records.flatMap(({ bytes }) => [onOneLine(bytes), Buffer.from([LF])]));
  }
}

/** Line ends inside a record are only ever between its tokens: JSON has none inside a string. */
const onOneLine = (bytes: Buffer): Buffer =>
  Buffer.from(bytes.map((byte) => (byte === LF || byte === CR ? SPACE : byte)));
