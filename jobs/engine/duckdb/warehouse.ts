// The warehouse on DuckDB: one file, one process. Each operation is written in a neighbouring file.
import type { PolicyTable } from '../../policy/define.ts';
import type { ModelTable } from '../model.ts';
import type { Parameters } from '../parameters.ts';
import type { Row } from '../rows.ts';
import type { Absorption, ParquetTable, Warehouse, WarehouseTables } from '../warehouse.ts';
import { absorb, absorbedFiles } from './absorb.ts';
import { bindPolicy } from './bind.ts';
import { exportParquet } from './export-parquet.ts';
import { columnsOf, prepareTables } from './model-tables.ts';
import type { DuckDb } from './session.ts';
import { stateTables } from './state-tables.ts';
import { createView, merge, rebuild, replaceWindow } from './write-model.ts';

export class DuckDbWarehouse implements Warehouse {
  readonly version: string;
  readonly capabilities = { transactions: true };
  readonly absorbed;
  readonly state;
  /** The database itself; ingest works on the same one. */
  readonly db: DuckDb;

  constructor(db: DuckDb) {
    this.db = db;
    this.version = db.version;
    this.absorbed = absorbedFiles(db);
    this.state = stateTables(db);
  }

  bindPolicy(table: PolicyTable, rows: ReturnType<PolicyTable['rows']>): Promise<void> {
    return bindPolicy(this.db, table, rows);
  }

  prepare(tables: WarehouseTables) {
    return prepareTables(this.db, tables);
  }

  definitions(): Promise<readonly Row[]> {
    return this.db.rows('select name, sql_hash from meta.model order by name');
  }

  async describe(table: string) {
    return (await this.db.tableColumns(table)) === null ? null : columnsOf(this.db, `select * from ${table}`);
  }

  absorb(model: ModelTable, absorption: Absorption) {
    return absorb(this.db, model, absorption);
  }

  replace(model: ModelTable, window: Parameters): Promise<number> {
    return replaceWindow(this.db, model, window);
  }

  merge(model: ModelTable, window: Parameters): Promise<number> {
    return merge(this.db, model, window);
  }

  rebuild(model: ModelTable, window: Parameters): Promise<number> {
    return rebuild(this.db, model, window);
  }

  view(model: ModelTable, window: Parameters): Promise<void> {
    return createView(this.db, model, window);
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
    return this.db.atomic(work);
  }

  close(): Promise<void> {
    return this.db.close();
  }
}
