// Rows as an Arrow IPC stream, with a record batch every few thousand rows. The package is loaded for the first such response.
import type * as Arrow from 'apache-arrow';
import type { Column, ColumnType } from '../../snapshots/columns.ts';
import type { Json } from '../../platform/base/json.ts';
import type { FlatRow } from '../../snapshots/rows.ts';

const ROWS_PER_BATCH = 8_192;

/** Collects rows; `end` returns the whole stream. */
export interface ArrowStream {
  add(rows: readonly FlatRow[]): void;
  end(): Buffer;
}

export async function arrowStream(columns: readonly Column[]): Promise<ArrowStream> {
  const arrow = await import('apache-arrow');
  const fields = columns.map(({ name, type }) => new arrow.Field(name, arrowType(arrow, type), true));
  const schema = new arrow.Schema(fields);
  const batches: Arrow.RecordBatch[] = [];
  let open: FlatRow[] = [];
  const close = () => {
    batches.push(batchOf(arrow, { schema, columns, rows: open }));
    open = [];
  };
  return {
    add(rows) {
      for (const row of rows) {
        open.push(row);
        if (open.length === ROWS_PER_BATCH) close();
      }
    },
    end() {
      if (open.length > 0 || batches.length === 0) close();
      return Buffer.from(arrow.tableToIPC(new arrow.Table(schema, batches), 'stream'));
    },
  };
}

function batchOf(
  arrow: typeof Arrow,
  {
    schema,
    columns,
    rows,
  }: {
    readonly schema: Arrow.Schema;
    readonly columns: readonly Column[];
    readonly rows: readonly FlatRow[];
  },
): Arrow.RecordBatch {
  const children = columns.map(({ type }, index) => {
    const builder = arrow.makeBuilder({ type: arrowType(arrow, type), nullValues: [null] });
    for (const row of rows) builder.append(arrowValue(type, row[index] ?? null));
    return builder.finish().flush();
  });
  const data = arrow.makeData({ type: new arrow.Struct(schema.fields), length: rows.length, children });
  return new arrow.RecordBatch(schema, data);
}

function arrowType(arrow: typeof Arrow, type: ColumnType): Arrow.DataType {
  switch (type.kind) {
    case 'text':
    case 'json':
      return new arrow.Utf8();
    case 'integer':
      return new arrow.Int64();
    case 'number':
      return new arrow.Float64();
    case 'boolean':
      return new arrow.Bool();
    case 'list':
      return new arrow.List(new arrow.Field('item', arrowType(arrow, type.item), true));
    case 'struct':
      return new arrow.Struct(
        type.columns.map(({ name, type: inner }) => new arrow.Field(name, arrowType(arrow, inner), true)),
      );
  }
}

/** Integers have 64 bits, which the package expects as BigInt, even inside lists and structs. */
function arrowValue(type: ColumnType, value: Json): unknown {
  if (value === null) return null;
  if (type.kind === 'integer') return BigInt(Number(value));
  if (type.kind === 'list') return (value as readonly Json[]).map((item) => arrowValue(type.item, item));
  if (type.kind !== 'struct') return value;
  const struct = value as { readonly [member: string]: Json };
  return Object.fromEntries(
    type.columns.map(({ name, type: inner }) => [name, arrowValue(inner, struct[name] ?? null)]),
  );
}
