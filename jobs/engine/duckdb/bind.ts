// Binds the inputs of models: `landing.<table>` as a view over landed files, `policy.<table>` over configured rows.
import { createHash } from 'node:crypto';
import type { RawTable } from '../../define/raw-table.ts';
import type { PolicyRow, PolicyTable } from '../../define/policy/define.ts';
import { literal, quoted } from '../sql-text.ts';
import { landedSql } from './landed-sql.ts';
import type { DuckDb } from './session.ts';

export interface View {
  /** `policy.peg_class` */
  readonly name: string;
  readonly sql: string;
}

/** A view over these Parquet files; without files, an empty view. */
export const landingView = (table: RawTable, files: readonly string[]): View => ({
  name: `landing.${table.name}`,
  sql: landedSql(table, files),
});

/**
 * A view over these rows. A column that a row does not name is null.
 * @throws when a row names a column that the table does not have
 */
export function policyView({ name: table, columns }: PolicyTable, rows: readonly PolicyRow[]): View {
  const known = new Set(columns.map(({ name }) => name));
  const strange = rows.flatMap(Object.keys).find((name) => !known.has(name));
  if (strange !== undefined)
    throw new Error(`Policy table ${table}: a row has ${strange}, which is not a column of this table.`);
  const typed = columns.map(({ name, type }) => `cast(${quoted(name)} as ${type}) as ${quoted(name)}`);
  const names = columns.map(({ name }) => quoted(name)).join(', ');
  const tuple = (row: PolicyRow) => `(${columns.map(({ name }) => literal(row[name] ?? null)).join(', ')})`;
  const values = (rows.length === 0 ? [{}] : rows).map(tuple).join(', ');
  const some = rows.length === 0 ? ' where false' : '';
  return {
    name: `policy.${table}`,
    sql: `select ${typed.join(', ')} from (values ${values}) as given (${names})${some}`,
  };
}

/** Creates the views that are missing or whose SQL has changed. */
export async function bindViews(db: DuckDb, views: readonly View[]): Promise<void> {
  const bound = new Map(
    (await db.rows('select name, hash from meta.bound')).map((row) => [row['name'], row['hash']]),
  );
  const hashOf = ({ sql }: View) => createHash('sha256').update(`${db.version}\n${sql}`).digest('hex');
  const changed = views.filter((view) => bound.get(view.name) !== hashOf(view));
  if (changed.length === 0) return;
  const hashes = changed.map((view) => `(${literal(view.name)}, ${literal(hashOf(view))})`);
  await db.atomic(async () => {
    await db.execute(changed.map(creation).join(';\n'));
    await db.execute(`${forgetting(changed)}; insert into meta.bound values ${hashes.join(', ')}`);
  });
}

/** Binds `landing.<raw table>` to these files until it is bound again. */
export async function bindLanding(db: DuckDb, table: RawTable, files: readonly string[]): Promise<void> {
  const view = landingView(table, files);
  await db.atomic(() => db.execute(`${creation(view)}; ${forgetting([view])}`));
}

const creation = ({ name, sql }: View): string => `create or replace view ${name} as ${sql}`;

const forgetting = (views: readonly View[]): string =>
  `delete from meta.bound where name in (${views.map(({ name }) => literal(name)).join(', ')})`;
