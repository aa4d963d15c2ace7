// Joins two files into one relation: each record of the delivered file with the record of the joined file that has its key. The readers for
// their formats first write both to temporary Parquet files of text; records keep their numbers in the delivered file.
import { FILTERED } from '../check/checks.ts';
import { join as pathOf } from 'node:path';
import type { RawTable } from '../../define/raw-table.ts';
import type { FieldMapping, FileDelivery, JoinedFile } from '../../define/source.ts';
import type { DuckDb } from '../../engine/duckdb/session.ts';
import { literal, quoted } from '../../engine/sql-text.ts';
import { IngestError } from '../errors.ts';
import { removeQuietly, temporaryPath } from '../data-folder.ts';
import { openRelation, type RelationTools } from './open-relation.ts';
import { jsonRows } from './read-parquet.ts';
import type { Way } from './read-text.ts';
import { readingError } from './reading-error.ts';
import { type Relation, wantedNames } from './relation.ts';
import { JOIN_FAULT } from './where.ts';

/** Records of the joined file, and how many of them matched no record. */
export interface JoinCounts {
  readonly path: string;
  readonly rows: number;
  readonly unused: number;
}

export interface JoinRequest {
  readonly delivery: FileDelivery;
  readonly join: JoinedFile;
  /** Plain bytes of the delivered and of the joined file. */
  readonly path: string;
  readonly joinedPath: string;
  readonly table: RawTable;
  readonly way: Way;
  /** Fields of the table, and columns that a filter reads. */
  readonly fields: { readonly [field: string]: FieldMapping };
}

const FAULT = quoted('join fault');
const ROW_NUMBER = 'file_row_number';
const LEFT = temporaryPath('join-left.parquet');
const RIGHT = temporaryPath('join-right.parquet');
const BOTH = temporaryPath('join-both.parquet');

export async function joinedRelation(
  tools: RelationTools,
  request: JoinRequest,
): Promise<Relation & { readonly joined: JoinCounts }> {
  const { delivery, join, fields, table, way } = request;
  const names = [...new Set(Object.values(fields).flatMap(wantedNames))];
  const mark = `${join.as}.`;
  const theirs = names.filter((name) => name.startsWith(mark)).map((name) => name.slice(mark.length));
  const own = names.filter((name) => !name.startsWith(mark));
  const dispose = () => removeQuietly(tools.folder, [LEFT, RIGHT, BOTH]);
  const { join: _join, where: _where, ...alone } = delivery;
  const other: FileDelivery = { kind: 'file', ...join, fields: {} };
  try {
    const left = { delivery: alone, path: request.path, columns: [...own, ...Object.keys(join.on)] };
    await copyText(tools, LEFT, { ...left, table, way });
    const right = {
      delivery: other,
      path: request.joinedPath,
      columns: [...theirs, ...Object.values(join.on)],
    };
    await copyText(tools, RIGHT, { ...right, table, way });
    const plan = { ...sides(tools), join, own, theirs };
    await refuseBroken(tools.db, plan);
    await copyTo(tools, BOTH, joinSql(plan));
    const joined = await countJoined(tools.db, plan);
    return {
      ...relationOver(tools, fields, [...own, ...theirs.map((name) => mark + name)]),
      joined,
      dispose,
    };
  } catch (error) {
    await dispose();
    throw error;
  }
}

interface TextColumns extends Pick<JoinRequest, 'delivery' | 'path' | 'table' | 'way'> {
  readonly columns: readonly string[];
}

/** Writes the wanted columns of a file as text, in file order, with the reason for each unreadable record. */
async function copyText(tools: RelationTools, target: string, textColumns: TextColumns): Promise<void> {
  const { delivery, path, table } = textColumns;
  const columns = [...new Set(textColumns.columns)];
  const fields = Object.fromEntries(columns.map((name) => [name, { from: name }]));
  const relation = await openRelation(tools, {
    delivery: { ...delivery, fields },
    path,
    table,
    way: wayOf(delivery.format, textColumns.way),
  });
  try {
    const cells = columns.map(
      (name) => `nullif(trim(cast(${relation.cells(name)[0] ?? 'null'} as varchar)), '') as ${quoted(name)}`,
    );
    const fault = `${relation.structure ?? 'cast(null as varchar)'} as ${FAULT}`;
    await copyTo(tools, target, `select ${[fault, ...cells].join(', ')} from ${relation.from}`);
  } catch (error) {
    const { db, folder } = tools;
    throw await readingError(error, { db, dir: folder.dir, file: delivery.path, format: delivery.format });
  } finally {
    await relation.dispose();
  }
}

/** JSON is read with the careful reader, which keeps every digit. */
function wayOf(format: FileDelivery['format'], way: Way): Way {
  if (format === 'csv') return way;
  return format === 'parquet' ? 'bulk' : 'staged';
}

const copyTo = ({ db, folder }: RelationTools, target: string, sql: string) =>
  db.execute(`copy (${sql}) to ${literal(pathOf(folder.dir, target))} (format parquet, compression zstd)`);

interface Plan {
  /** The sides as SQL relations. */
  readonly left: string;
  readonly right: string;
  readonly join: JoinedFile;
  readonly own: readonly string[];
  readonly theirs: readonly string[];
}

function sides({ folder }: RelationTools): Pick<Plan, 'left' | 'right'> {
  const read = (path: string) => `read_parquet(${literal(pathOf(folder.dir, path))}, file_row_number = true)`;
  return { left: read(LEFT), right: read(RIGHT) };
}

/** Refuses a joined file with an unreadable record, which could be the counterpart of any record. */
async function refuseBroken(db: DuckDb, { right, join }: Plan): Promise<void> {
  const [row] = await db.rows(
    `select count(*) as n, min(${FAULT}) as fault, min(${ROW_NUMBER}) as place from ${right} where ${FAULT} is not null`,
  );
  const broken = Number(row?.['n'] ?? 0);
  if (broken === 0) return;
  throw new IngestError(
    'bad_delivery',
    `${broken} of its records cannot be read (${String(row?.['fault'])}), the first is record ${Number(row?.['place']) + 1}`,
    { file: join.path, todo: 'Repair the joined file; nothing of this delivery has landed' },
  );
}

function joinSql({ left, right, join, own, theirs }: Plan): string {
  const pairs = Object.entries(join.on);
  const keys = pairs.map(([, theirKey]) => quoted(theirKey));
  const values = theirs.map((name) => quoted(name));
  const content = values.length === 0 ? '0' : `row(${values.join(', ')})`;
  const once = theirs.map((name) => `min(${quoted(name)}) as ${quoted(`v ${name}`)}`);
  const known = [
    ...keys.map((key, index) => `${key} as k${index}`),
    `count(distinct ${content}) as variants`,
    ...once,
  ];
  const hasKey = (names: readonly string[]) => names.map((name) => `${name} is not null`).join(' and ');
  const matches = pairs.map(([ownKey], index) => `r.k${index} = l.${quoted(ownKey)}`).join(' and ');
  const ownKeys = pairs.map(([ownKey]) => `l.${quoted(ownKey)}`);
  const columns = [
    ...own.map((name) => `l.${quoted(name)} as ${quoted(name)}`),
    ...theirs.map((name) => `r.${quoted(`v ${name}`)} as ${quoted(`${join.as}.${name}`)}`),
  ];
  return `select case
      when l.${FAULT} is not null then l.${FAULT}
      when r.variants > 1 then ${literal(`${JOIN_FAULT}several records of ${join.as} have its key, and they differ`)}
      ${missingSql(join, hasKey(ownKeys))}
    end as ${FAULT}${columns.map((column) => `, ${column}`).join('')}
  from ${left} l
  left join (select ${known.join(', ')} from ${right} where ${hasKey(keys)} group by ${keys.join(', ')}) r on ${matches}
  order by l.${ROW_NUMBER}`;
}

function missingSql({ as, missing = 'quarantine' }: JoinedFile, hasKey: string): string {
  if (missing === 'keep') return '';
  if (missing === 'filter') return `when r.variants is null then ${literal(FILTERED)}`;
  return `when not (${hasKey}) then ${literal(`${JOIN_FAULT}its key is empty`)}
      when r.variants is null then ${literal(`${JOIN_FAULT}no record of ${as} has its key`)}`;
}

async function countJoined(db: DuckDb, { left, right, join }: Plan): Promise<JoinCounts> {
  const matches = Object.entries(join.on)
    .map(([own, theirs]) => `l.${quoted(own)} = r.${quoted(theirs)}`)
    .join(' and ');
  const [row] = await db.rows(
    `select count(*) as n, count(*) filter (where not exists (select 1 from ${left} l where ${matches})) as unused from ${right} r`,
  );
  return { path: join.path, rows: Number(row?.['n']), unused: Number(row?.['unused']) };
}

function relationOver(
  { db, folder }: RelationTools,
  fields: JoinRequest['fields'],
  names: readonly string[],
): Omit<Relation, 'dispose'> {
  const path = literal(pathOf(folder.dir, BOTH));
  const texts = names.map((name) => `${quoted(name)} := ${quoted(name)}`).join(', ');
  return {
    header: names,
    from: `read_parquet(${path})`,
    structure: FAULT,
    cells: (field) => wantedNames(fields[field]).map(quoted),
    locate: (wanted) =>
      jsonRows(db, [...wanted], (numbers) => {
        const positions = numbers.map((record) => record - 1).join(', ');
        return `select ${ROW_NUMBER} + 1 as record, cast(to_json(struct_pack(${texts})) as varchar) as raw from read_parquet(${path}, file_row_number = true) where ${ROW_NUMBER} in (${positions}) order by record`;
      }),
  };
}
