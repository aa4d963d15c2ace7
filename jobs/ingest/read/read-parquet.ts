// A Parquet file as a relation of text cells, so that it goes through the same mapping and checks as any other file.

import type { FieldMapping } from '../../define/source.ts';
import type { DuckDb } from '../../engine/duckdb/session.ts';
import { literal, quoted } from '../../engine/sql-text.ts';
import { IngestError } from '../errors.ts';
import { checkHeader, type LocatedRecord, type Relation, wantedNames } from './relation.ts';

export interface ParquetSource {
  readonly db: DuckDb;
  readonly path: string;
  readonly file: string;
  readonly fields: { readonly [field: string]: FieldMapping };
}

const LOCATE_ROWS = 1_000;

export async function parquetRelation(source: ParquetSource): Promise<Relation> {
  const { db, path, file, fields } = source;
  const header = await readColumns(source);
  checkHeader(file, header, fields);
  const cells = (field: string) =>
    wantedNames(fields[field])
      .filter((name) => header.includes(name))
      .map((name) => `cast(${quoted(name)} as varchar)`);
  const from = `read_parquet(${literal(path)})`;
  const numbered = `read_parquet(${literal(path)}, file_row_number = true)`;
  const texts = header.map((name) => `${quoted(name)} := cast(${quoted(name)} as varchar)`).join(', ');
  const locate = (wanted: ReadonlySet<number>) =>
    jsonRows(db, [...wanted], (numbers) => {
      const positions = numbers.map((record) => record - 1).join(', ');
      return `select file_row_number + 1 as record, cast(to_json(struct_pack(${texts})) as varchar) as raw from ${numbered} where file_row_number in (${positions}) order by record`;
    });
  return { header, cells, from, locate, dispose: async () => {} };
}

async function readColumns({ db, path, file }: ParquetSource): Promise<string[]> {
  try {
    const rows = await db.rows(
      `select column_name from (describe select * from read_parquet(${literal(path)}))`,
    );
    return rows.map((row) => String(row['column_name']));
  } catch (cause) {
    const todo = 'Check that it is a complete Parquet file';
    throw new IngestError('unreadable_file', 'it cannot be read as Parquet', { file, todo, cause });
  }
}

/** Bad rows that have no raw bytes, as JSON objects of text. */
export async function* jsonRows(
  db: DuckDb,
  wanted: readonly number[],
  query: (records: readonly number[]) => string,
): AsyncIterable<LocatedRecord> {
  for (let from = 0; from < wanted.length; from += LOCATE_ROWS) {
    for (const row of await db.rows(query(wanted.slice(from, from + LOCATE_ROWS)))) {
      yield {
        record: Number(row['record']),
        line: null,
        byteOffset: null,
        raw: Buffer.from(String(row['raw'])),
      };
    }
  }
}
