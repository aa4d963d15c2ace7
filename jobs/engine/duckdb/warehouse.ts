// The warehouse on DuckDB: one file, one process. Each operation is written in a neighbouring file.
import type { PolicyTable } from '../../policy/define.ts';
import type { ModelTable } from '../model.ts';
import type { Parameters } from '../parameters.ts';
import type { Row } from '../rows.ts';
import { ENGINE } from '../versions.ts';
import type { Absorption, ParquetTable, Warehouse, WarehouseTables } from '../warehouse.ts';
import { absorb, absorbedFiles } from './absorb.ts';
import { bindPolicy } from './bind.ts';
import { PRELUDE } from './duckdb.ts';
import { exportParquet } from './export-parquet.ts';
import { columnsOf, prepareTables } from './model-tables.ts';
import type { DuckDb } from './session.ts';
import { stateTables } from './state-tables.ts';
import { Versions } from './versions.ts';
import { createView, merge, rebuild, replaceWindow, type Written } from './write-model.ts';

export class DuckDbWarehouse implements Warehouse {
  readonly version: string;
  readonly capabilities = { transactions: true };
  readonly absorbed;
  readonly state;
  readonly versions;
  /** Columns of policy tables. */
  readonly #shapes = new Map<string, string>();
  /** Undefined until they are read: only `prepare` changes them. */
  #definitions: readonly Row[] | undefined;
  /** The database itself; ingest works on the same one. */
  readonly db: DuckDb;

  constructor(db: DuckDb) {
    this.db = db;
    this.version = db.version;
    this.absorbed = absorbedFiles(db);
    this.state = stateTables(db);
    this.versions = new Versions(db);
    this.versions.bound(ENGINE, [db.version, PRELUDE]);
  }

  async bindPolicy(table: PolicyTable, rows: ReturnType<PolicyTable['rows']>): Promise<void> {
    await bindPolicy(this.db, table, rows);
    this.versions.bound(`policy.${table.name}`, [table.columns, rows]);
    this.#shapes.set(`policy.${table.name}`, JSON.stringify(table.columns));
  }

  prepare(tables: WarehouseTables) {
    this.#definitions = undefined;
    return this.#changing(() =>
      prepareTables({ db: this.db, versions: this.versions, shapes: this.#shapes }, tables),
    );
  }

  async definitions(): Promise<readonly Row[]> {
    this.#definitions ??= await this.db.rows('select name, sql_hash from meta.model order by name');
    return this.#definitions;
  }

  async describe(table: string) {
    return (await this.db.tableColumns(table)) === null ? null : columnsOf(this.db, `select * from ${table}`);
  }

  absorb(model: ModelTable, absorption: Absorption) {
    return this.#changing(() => absorb(this, model, absorption));
  }

  replace(model: ModelTable, window: Parameters): Promise<number> {
    return this.#write(model, () => replaceWindow(this.db, model, window));
  }

  merge(model: ModelTable, window: Parameters): Promise<number> {
    return this.#write(model, () => merge(this.db, model, window));
  }

  rebuild(model: ModelTable, window: Parameters): Promise<number> {
    return this.#write(model, () => rebuild(this.db, model, window));
  }

  async view(model: ModelTable, window: Parameters): Promise<void> {
    await this.#write(model, async () => ({ rows: 0, isChanged: await createView(this.db, model, window) }));
  }

  rows(sql: string): Promise<readonly Row[]> {
    return this.db.rows(sql);
  }

  stream(sql: string): AsyncIterable<readonly Row[]> {
    return this.db.stream(sql);
  }

  exportParquet(table: ParquetTable): Promise<void> {
    return exportParquet(this.db, table);
  }

  transaction<T>(work: () => Promise<T>): Promise<T> {
    return this.#changing(() => this.db.atomic(work));
  }

  close(): Promise<void> {
    return this.db.close();
  }

  /** The rows and their version in one transaction. */
  #write({ name }: ModelTable, write: () => Promise<Written>): Promise<number> {
    return this.#changing(() =>
      this.db.atomic(async () => {
        const { rows, isChanged } = await write();
        if (isChanged) await this.versions.bump([name]);
        return rows;
      }),
    );
  }

  /** Versions of a change that failed are those of before. */
  async #changing<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      this.versions.forget();
      throw error;
    }
  }
}
