// Gives models their inputs: `landing.<table>` as a view over landed files, or over rows of the configuration.
import type { PolicyTable, RawTable } from '../define.ts';
import type { Engine } from '../engine/engine.ts';
import { landedSql, literal, quoted } from './landing/sql-text.ts';

/** Binds `landing.<raw table>` to these Parquet files, or to nothing. */
export async function bindLanding(engine: Engine, table: RawTable, files: readonly string[]): Promise<void> {
  await engine.execute(`create or replace view landing.${table.name} as ${landedSql(table, files)}`);
}

/** Binds `landing.<policy table>` to these rows, in the table's column order. */
export async function bindPolicy(
  engine: Engine,
  table: PolicyTable,
  rows: ReturnType<PolicyTable['rows']>,
): Promise<void> {
  const wrong = rows.find((row) => row.length !== table.columns.length);
  if (wrong)
    throw new Error(
      `policy table ${table.name}: a row has ${wrong.length} values for ${table.columns.length} columns`,
    );
  const select = (row: readonly (string | number | boolean | null)[]) =>
    table.columns
      .map(({ name, type }, index) => `cast(${literal(row[index] ?? null)} as ${type}) as ${quoted(name)}`)
      .join(', ');
  const sql =
    rows.length === 0
      ? `select ${select([])} where false`
      : rows.map((row) => `select ${select(row)}`).join(' union all ');
  await engine.execute(`create or replace view landing.${table.name} as ${sql}`);
}
