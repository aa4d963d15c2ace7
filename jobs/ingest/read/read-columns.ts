// Reads columns from a generator as a relation: bulk-loads them into a temporary table and joins shared values in the engine.
import { createHash } from 'node:crypto';
import { deliveredFields, type RawField, type RawTable } from '../../define/raw-table.ts';
import type { ColumnsDelivery, FieldMapping } from '../../define/source.ts';
import type { DuckDb } from '../../engine/duckdb/session.ts';
import type { Column, ColumnSpec } from '../../engine/rows.ts';
import { quoted } from '../../engine/sql-text.ts';
import { IngestError } from '../errors.ts';
import { jsonRows } from './read-parquet.ts';
import type { Relation } from './relation.ts';

const ROWS_TABLE = 'landing_rows';
const SHARED_TABLE = 'landing_shared';
const CODE = 'landing_code';
const KINDS = { string: 'VARCHAR', number: 'DOUBLE', bigint: 'BIGINT', boolean: 'BOOLEAN' } as const;

type LoadedColumn = ColumnSpec & { readonly values: Column };

/** The mapping of such a delivery: each column to the field of the same name. */
export const identityMapping = (table: RawTable): { [field: string]: FieldMapping } =>
  Object.fromEntries(deliveredFields(table).map(({ name }) => [name, { from: name }]));

export async function columnsRelation(
  db: DuckDb,
  table: RawTable,
  delivery: ColumnsDelivery,
): Promise<Relation> {
  checkShape(table, delivery);
  const columns = await loadAll(db, delivery);
  const cells = new Map(columns.map((column) => [column.name, column]));
  const computed = new Map(Object.entries(delivery.computed ?? {}));
  const fields = deliveredFields(table).filter(({ name }) => cells.has(name) || computed.has(name));
  const joined = delivery.shared ? `${ROWS_TABLE} left join ${SHARED_TABLE} on place = ${CODE}` : ROWS_TABLE;
  const texts = fields.map(
    (field) => `${computed.get(field.name) ?? textOf(field, cells.get(field.name))} as ${quoted(field.name)}`,
  );
  const direct = new Set(
    fields
      .filter(({ name, type }) => !computed.has(name) && fits(cells.get(name), type))
      .map(({ name }) => name),
  );
  const raw = fields.map(({ name }) => `${quoted(name)} := cast(${quoted(name)} as varchar)`).join(', ');
  return {
    header: null,
    from: `(select ${texts.join(', ') || '0 as nothing'} from ${joined})`,
    cells: (field) =>
      fields.some(({ name }) => name === field) ? [`cast(${quoted(field)} as varchar)`] : [],
    value: (field) => (direct.has(field) ? quoted(field) : undefined),
    locate: (wanted) =>
      jsonRows(db, [...wanted], (records) => {
        const rows = records.map((record) => record - 1).join(', ');
        return `select record, cast(to_json(struct_pack(${raw})) as varchar) as raw from (select ${ROWS_TABLE}.rowid + 1 as record, ${texts.join(', ')} from ${joined} where ${ROWS_TABLE}.rowid in (${rows})) order by record`;
      }),
    dispose: async () => {
      await db.execute(`drop table if exists ${ROWS_TABLE}; drop table if exists ${SHARED_TABLE}`);
    },
  };
}

/** Loads the delivery's columns, and the shared ones into their own table; resolves to all of them. */
async function loadAll(
  db: DuckDb,
  { count, columns, shared }: ColumnsDelivery,
): Promise<readonly LoadedColumn[]> {
  const own = Object.entries(columns).map(([name, values]) => loaded(name, values));
  const codes = shared?.codes ?? new Int32Array(count);
  await load(db, ROWS_TABLE, [...own, { name: CODE, type: 'INTEGER', values: codes }]);
  if (shared === undefined) return own;
  const common = Object.entries(shared.values).map(([name, values]) => loaded(name, values));
  const positions = Int32Array.from({ length: common[0]?.values.length ?? 0 }, (_, index) => index);
  await load(db, SHARED_TABLE, [{ name: 'place', type: 'INTEGER', values: positions }, ...common]);
  return [...own, ...common];
}

/** Whether the column's values are used as field values unchanged. */
function fits(column: LoadedColumn | undefined, type: RawField['type']): boolean {
  return (
    column !== undefined &&
    (column.type === type || (column.type === 'INTEGER' && type === 'BIGINT')) &&
    type !== 'VARCHAR'
  );
}

/** A whole number in a DOUBLE is written without a decimal point, so that it fits an integer field. */
function textOf(field: RawField, column: LoadedColumn | undefined): string {
  const name = quoted(field.name);
  if (column?.type !== 'DOUBLE' || field.type === 'DOUBLE') return name;
  return `case when ${name} = trunc(${name}) and abs(${name}) < ${Number.MAX_SAFE_INTEGER} then cast(cast(${name} as bigint) as varchar) else cast(${name} as varchar) end`;
}

/** sha256 over names, types and values, so that equal columns are one batch. */
export function columnsHash(delivery: ColumnsDelivery): string {
  const hash = createHash('sha256');
  const add = (name: string, values: Column) => {
    hash.update(`${name}\n${values.constructor.name}\n`);
    hash.update(ArrayBuffer.isView(values) ? viewOf(values) : textOfValues(values));
  };
  for (const [name, values] of sorted(delivery.columns)) add(name, values);
  if (delivery.shared) {
    add(CODE, delivery.shared.codes);
    for (const [name, values] of sorted(delivery.shared.values)) add(name, values);
  }
  hash.update(JSON.stringify(sorted(delivery.computed ?? {})));
  return hash.digest('hex');
}

const viewOf = (values: ArrayBufferView) =>
  new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
/** A replacer is called for every value, which takes ten times as long. */
const textOfValues = (values: readonly unknown[]): string =>
  values.some((value) => typeof value === 'bigint')
    ? JSON.stringify(values, bigintAsText)
    : JSON.stringify(values);
const bigintAsText = (_: string, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value);
const sorted = <T>(entries: { readonly [name: string]: T }) =>
  Object.entries(entries).sort(([a], [b]) => (a < b ? -1 : 1));

function checkShape(table: RawTable, { columns, count, shared, computed }: ColumnsDelivery): void {
  const todo = 'Correct the source that made this delivery';
  const fail = (field: string, what: string) =>
    new IngestError('bad_delivery', what, { field: `${table.name}.${field}`, todo });
  for (const [name, values] of Object.entries(columns)) {
    if (values.length !== count)
      throw fail(name, `it has ${values.length} values, the delivery has ${count} rows`);
  }
  if (shared && shared.codes.length !== count)
    throw fail('codes', `there are ${shared.codes.length} codes for ${count} rows`);
  const lengths = new Set(Object.values(shared?.values ?? {}).map((values) => values.length));
  if (lengths.size > 1) throw fail('shared', 'the shared lists differ in length');
  const names = new Set([columns, shared?.values ?? {}, computed ?? {}].flatMap(Object.keys));
  const missing = deliveredFields(table).find((field) => field.required && !names.has(field.name));
  if (missing && count > 0) throw fail(missing.name, 'a required field is not delivered');
}

/** NaN and mixed types are loaded as text: the row checks report what is wrong with them. */
function loaded(name: string, values: Column): LoadedColumn {
  if (values instanceof BigInt64Array) return { name, type: 'BIGINT', values };
  if (values instanceof Int32Array) return { name, type: 'INTEGER', values };
  if (values instanceof Float64Array) {
    return values.every(Number.isFinite)
      ? { name, type: 'DOUBLE', values }
      : asText(name, Array.from(values));
  }
  const kinds = new Set(values.filter((value) => value !== null).map((value) => typeof value));
  const [kind] = kinds;
  if (kinds.size > 1 || kind === undefined || !(kind in KINDS)) return asText(name, values);
  if (kind === 'number' && !values.every((value) => value === null || Number.isFinite(value)))
    return asText(name, values);
  return { name, type: KINDS[kind as keyof typeof KINDS], values };
}

const asText = (
  name: string,
  values: readonly (string | number | bigint | boolean | null)[],
): LoadedColumn => ({
  name,
  type: 'VARCHAR',
  values: values.map((value) => (value === null ? null : String(value))),
});

async function load(db: DuckDb, table: string, columns: readonly LoadedColumn[]): Promise<void> {
  const types = columns.map(({ name, type }) => `${quoted(name)} ${type}`).join(', ');
  await db.execute(`create or replace temp table ${table} (${types})`);
  if ((columns[0]?.values.length ?? 0) > 0) await db.append(`main.${table}`, columns);
}
