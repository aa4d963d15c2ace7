// Opens a DuckDB database and runs statements on it. Only this folder uses the driver.
// Values are read in values.ts, columns are written in append.ts.
import { type DuckDBConnection, DuckDBInstance, type DuckDBResult, version } from '@duckdb/node-api';
import { EngineError } from '../errors.ts';
import { renderParameters } from '../parameters.ts';
import type { Column, ColumnSpec, Row } from '../rows.ts';
import { literal } from '../sql-text.ts';
import { MARKS, type SyntaxTree } from '../syntax.ts';
import { appendColumns } from './append.ts';
import { appendError, engineError, openError } from './errors.ts';
import { Readings } from './readings.ts';
import { ensurePrelude } from './prelude.ts';
import type { DuckDb } from './session.ts';
import { columnsNamed, parsedSelect, tablesRead } from './syntax.ts';
import { splitName, tableColumns } from './tables.ts';
import { chunkRows, columnReaders } from './values.ts';

export interface DuckDBOptions {
  /** Path of the warehouse, or `:memory:`. */
  readonly file: string;
  /** For example `2GB`. */
  readonly memoryLimit: string;
  readonly threads: number;
  /** Folder for data that does not fit in memory. */
  readonly tempDir: string;
  /** False leaves changes in the write-ahead log, which is replayed when the database is next opened; closing then takes no time. */
  readonly checkpointOnClose?: boolean;
}

/**
 * Opens the warehouse, creating it if needed, with the schemas and macros that models use.
 * Throws DamagedWarehouseError, WarehouseBusyError, or EngineError when the path cannot be used at all.
 */
export async function openDuckDb(options: DuckDBOptions): Promise<DuckDb> {
  let instance: DuckDBInstance | undefined;
  try {
    instance = await DuckDBInstance.fromCache(options.file, { default_block_size: BLOCK_BYTES });
    const connection = await instance.connect();
    await connection.run(settings(options));
    await ensurePrelude(connection);
    return new DuckDbSession({ instance, connection, isBulk: await canCopyInBulk(connection), options });
  } catch (cause) {
    instance?.closeSync();
    throw openError(options.file, cause);
  }
}

/**
 * Size of the blocks of a new file; an existing one keeps its own. Until the next checkpoint, each column of a table with new rows takes a
 * block of memory, however few they are: 390 MB for the tables of the demo with blocks of 256 KB, 227 MB with these. Large tables are read
 * as fast and take as much disk; with blocks of 16 KB they would need a tenth more time and a fifth more disk.
 */
const BLOCK_BYTES = '65536';

function settings({ memoryLimit, threads, tempDir, checkpointOnClose = true }: DuckDBOptions): string {
  return [
    "set TimeZone = 'UTC'",
    memoryLimitOf({ memoryLimit }),
    `set threads = ${threads}`,
    `set temp_directory = ${literal(tempDir)}`,
    // Rows are stored in insertion order, which makes the rounds of one feed cheap to read.
    'set preserve_insertion_order = true',
    // A tick over thousands of feeds, or the first run of a folder, writes more than the default of 16 MB; a checkpoint takes a tenth of
    // its time. 64 MB of the log are replayed in half a second.
    "set checkpoint_threshold = '128MB'",
    // The system caches files. A landed batch is read once, and each of its columns would keep a page of 4 KB here: 17 MB an hour of ticks in
    // the demo, without an end below the limit of memory.
    'set enable_external_file_cache = false',
    'set autoinstall_known_extensions = false',
    'set autoload_known_extensions = false',
    ...(checkpointOnClose ? [] : ['pragma disable_checkpoint_on_shutdown']),
  ].join(';\n');
}

const memoryLimitOf = ({ memoryLimit }: Pick<DuckDBOptions, 'memoryLimit'>): string =>
  `set memory_limit = ${literal(memoryLimit)}`;

const IN_MEMORY = ':memory:';
const UNWRITTEN = `select memory_usage_bytes as bytes from duckdb_memory() where tag = 'IN_MEMORY_TABLE'`;
const CACHED = `
  select coalesce(sum(memory_usage_bytes) filter (where tag = 'BASE_TABLE'), 0) as cached,
    coalesce(sum(memory_usage_bytes) filter (where tag <> 'BASE_TABLE'), 0) as others
  from duckdb_memory()`;

interface OpenDatabase {
  readonly instance: DuckDBInstance;
  readonly connection: DuckDBConnection;
  /** Whether values are read in bulk. */
  readonly isBulk: boolean;
  readonly options: DuckDBOptions;
}

const marked = (sql: string): string => renderParameters(sql, MARKS);

class DuckDbSession implements DuckDb {
  readonly version = `duckdb ${version().replace(/^v/, '')}`;
  readonly readings = new Readings();
  readonly #instance: DuckDBInstance;
  readonly #connection: DuckDBConnection;
  readonly #isBulk: boolean;
  readonly #options: DuckDBOptions;
  #inTransaction = false;
  /** The query parsed last: several readings usually use the same tree one after the other. */
  #parsed: { readonly sql: string; readonly tree: SyntaxTree } | undefined;
  /** Trees as JSON, by query, until they are used. */
  #ahead = new Map<string, string>();

  constructor({ instance, connection, isBulk, options }: OpenDatabase) {
    this.#instance = instance;
    this.#connection = connection;
    this.#isBulk = isBulk;
    this.#options = options;
  }

  async execute(sql: string): Promise<number> {
    return (await this.#run(sql)).rowsChanged;
  }

  async rows(sql: string): Promise<readonly Row[]> {
    const rows: Row[] = [];
    const result = await this.#run(sql);
    for await (const batch of this.#batches(result, sql)) rows.push(...batch);
    return rows;
  }

  /** Reads on its own connection, so other statements can run meanwhile. It sees only committed data. */
  async *stream(sql: string): AsyncIterable<readonly Row[]> {
    if (this.#inTransaction)
      throw new EngineError('A stream reads committed rows only: use rows() inside a transaction.');
    const connection = await this.#instance.connect();
    try {
      const result = await connection.stream(sql).catch((cause) => {
        throw engineError(sql, cause);
      });
      yield* this.#batches(result, sql);
    } finally {
      connection.closeSync();
    }
  }

  async append(table: string, columns: readonly (ColumnSpec & { readonly values: Column })[]): Promise<void> {
    const work = () => appendColumns(this.#connection, table, { columns, isBulk: this.#isBulk });
    try {
      // The appender writes as it goes: without a transaction, the rows before a bad row would stay.
      await this.atomic(work);
    } catch (cause) {
      throw appendError(table, cause);
    }
  }

  get isInTransaction(): boolean {
    return this.#inTransaction;
  }

  async transaction<T>(work: () => Promise<T>): Promise<T> {
    if (this.#inTransaction)
      throw new EngineError('A transaction is open already: transactions do not nest.');
    await this.#run('begin transaction');
    this.#inTransaction = true;
    try {
      const answer = await work();
      await this.#run('commit');
      return answer;
    } catch (error) {
      await this.#rollBack(error);
      throw error;
    } finally {
      this.#inTransaction = false;
    }
  }

  atomic<T>(work: () => Promise<T>): Promise<T> {
    return this.#inTransaction ? work() : this.transaction(work);
  }

  async parseAhead(sqls: readonly string[]): Promise<void> {
    const texts = sqls.filter((sql) => !this.readings.has('tables', sql)).map(marked);
    this.#ahead = texts.length === 0 ? new Map() : await this.#serialized(texts);
  }

  tablesRead(sql: string): Promise<readonly string[]> {
    return this.readings.once('tables', sql, async () => tablesRead(await this.#parse(marked(sql)), sql));
  }

  columnsNamed(sql: string): Promise<readonly string[]> {
    return this.readings.once('columns', sql, async () => columnsNamed(await this.#parse(sql), sql));
  }

  readTree<T extends object>(name: string, sql: string, read: (tree: SyntaxTree) => T): Promise<T> {
    const text = marked(sql);
    return this.readings.once(name, text, async () => read(await this.#parse(text)));
  }

  async tableColumns(table: string): Promise<readonly string[] | null> {
    try {
      return await tableColumns(this.#connection, splitName(table));
    } catch (cause) {
      throw engineError(`columns of ${table}`, cause);
    }
  }

  async checkpoint(): Promise<void> {
    await this.#run('checkpoint');
  }

  /** Always 0 for a database without a file, which has nowhere to write them. */
  async unwrittenBytes(): Promise<number> {
    if (this.#options.file === IN_MEMORY) return 0;
    const [row] = await this.rows(UNWRITTEN);
    return Number(row?.['bytes'] ?? 0);
  }

  /**
   * The engine lets go of blocks only when its limit is lower than what it uses, so the limit is lowered for a moment. Rows that are not in the
   * file would be written to the temporary folder: there are none after a checkpoint.
   */
  async dropCachedBlocks(maxBytes: number): Promise<void> {
    const [row] = await this.rows(CACHED);
    const [cached, others] = [Number(row?.['cached'] ?? 0), Number(row?.['others'] ?? 0)];
    if (cached <= maxBytes) return;
    try {
      await this.#run(memoryLimitOf({ memoryLimit: `${others + maxBytes}B` }));
    } finally {
      await this.releaseMemory();
    }
  }

  /** Whenever its limit is set, the engine asks the C library to return what is free, also what the rest of the process has freed. */
  async releaseMemory(): Promise<void> {
    await this.#run(memoryLimitOf(this.#options));
  }

  async close(): Promise<void> {
    this.#connection.closeSync();
    this.#instance.closeSync();
  }

  async #parse(sql: string): Promise<SyntaxTree> {
    if (this.#parsed?.sql === sql) return this.#parsed.tree;
    const ahead = this.#ahead.get(sql);
    this.#ahead.delete(sql);
    const tree = parsedSelect(ahead ?? (await this.#serialized([sql])).get(sql) ?? '', sql);
    this.#parsed = { sql, tree };
    return tree;
  }

  /** The tree of each query as JSON, or as JSON why there is none. */
  async #serialized(sqls: readonly string[]): Promise<Map<string, string>> {
    const texts = sqls.map((sql, place) => `(${place}, ${literal(sql)})`).join(', ');
    const rows = await this.rows(
      `select place, cast(json_serialize_sql(sql) as varchar) as tree from (values ${texts}) as t(place, sql)`,
    );
    return new Map(rows.map(({ place, tree }) => [sqls[Number(place)] ?? '', String(tree)]));
  }

  /** A failed commit has already ended the transaction; then there is nothing to roll back. */
  async #rollBack(reason: unknown): Promise<void> {
    try {
      await this.#connection.run('rollback');
    } catch (cause) {
      if (String(cause).includes('no transaction is active')) return;
      throw new AggregateError([reason, cause], 'the transaction failed and could not be rolled back', {
        cause,
      });
    }
  }

  async #run(sql: string): Promise<DuckDBResult> {
    try {
      return await this.#connection.run(sql);
    } catch (cause) {
      throw engineError(sql, cause);
    }
  }

  async *#batches(result: DuckDBResult, sql: string): AsyncIterable<readonly Row[]> {
    const names = result.columnNames();
    const readers = columnReaders(names, result.columnTypes());
    try {
      for (
        let chunk = await result.fetchChunk();
        chunk && chunk.rowCount > 0;
        chunk = await result.fetchChunk()
      ) {
        yield chunkRows(chunk, names, readers);
      }
    } catch (cause) {
      throw engineError(sql, cause);
    }
  }
}

// Whether typed arrays may be copied straight into the driver's vectors. The buffer that takes them is a private member of the driver:
// a version that changes it would lose rows without an error, so each process tries it on three rows first.

const PROBE = 'append_probe';
const NUMBERS = [-1, 0, 2_000_000_001];

/** Appends typed arrays to a temporary table in bulk and reads them back. */
export async function canCopyInBulk(connection: DuckDBConnection): Promise<boolean> {
  await connection.run(`create or replace temp table ${PROBE} (n bigint, d double, i integer)`);
  try {
    const columns = [
      { name: 'n', type: 'BIGINT', values: BigInt64Array.from(NUMBERS, BigInt) },
      { name: 'd', type: 'DOUBLE', values: Float64Array.from(NUMBERS, (one) => one / 2) },
      { name: 'i', type: 'INTEGER', values: Int32Array.from(NUMBERS) },
    ] as const;
    await appendColumns(connection, `main.${PROBE}`, { columns, isBulk: true });
    const result = await connection.run(`select n, d, i from ${PROBE} order by n`);
    const read = (await result.getRows()).map((row) => row.map(Number));
    return JSON.stringify(read) === JSON.stringify(NUMBERS.map((one) => [one, one / 2, one]));
  } catch {
    return false;
  } finally {
    await connection.run(`drop table if exists ${PROBE}`);
  }
}
