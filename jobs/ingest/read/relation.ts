// A delivery as landing reads it: a relation of cells in the SQL engine, and access to a record's raw bytes by its number.
import { nearestName } from '../../../platform/base/nearest-name.ts';
import type { FieldMapping } from '../../define/source.ts';
import type { CellRelation } from '../check/select-rows.ts';
import { IngestError } from '../errors.ts';
import type { RawRecord } from './split-records.ts';

export interface LocatedRecord {
  readonly record: number;
  readonly line: number | null;
  readonly byteOffset: number | null;
  readonly raw: Buffer;
}

export interface Relation extends CellRelation {
  readonly header: readonly string[] | null;
  /**
   * The raw bytes of the wanted records, in order. `rows` is the number of rows of the relation; throws RecordsDisagreeError if the
   * splitter counts a different number.
   */
  locate(wanted: ReadonlySet<number>, rows: number): AsyncIterable<LocatedRecord>;
  dispose(): Promise<void>;
}

/** The engine's bulk reader and our splitter see different records: the file must be read the careful way. */
export class RecordsDisagreeError extends Error {
  override readonly name = 'RecordsDisagreeError';
}

export async function* pick(
  batches: AsyncIterable<RawRecord[]>,
  wanted: ReadonlySet<number>,
  rows: number,
): AsyncIterable<LocatedRecord> {
  let count = 0;
  for await (const records of batches) {
    for (const { record, line, byteOffset, bytes } of records) {
      if (record > 0) count += 1;
      if (wanted.has(record)) yield { record, line, byteOffset, raw: bytes };
    }
  }
  if (count !== rows)
    throw new RecordsDisagreeError(`the engine read ${rows} records, the splitter ${count}`);
}

export const wantedNames = (mapping: FieldMapping | undefined): readonly string[] => {
  const from = mapping?.from;
  if (from === undefined) return [];
  return typeof from === 'string' ? [from] : from;
};

/** Every mapped field must have at least one of its columns in the header. Throws IngestError that lists the columns present. */
export function checkHeader(
  file: string,
  header: readonly string[],
  fields: { readonly [field: string]: FieldMapping },
): void {
  for (const [field, mapping] of Object.entries(fields)) {
    const wanted = wantedNames(mapping);
    const first = wanted[0];
    if (first === undefined) continue;
    const present = wanted.filter((name) => header.includes(name));
    if (present.length === 0) throw missingColumn(file, header, { field, wanted });
    const twice = present.find((name) => header.indexOf(name) !== header.lastIndexOf(name));
    if (twice === undefined) continue;
    const todo = 'Rename one of them in the file';
    throw new IngestError('missing_column', `the header has the column "${twice}" twice`, {
      file,
      line: 1,
      field,
      todo,
    });
  }
}

function missingColumn(
  file: string,
  header: readonly string[],
  { field, wanted }: { field: string; wanted: readonly string[] },
): IngestError {
  const near = nearestName(wanted[0] ?? '', header);
  const meant = near === null ? '.' : `, did you mean "${near}"?`;
  const what = `no column ${wanted.map((name) => `"${name}"`).join(' or ')}${meant} The header has ${header.map((name) => `"${name}"`).join(', ')}`;
  const todo =
    header.length === 1 ? 'Set "delimiter", or correct "from"' : 'Correct "from" in the mapping, or the file';
  return new IngestError('missing_column', what, { file, line: 1, field, todo });
}
