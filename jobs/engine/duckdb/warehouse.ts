// The warehouse on DuckDB: one file, one process. Each operation has its own file in this folder.
import { ALL_ON, type SwitchedOff } from '../../../platform/base/switches.ts';
import type { PolicyTable } from '../../define/policy/define.ts';
import { EngineError } from '../errors.ts';
import type { ModelTable } from '../model.ts';
import type { Parameters } from '../parameters.ts';
import type { Part, RowsFile } from '../placed/part.ts';
import type { Row } from '../rows.ts';
import { quoted } from '../sql-text.ts';
import { ENGINE } from '../versions.ts';
import type { Absorption, ParquetTable, PreparedTables, WarehouseTables } from '../warehouse.ts';
import { absorb } from './absorb.ts';
import { AbsorbedList } from './absorbed-files.ts';
import { bindViews, policyView, type View } from './bind.ts';
import { PRELUDE } from './prelude.ts';
import { exportParquet } from './export-parquet.ts';
import { exportRows, emptyMovedTables, importRows } from './copied-rows.ts';
import { columnsOf, prepareTables } from './model-tables.ts';
import type { DuckDb } from './session.ts';
import { stateTables } from './state-tables.ts';
import { splitName } from './tables.ts';
import { Versions } from './versions.ts';
import {
  createView,
  merge,
  rebuild,
  replaceWindow,
  type WriteTarget,
  type WriteResult,
} from './write-model.ts';

export class DuckDbWarehouse implements Part {
  readonly version: string;
  readonly capabilities = {
    transactions: true,
    atOnce: 1,
  };
  readonly absorbed;
  readonly state;
  readonly versions;
  /** Columns of policy tables. */
  readonly #shapes = new Map<string, string>();
  /** Policy tables bound before the first `prepare`, which creates all their views in one statement; undefined from then on. */
  #unbound: View[] | undefined = [];
  /** Undefined until they are read. Only `prepare` changes them. */
  #definitions: readonly Row[] | undefined;
  /** The database itself; ingest works on the same one. */
  readonly db: DuckDb;

  constructor(db: DuckDb, off: SwitchedOff = ALL_ON) {
    this.db = db;
    this.version = db.version;
    this.absorbed = new AbsorbedList(db, off);
    this.state = stateTables(db);
    this.versions = new Versions(db, off);
    this.versions.bound(ENGINE, [db.version, PRELUDE]);
  }

  async bindPolicy(table: PolicyTable, rows: ReturnType<PolicyTable['rows']>): Promise<void> {
    const view = policyView(table, rows);
    if (this.#unbound === undefined) await bindViews(this.db, [view]);
    else this.#unbound.push(view);
    this.versions.bound(`policy.${table.name}`, [table.columns, rows]);
    this.#shapes.set(`policy.${table.name}`, JSON.stringify(table.columns));
  }

  prepare(tables: WarehouseTables): Promise<PreparedTables> {
    this.#definitions = undefined;
    this.absorbed.forget();
    return this.#changing(async () => {
      const prepared = await prepareTables(
        { db: this.db, versions: this.versions, shapes: this.#shapes, policies: this.#unbound ?? [] },
        tables,
      );
      this.#unbound = undefined;
      await this.#giveUp(tables);
      return prepared;
    });
  }

  async definitions(): Promise<readonly Row[]> {
    this.#definitions ??= await this.db.rows('select name, sql_hash from meta.model order by name');
    return this.#definitions;
  }

  async describe(table: string) {
    const { schema, name } = splitName(table);
    try {
      return await columnsOf(this.db, `select * from ${quoted(schema)}.${quoted(name)}`);
    } catch (error) {
      if (error instanceof EngineError && error.message.startsWith('Catalog Error')) return null;
      throw error;
    }
  }

  /** Columns of a query. */
  columns(sql: string) {
    return columnsOf(this.db, sql);
  }

  absorb(model: ModelTable, absorption: Absorption) {
    const { db, versions, absorbed } = this;
    return this.#changing(() =>
      absorb({ db, versions, absorbed, atomic: (work) => this.#atomic(work) }, model, absorption),
    );
  }

  clear({ name }: ModelTable): Promise<void> {
    return this.#changing(() =>
      this.#atomic(async () => {
        await this.db.execute(`delete from ${name}`);
        await this.absorbed.clear(name);
        await this.versions.bump([name]);
        await this.versions.noteFilled(name, false);
      }),
    );
  }

  replace(model: ModelTable, window: Parameters): Promise<number> {
    return this.#write(model, (target) => replaceWindow(target, model, window));
  }

  merge(model: ModelTable, window: Parameters): Promise<number> {
    return this.#write(model, (target) => merge(target, model, window));
  }

  rebuild(model: ModelTable, window: Parameters): Promise<number> {
    return this.#write(model, (target) => rebuild(target, model, window));
  }

  async view(model: ModelTable, window: Parameters): Promise<void> {
    await this.#write(model, async ({ db }) => ({ rows: 0, isChanged: await createView(db, model, window) }));
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

  async exportRows({ name }: ModelTable, { where, file }: RowsFile): Promise<void> {
    const columns = await this.columns(`select * from ${name}`);
    await exportRows(this.db, { from: `${name} where ${where}`, columns }, file);
  }

  importRows(model: ModelTable, rows: RowsFile): Promise<void> {
    return this.#changing(() =>
      this.#atomic(async () => {
        const columns = await this.columns(`select * from ${model.name}`);
        const hasRows = await importRows(this.db, model, { columns, rows });
        await this.versions.bump([model.name]);
        await this.versions.noteFilled(model.name, hasRows);
      }),
    );
  }

  transaction<T>(work: () => Promise<T>): Promise<T> {
    return this.#changing(() => this.#atomic(work));
  }

  close(): Promise<void> {
    return this.db.close();
  }

  #giveUp({ models, elsewhere }: WarehouseTables): Promise<void> {
    return this.#atomic(async () => {
      const away = models.filter(({ name }) => elsewhere?.has(name) === true);
      const emptied = await emptyMovedTables(this.db, away);
      await this.versions.bump(emptied);
      for (const name of emptied) await this.versions.noteFilled(name, false);
    });
  }

  /** Writes the rows and their version in one transaction. */
  #write(model: ModelTable, write: (target: WriteTarget) => Promise<WriteResult>): Promise<number> {
    const { db, versions } = this;
    return this.#changing(() =>
      this.#atomic(async () => {
        const { rows, isChanged, hasRows } = await write({ db, has: await versions.notedRows(model.name) });
        if (isChanged) await versions.bump([model.name]);
        if (hasRows !== undefined) await versions.noteFilled(model.name, hasRows);
        return rows;
      }),
    );
  }

  /** The versions of all changed tables are written once, before the outermost transaction ends. */
  #atomic<T>(work: () => Promise<T>): Promise<T> {
    if (this.db.isInTransaction) return work();
    return this.db.transaction(async () => {
      const answer = await work();
      await this.versions.save();
      return answer;
    });
  }

  /** Discards what is kept in memory if the change fails, because the warehouse has been rolled back. */
  async #changing<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      this.versions.forget();
      this.absorbed.forget();
      throw error;
    }
  }
}
