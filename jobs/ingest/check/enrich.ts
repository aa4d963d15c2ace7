// Fills the fields of tables that compute them in TypeScript: the delivery is loaded into the engine, its rows pass through the table's
// enrichment in batches, and the results are joined to them as if they had been delivered. Not used for tables without an enrichment.

import {
  deliveredFields,
  type Enrichment,
  type FilledColumns,
  filledFields,
  type RawTable,
} from '../../define/raw-table.ts';
import type { DuckDb } from '../../engine/duckdb/session.ts';
import { quoted } from '../../engine/sql-text.ts';
import { IngestError } from '../errors.ts';
import { type CellRelation, type RowSelection, selectValues } from './select-rows.ts';

const DELIVERED = 'landing_delivered';
const FILLED = 'landing_filled';
const BATCH_ROWS = 8_192;

export interface EnrichmentTools {
  readonly db: DuckDb;
  readonly key: Uint8Array;
}

type EnrichedTable = Pick<RowSelection, 'table' | 'mappings'>;

/** The relation with the filled fields added; the relation itself when the table has no enrichment. */
export async function enrich(
  tools: EnrichmentTools,
  relation: CellRelation,
  table: EnrichedTable,
): Promise<CellRelation> {
  const { enrichment } = table.table;
  if (enrichment === undefined) return relation;
  const held = await holdDelivery(tools.db, relation, table);
  await fillAll(tools, held, { ...table, enrichment });
  const filled = new Set(enrichment.fills);
  return {
    ...held,
    // Both tables have their rows in the order of the delivery.
    from: `${DELIVERED} positional join ${FILLED}`,
    cells: (field) => (filled.has(field) ? [quoted(field)] : held.cells(field)),
    value: (field) => (filled.has(field) ? quoted(field) : held.value?.(field)),
  };
}

/** Drops the tables that `enrich` created, including the delivered text. */
export async function forgetDelivery(db: DuckDb, table: RawTable): Promise<void> {
  if (table.enrichment === undefined) return;
  await db.execute(`drop table if exists ${DELIVERED}; drop table if exists ${FILLED}`);
}

/** Stores the cells of every field, so that the source is read once. */
async function holdDelivery(
  db: DuckDb,
  relation: CellRelation,
  { table, mappings }: EnrichedTable,
): Promise<CellRelation> {
  const varying = deliveredFields(table).filter(({ name }) => mappings[name]?.value === undefined);
  const cellName = (field: string, index: number) => quoted(`c ${field} ${index}`);
  const direct = new Set(
    varying.map(({ name }) => name).filter((name) => relation.value?.(name) !== undefined),
  );
  const columns = varying.flatMap(({ name }) =>
    direct.has(name)
      ? [`${relation.value?.(name)} as ${cellName(name, 0)}`]
      : relation.cells(name).map((cell, index) => `${cell} as ${cellName(name, index)}`),
  );
  const structure = quoted('c structure');
  const broken = `${relation.structure ?? 'cast(null as varchar)'} as ${structure}`;
  await db.execute(
    `create or replace temp table ${DELIVERED} as select ${[broken, ...columns].join(', ')} from ${relation.from}`,
  );
  return {
    from: DELIVERED,
    structure,
    cells: (field) => relation.cells(field).map((_, index) => cellName(field, index)),
    value: (field) => (direct.has(field) ? cellName(field, 0) : undefined),
  };
}

async function fillAll(
  { db, key }: EnrichmentTools,
  held: CellRelation,
  { table, mappings, enrichment }: EnrichedTable & { enrichment: Enrichment },
): Promise<void> {
  const fields = filledFields(table);
  const types = fields.map(({ name, type }) => `${quoted(name)} ${type}`).join(', ');
  await db.execute(`create or replace temp table ${FILLED} (${types})`);
  const [counted] = await db.rows(`select count(*) as n from ${DELIVERED}`);
  const given = new Set([...enrichment.takes.map(({ name }) => name), ...enrichment.reads]);
  const wanted = deliveredFields(table).filter(({ name }) => given.has(name));
  const names = wanted.map(({ name }) => name);
  for (let from = 0; from < Number(counted?.['n']); from += BATCH_ROWS) {
    const part = `(select * from ${DELIVERED} where rowid >= ${from} and rowid < ${from + BATCH_ROWS})`;
    const values = selectValues({ ...held, from: part }, mappings, wanted);
    const rows = await db.rows(`select ${names.map(quoted).join(', ')} from (${values})`);
    const columns = names.map((name) => [name, rows.map((row) => row[name] as Cell)] as const);
    const batch = { count: rows.length, columns: Object.fromEntries(columns) };
    const answers = await checked(table, rows.length, () => enrichment.fill(batch, key));
    await db.append(
      `main.${FILLED}`,
      fields.map(({ name, type }) => ({ name, type, values: answers[name] ?? [] })),
    );
  }
}

type Cell = string | number | boolean | null;

/** An enrichment that throws, or omits a row or a field, is a bug in the program, not a fault of the source. */
async function checked(
  table: RawTable,
  rows: number,
  fill: () => FilledColumns | Promise<FilledColumns>,
): Promise<FilledColumns> {
  const todo = 'This is a bug in the definition of the table. Nothing was kept; report it';
  const fail = (what: string, cause?: unknown) =>
    new IngestError('bad_delivery', what, { field: table.name, todo, cause });
  let answers: FilledColumns;
  try {
    answers = await fill();
  } catch (cause) {
    throw fail('its fields cannot be filled', cause);
  }
  const short = filledFields(table).find(({ name }) => answers[name]?.length !== rows);
  if (short !== undefined) throw fail(`${short.name} is not filled for every row`);
  return answers;
}
