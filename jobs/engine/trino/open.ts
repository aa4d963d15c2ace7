// Opens the warehouse on Trino, after checking that Trino, its catalogue and the database belong together and to this installation.
import type { DuckDb } from '../duckdb/session.ts';
import { columnsOf } from '../duckdb/model-tables.ts';
import { DuckDbWarehouse } from '../duckdb/warehouse.ts';
import { EngineError } from '../errors.ts';
import { literal } from '../sql-text.ts';
import { serialQueue } from '../../../platform/base/tasks.ts';
import { settlePending } from './absorb.ts';
import { TrinoClient, type TrinoEffects, type TrinoConnection } from './client.ts';
import { type Database, openDatabase } from './database.ts';
import { holdWarehouse, type LeaderTerm } from './hold.ts';
import type { Lake, LakeFiles } from './lake.ts';
import { TableStates } from './table-states.ts';
import { TrinoWarehouse } from './warehouse.ts';

export interface TrinoOptions {
  readonly connection: TrinoConnection;
  readonly effects: TrinoEffects;
  /** The database of the catalogue, `postgres://user@host/database`; the password comes from PGPASSWORD or PGPASSFILE. */
  readonly database: string;
  readonly files: LakeFiles;
  /** An in-memory database, which parses queries, determines their columns, and computes landed rows. */
  readonly db: DuckDb;
  readonly tempDir: string;
  /** Ids are unique, and later ones sort after earlier ones. */
  readonly makeId: () => string;
  /** Maximum number of concurrent statements. */
  readonly atOnce: number;
  /** The leader's term, if job hosts take turns: an earlier leader that hangs loses the warehouse. */
  readonly term?: LeaderTerm | null;
  /** Start empty, whatever the warehouse holds. */
  readonly isRebuild?: boolean;
}

const OLDEST = 476;
const SCHEMAS = ['policy', 'obs', 'derived', 'out'];
const MARK = 'installation_';

/** @throws EngineError, DatabaseRefusedError, WarehouseBusyError, WarehouseLostError */
export async function openTrinoWarehouse(options: TrinoOptions): Promise<TrinoWarehouse> {
  const client = new TrinoClient(options.connection, options.effects);
  const version = await supportedVersion(client, options.connection.catalog);
  const term = options.term ?? null;
  const database = await openDatabase(options.database, term);
  const steps: (() => Promise<unknown>)[] = [() => database.close()];
  /** A second call does nothing. */
  const close = async () => {
    for (const step of steps.splice(0).toReversed()) await step();
  };
  try {
    const hold = await holdWarehouse(options.database, term);
    steps.push(() => hold.end());
    await claimCatalogue(client, database, options);
    if (options.isRebuild === true) await forgetAll(database);
    const lake = lakeOf({ client, database, options });
    await recover(lake, options);
    return new TrinoWarehouse(lake, { version: `trino ${version}`, close });
  } catch (error) {
    await close();
    throw error;
  }
}

function lakeOf({
  client,
  database,
  options,
}: {
  client: TrinoClient;
  database: Database;
  options: TrinoOptions;
}): Lake {
  const { connection, files, db, tempDir, makeId, atOnce } = options;
  const shapes = new DuckDbWarehouse(db);
  return {
    client,
    database,
    states: new TableStates(database, connection.catalog),
    files,
    shapes,
    inTurn: serialQueue(),
    atOnce,
    texts: new Map(),
    counts: new Map(),
    written: new Map(),
    tempDir,
    makeId,
    columns: (table) => columnsOf(db, `select * from ${table}`),
  };
}

async function supportedVersion(client: TrinoClient, catalog: string): Promise<number> {
  const { rows } = await client.run(
    `select version(), (select connector_name from system.metadata.catalogs where catalog_name = ${literal(catalog)})`,
  );
  const [version, connector] = rows[0] ?? [];
  const number = Number.parseInt(String(version), 10);
  if (!(number >= OLDEST))
    throw new EngineError(`${client.name} is Trino ${String(version)}: ${OLDEST} or newer is needed.`);
  if (connector !== 'iceberg')
    throw new EngineError(
      `${client.name} has ${connector === null ? 'no catalogue' : `a catalogue of the ${String(connector)} connector under the name`} ${catalog}: TRINO_CATALOG must name a catalogue of the Iceberg connector.`,
    );
  return number;
}

/** Checks that catalogue and database have the same installation id, which the first opening of the two creates. */
async function claimCatalogue(
  client: TrinoClient,
  database: Database,
  { connection: { catalog }, makeId }: TrinoOptions,
): Promise<void> {
  const [catalogue] = await database.query(`select to_regclass('iceberg_tables') is not null as is_there`);
  if (catalogue?.['is_there'] !== true)
    throw new EngineError(
      'The database of the warehouse holds no catalogue: it must be the one that the JDBC catalogue of Trino names, with its tables (docs/scale.md).',
    );
  const { rows } = await client.run('show schemas');
  const schemas = rows.map(([name]) => String(name));
  const marks = schemas.filter((name) => name.startsWith(MARK));
  const [row] = await database.query('select id from installation');
  const id = row === undefined ? makeId().toLowerCase() : String(row['id']);
  const isOurs = row === undefined ? marks.length === 0 : marks.length === 1 && marks[0] === `${MARK}${id}`;
  if (!isOurs)
    throw new EngineError(
      `The catalogue ${catalog} of ${client.name} belongs to another installation: give this one its own catalogue and database.`,
    );
  for (const schema of SCHEMAS.filter((name) => !schemas.includes(name)))
    await client.run(`create schema if not exists ${schema}`);
  if (row === undefined) await claim(client, database, { id, catalog });
}

async function claim(
  client: TrinoClient,
  database: Database,
  { id, catalog }: { readonly id: string; readonly catalog: string },
): Promise<void> {
  const [{ n } = { n: 0 }] = await database.query(
    'select count(*) as n from iceberg_tables where catalog_name = $1',
    [catalog],
  );
  if (Number(n) > 0)
    throw new EngineError(`The catalogue ${catalog} holds tables of something else: name an empty one.`);
  await database.query('insert into installation values ($1, $2)', [id, catalog]);
  await client.run(`create schema ${MARK}${id}`);
  const [seen] = await database.query(
    'select 1 as one from iceberg_namespace_properties where catalog_name = $1 and namespace = $2',
    [catalog, `${MARK}${id}`],
  );
  if (seen !== undefined) return;
  await client.run(`drop schema ${MARK}${id}`);
  await database.query('delete from installation');
  throw new EngineError(
    `The catalogue ${catalog} of ${client.name} is not kept in the database of the warehouse under this name: iceberg.jdbc-catalog.connection-url must name the same database, and iceberg.jdbc-catalog.catalog-name must be ${catalog}.`,
  );
}

/**
 * Makes the next process that opens the warehouse start empty. `term`: as for opening.
 * @throws EngineError, DatabaseRefusedError, WarehouseBusyError while another process has it, WarehouseLostError
 */
export async function forgetTrinoWarehouse(url: string, term: LeaderTerm | null): Promise<void> {
  const database = await openDatabase(url, term);
  try {
    const hold = await holdWarehouse(url, term);
    try {
      await forgetAll(database);
    } finally {
      await hold.end();
    }
  } finally {
    await database.close();
  }
}

/** Forgets everything but the owner. The tables themselves are replaced by the next `prepare`. */
async function forgetAll(database: Database): Promise<void> {
  const tables = await database.query(
    `select tablename from pg_tables where schemaname = 'meta'
       and tablename not in ('store_step', 'installation', 'model', 'table_state', 'bound', 'absorbed', 'leader_term')`,
  );
  await database.transaction(async (transaction) => {
    await transaction.query('truncate model, table_state, bound, absorbed');
    for (const { tablename } of tables) await transaction.query(`drop table meta."${String(tablename)}"`);
  });
}

/** Ends queries that an earlier process left running, and settles the changes that it left open. */
async function recover(
  lake: Lake,
  { connection: { source }, effects: { wait } }: TrinoOptions,
): Promise<void> {
  const { client, database, states } = lake;
  const open = await database.query(
    'select 1 as one from table_state where is_writing union all select 1 from absorbed where is_pending limit 1',
  );
  if (open.length > 0) await endLeftQueries({ client, source, wait });
  await states.load();
  const pending = await database.query('select distinct model from absorbed where is_pending');
  for (const { model } of pending) await settlePending(lake, String(model));
}

// Ends queries that an earlier process left running on Trino, before the state of the tables is read: they could still change it later.

type Client = Pick<TrinoClient, 'run' | 'name'>;

interface QueryCleanup {
  readonly client: Client;
  /** Source under which Trino lists the queries of the jobs. */
  readonly source: string;
  readonly wait: (ms: number) => Promise<void>;
}

const PAUSE_MS = 1_000;
const TRIES = 30;
/** Time by which a commit that was under way when its query was ended has arrived, even if Trino is under load. */
const COMMIT_MS = 5_000;

/** Resolves once these queries can no longer change a table. @throws EngineError when they do not end */
export async function endLeftQueries({ client, source, wait }: QueryCleanup): Promise<void> {
  for (let tried = 0; tried < TRIES; tried++) {
    const ids = await runningOf(client, source);
    if (ids.length === 0) return wait(COMMIT_MS);
    for (const id of ids) await end(client, id);
    await wait(PAUSE_MS);
  }
  throw new EngineError(
    `Queries that an earlier process left running on ${client.name} do not end: kill them there.`,
  );
}

const IS_RUNNING = `state not in ('FINISHED', 'FAILED')`;

async function runningOf(client: Client, source: string): Promise<readonly string[]> {
  const { rows } = await client.run(
    `select query_id from system.runtime.queries where source = '${source}' and ${IS_RUNNING} and query not like '%system.runtime.queries%'`,
  );
  return rows.map(([id]) => String(id));
}

/** Trino refuses to kill a query that has ended in the meantime, which is no failure. */
async function end(client: Client, id: string): Promise<void> {
  try {
    await client.run(`call system.runtime.kill_query(query_id => '${id}', message => 'its process ended')`);
  } catch (error) {
    const { rows } = await client.run(
      `select 1 from system.runtime.queries where query_id = '${id}' and ${IS_RUNNING}`,
    );
    if (rows.length > 0) throw error;
  }
}
