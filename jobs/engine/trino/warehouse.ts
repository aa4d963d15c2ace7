// The warehouse on Trino over Iceberg tables, for data that no longer fits on one host. Each statement changes one table; changes that
// belong together are recorded in PostgreSQL and recovered from there. An empty in-memory DuckDB determines which columns a query has.
import { createHash } from 'node:crypto';
import { ALL_ON } from '../../../platform/base/switches.ts';
import type { PolicyTable, PolicyRow } from '../../define/policy/define.ts';
import { forEachAtOnce } from '../../../platform/base/tasks.ts';
import { PRELUDE } from '../duckdb/prelude.ts';
import type { ModelTable } from '../model.ts';
import { NoTransactions } from '../no-transactions.ts';
import { type Parameters, renderParameters } from '../parameters.ts';
import type { Part, RowsFile } from '../placed/part.ts';
import type { ColumnType, Row } from '../rows.ts';
import { literal, quoted } from '../sql-text.ts';
import { ENGINE, CountedVersions, UNWRITTEN } from '../versions.ts';
import type {
  AbsorptionReport,
  Absorption,
  ParquetTable,
  PreparedTables,
  WarehouseTables,
  Queries,
  AbsorbedFile,
  AbsorbedFiles,
} from '../warehouse.ts';
import { absorb } from './absorb.ts';
import type { Database } from './database.ts';
import type { Lake } from './lake.ts';
import { exportRows, importRows } from './copied-rows.ts';
import { clearTable, createView, dropMovedTables, makeTables } from './models.ts';
import { stateTables, type TableStates } from './table-states.ts';
import { rowReader } from './values.ts';
import { writeModel } from './write-model.ts';

type PolicyRows = ReturnType<PolicyTable['rows']>;

export class TrinoWarehouse implements Part {
  readonly version: string;
  readonly capabilities;
  readonly absorbed;
  readonly state;
  readonly versions: Versions;
  readonly #lake: Lake;
  readonly #close: () => Promise<void>;
  /** Policy rows that are not in a view yet: the views are created together. */
  readonly #unbound = new Map<PolicyTable, { readonly rows: PolicyRows; readonly hash: string }>();
  #isPrepared = false;
  readonly #transactions = new NoTransactions();

  /** `version`: `trino 476`. */
  constructor(
    lake: Lake,
    { version, close }: { readonly version: string; readonly close: () => Promise<void> },
  ) {
    this.version = version;
    this.#lake = lake;
    this.#close = close;
    this.capabilities = { transactions: false, atOnce: lake.atOnce };
    this.absorbed = absorbedFiles(lake.database);
    this.state = stateTables(lake.database);
    this.versions = new Versions(lake.states, (sql) => this.rows(sql));
    this.versions.bound(ENGINE, [version, lake.shapes.version, PRELUDE]);
  }

  async bindPolicy(table: PolicyTable, rows: PolicyRows): Promise<void> {
    await this.#lake.shapes.bindPolicy(table, rows);
    this.#unbound.set(table, {
      rows,
      hash: this.versions.bound(`policy.${table.name}`, [table.columns, rows]),
    });
    if (this.#isPrepared) await this.#bindAll();
  }

  async prepare(tables: WarehouseTables): Promise<PreparedTables> {
    this.#transactions.refusePreparing();
    await this.#lake.shapes.prepare({ models: tables.models, raw: tables.raw });
    if (tables.elsewhere !== undefined) await dropMovedTables(this.#lake, tables.elsewhere);
    await this.#bindAll();
    this.#isPrepared = true;
    return makeTables(
      this.#lake,
      tables.models.filter(({ name }) => tables.elsewhere?.has(name) !== true),
    );
  }

  async definitions(): Promise<readonly Row[]> {
    const rows = await this.#lake.database.query(
      'select name, sql_hash from model order by name collate "C"',
    );
    return rows as readonly Row[];
  }

  describe(table: string): Promise<readonly ColumnType[] | null> {
    return this.#lake.shapes.describe(table);
  }

  absorb(model: ModelTable, absorption: Absorption): Promise<AbsorptionReport> {
    return absorb(this.#lake, model, absorption);
  }

  clear(model: ModelTable): Promise<void> {
    return clearTable(this.#lake, model);
  }

  replace(model: ModelTable, window: Parameters): Promise<number> {
    return writeModel(this.#lake, model, window);
  }

  merge(model: ModelTable, window: Parameters): Promise<number> {
    return writeModel(this.#lake, model, window);
  }

  rebuild(model: ModelTable, window: Parameters): Promise<number> {
    return writeModel(this.#lake, model, window);
  }

  async view(model: ModelTable, window: Parameters): Promise<void> {
    const sql = renderParameters(model.sql, window);
    // A view without parameters has not changed since the models were opened.
    if (sql === model.sql) return;
    await createView(this.#lake, model, sql);
    await this.#lake.states.bump(model.name);
  }

  async rows(sql: string): Promise<readonly Row[]> {
    const rows: Row[] = [];
    for await (const batch of this.stream(sql)) rows.push(...batch);
    return rows;
  }

  async *stream(sql: string): AsyncIterable<readonly Row[]> {
    if (this.#unbound.size > 0) await this.#bindAll();
    const read = rowReader(await this.#lake.shapes.columns(sql));
    for await (const page of this.#lake.client.pages(sql))
      if (page.rows.length > 0) yield page.rows.map(read);
  }

  exportParquet(table: ParquetTable): Promise<void> {
    return this.#lake.shapes.exportParquet(table);
  }

  exportRows(model: ModelTable, rows: RowsFile): Promise<void> {
    return exportRows(this.#lake, model, rows);
  }

  importRows(model: ModelTable, rows: RowsFile): Promise<void> {
    return importRows(this.#lake, model, rows);
  }

  /** Runs the work without a transaction: see `capabilities`. */
  transaction<T>(work: () => Promise<T>): Promise<T> {
    return this.#transactions.run(work);
  }

  close(): Promise<void> {
    return this.#close();
  }

  /** Creates the views of policy tables whose rows have changed. */
  async #bindAll(): Promise<void> {
    const { client, database } = this.#lake;
    const known = new Map(
      (await database.query('select name, hash from bound')).map(({ name, hash }) => [name, hash]),
    );
    const given = [...this.#unbound];
    const changed = given.filter(([table, { hash }]) => known.get(table.name) !== hash);
    await forEachAtOnce(this.#lake.atOnce, changed, async ([table, { rows, hash }]) => {
      await database.query('delete from bound where name = $1', [table.name]);
      await client.run(policyViewSql(table, rows));
      await database.query('insert into bound values ($1, $2)', [table.name, hash]);
    });
    for (const [table] of given) this.#unbound.delete(table);
  }
}

// A policy table on Trino: a view over the configured rows, which Trino reads as constants.

/** A column that a row does not name is null. */
function policyViewSql({ name: table, columns }: PolicyTable, rows: readonly PolicyRow[]): string {
  const typed = columns.map(({ name, type }) => `cast(${quoted(name)} as ${type}) as ${quoted(name)}`);
  const names = columns.map(({ name }) => quoted(name)).join(', ');
  const tuple = (row: PolicyRow) =>
    `(${columns.map(({ name, type }) => valueSql(row[name] ?? null, type)).join(', ')})`;
  const values = (rows.length === 0 ? [{}] : rows).map(tuple).join(', ');
  const some = rows.length === 0 ? ' where false' : '';
  return `create or replace view policy.${table} as select ${typed.join(', ')} from (values ${values}) as given (${names})${some}`;
}

/** A number written without an exponent would be a DECIMAL, and all values of a column would share one scale. */
const valueSql = (value: string | number | boolean | null, type: string): string =>
  typeof value === 'number' && type === 'DOUBLE' ? value.toExponential() : literal(value);

// Versions of tables on Trino: for models, those in their states; for policy tables, a hash.

class Versions extends CountedVersions {
  readonly #states: TableStates;
  readonly #query: Queries['rows'];
  readonly #bound = new Map<string, string>();

  constructor(states: TableStates, query: Queries['rows']) {
    super(ALL_ON);
    this.#states = states;
    this.#query = query;
  }

  async of(table: string): Promise<string> {
    return this.#bound.get(table) ?? String(this.#states.version(table) ?? UNWRITTEN);
  }

  override async hasRows(table: string): Promise<boolean> {
    return this.#states.hasRows(table) ?? super.hasRows(table);
  }

  /** Returns the version, which is a hash of the contents. */
  bound(table: string, contents: unknown): string {
    const hash = createHash('sha256').update(JSON.stringify(contents)).digest('hex');
    this.#bound.set(table, hash);
    return hash;
  }

  protected isBound(table: string): boolean {
    return this.#bound.has(table);
  }

  protected rows(sql: string): Promise<readonly Row[]> {
    return this.#query(sql);
  }
}

// Which landed files the `append` models hold, as recorded in PostgreSQL.

async function list(database: Database, models: readonly string[]): Promise<readonly AbsorbedFile[]> {
  const rows = await database.query(
    'select model, file, sha256 from absorbed where model = any($1) and not is_pending order by file collate "C", model collate "C"',
    [models],
  );
  return rows.map(({ model, file, sha256 }) => ({
    model: String(model),
    file: String(file),
    sha256: sha256 === null ? null : String(sha256),
  }));
}

function absorbedFiles(database: Database): AbsorbedFiles {
  return {
    list: (models) => list(database, models),
    async adopt(model, { file, sha256, replaces }) {
      await database.transaction(async (transaction) => {
        const parts = 'model = $1 and file = any($2)';
        await transaction.query(
          `insert into absorbed (model, file, first_time, is_settled, sha256, batch)
           select model, $3, min(first_time), bool_and(is_settled), $4, max(batch) from absorbed where ${parts} group by model`,
          [model, replaces, file, sha256],
        );
        await transaction.query(`delete from absorbed where ${parts}`, [model, replaces]);
      });
    },
    async firstTime(of) {
      const open = of === 'unsettled' ? ' where not is_settled' : '';
      const [row] = await database.query(`select min(first_time) as first_time from absorbed${open}`);
      return typeof row?.['first_time'] === 'number' ? row['first_time'] : null;
    },
    async lateModels(before) {
      const late = await database.query(
        'select distinct model collate "C" as model from absorbed where not is_settled and first_time < $1 order by 1',
        [before],
      );
      return late.map(({ model }) => String(model));
    },
    async settle() {
      await database.query('update absorbed set is_settled = true where not is_settled');
    },
  };
}
