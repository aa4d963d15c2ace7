// The state of each table. A change is recorded before and after, so that a change whose outcome is unknown is detected, and so is one made
// by another program. A version is a number that grows whenever the catalogue names other metadata than before.
import { EngineError } from '../errors.ts';
import type { Row } from '../rows.ts';
import { quoted } from '../sql-text.ts';
import type { StateRow, StateTable, StateTables } from '../warehouse.ts';
import type { Database, Queryable } from './database.ts';

interface TableState {
  readonly version: number;
  readonly location: string | null;
  readonly hasRows: boolean | null;
  readonly isWriting: boolean;
  readonly commits: number;
}

export interface CatalogueEntry {
  readonly location: string;
  readonly isView: boolean;
}

const COLUMNS = 'name, version, location, has_rows, is_writing, commits';
const CATALOGUED = `select table_namespace || '.' || table_name as name, metadata_location, iceberg_type from iceberg_tables where catalog_name = $1`;

export class TableStates {
  readonly #database: Database;
  readonly #catalog: string;
  #states = new Map<string, TableState>();

  constructor(database: Database, catalog: string) {
    this.#database = database;
    this.#catalog = catalog;
  }

  /** Reads all states, and settles the changes whose outcome is unknown. @throws EngineError when another program changed a table. */
  async load(): Promise<void> {
    const rows = await this.#database.query(`select ${COLUMNS} from table_state`);
    this.#states = new Map(rows.map((row) => [String(row['name']), stateIn(row)]));
    const catalogued = await this.catalogued();
    for (const [name, { location, isWriting }] of this.#states) {
      if (location === null) continue;
      const now = catalogued.get(name)?.location;
      if (isWriting) await this.settle(name);
      else if (now !== location) throw changedByOthers(name, now === undefined);
    }
  }

  /** Tables and views of the catalogue, by qualified name. */
  async catalogued(): Promise<ReadonlyMap<string, CatalogueEntry>> {
    const rows = await this.#database.query(CATALOGUED, [this.#catalog]);
    return new Map(
      rows.map(({ name, metadata_location, iceberg_type }) => [
        String(name),
        { location: String(metadata_location), isView: iceberg_type === 'VIEW' },
      ]),
    );
  }

  /** Undefined for a table that was never created. */
  version(table: string): number | undefined {
    return this.#states.get(table)?.version;
  }

  /** Null when unknown. */
  hasRows(table: string): boolean | null {
    return this.#states.get(table)?.hasRows ?? null;
  }

  commits(table: string): number {
    return this.#states.get(table)?.commits ?? 0;
  }

  /** Gives tables and views that were just created a new version. */
  async made(names: readonly string[]): Promise<void> {
    const catalogued = await this.catalogued();
    for (const name of names) {
      const found = catalogued.get(name);
      if (found === undefined) throw new EngineError(`${name} was created, but is not in the catalogue.`);
      await this.#store(name, {
        version: await this.#nextVersion(),
        location: found.isView ? null : found.location,
        hasRows: found.isView ? null : false,
        isWriting: false,
        commits: 0,
      });
    }
  }

  /** Gives a view, or a table that was changed by other means, a new version. */
  async bump(name: string): Promise<void> {
    const state = this.#states.get(name);
    if (state !== undefined) await this.#store(name, { ...state, version: await this.#nextVersion() });
  }

  /** Must be called before a change. @throws EngineError when another program changed the table. */
  async begin(name: string): Promise<void> {
    const state = this.#stateOf(name);
    if (state.isWriting) await this.settle(name);
    else {
      const now = await this.#locationOf(name);
      if (now !== state.location) throw changedByOthers(name, now === null);
    }
    await this.#store(name, { ...this.#stateOf(name), isWriting: true });
  }

  /** Must be called after a change, whatever its outcome. Resolves to whether the table was changed. */
  async settle(name: string, hasRows: boolean | null = null): Promise<boolean> {
    const state = this.#stateOf(name);
    const location = await this.#locationOf(name);
    if (location === null) throw changedByOthers(name, true);
    const isChanged = location !== state.location;
    await this.#store(name, {
      version: isChanged ? await this.#nextVersion() : state.version,
      location,
      hasRows: isChanged ? hasRows : (hasRows ?? state.hasRows),
      isWriting: false,
      commits: state.commits + (isChanged ? 1 : 0),
    });
    return isChanged;
  }

  /** Notes that the files of the table were compacted, which does not change its rows. */
  async tidied(name: string): Promise<void> {
    const location = await this.#locationOf(name);
    await this.#store(name, { ...this.#stateOf(name), location, isWriting: false, commits: 0 });
  }

  #stateOf(name: string): TableState {
    const state = this.#states.get(name);
    if (state === undefined) throw new EngineError(`There is no table ${name} in the warehouse.`);
    return state;
  }

  async #locationOf(name: string): Promise<string | null> {
    const [row] = await this.#database.query(`${CATALOGUED} and table_namespace || '.' || table_name = $2`, [
      this.#catalog,
      name,
    ]);
    return row === undefined ? null : String(row['metadata_location']);
  }

  async #nextVersion(): Promise<number> {
    const [row] = await this.#database.query(`select nextval('table_version') as version`);
    return Number(row?.['version']);
  }

  async #store(name: string, state: TableState): Promise<void> {
    const { version, location, hasRows, isWriting, commits } = state;
    await this.#database.query(
      `insert into table_state (${COLUMNS}) values ($1, $2, $3, $4, $5, $6)
       on conflict (name) do update set version = excluded.version, location = excluded.location, has_rows = excluded.has_rows,
         is_writing = excluded.is_writing, commits = excluded.commits`,
      [name, version, location, hasRows, isWriting, commits],
    );
    this.#states.set(name, state);
  }
}

const stateIn = (row: { readonly [column: string]: unknown }): TableState => ({
  version: Number(row['version']),
  location: row['location'] === null ? null : String(row['location']),
  hasRows: row['has_rows'] === null ? null : row['has_rows'] === true,
  isWriting: row['is_writing'] === true,
  commits: Number(row['commits']),
});

const changedByOthers = (name: string, isGone: boolean): EngineError =>
  new EngineError(
    `The table ${name} of the warehouse was ${isGone ? 'dropped' : 'changed'} by something other than these jobs: give the jobs their own catalogue, and compute the table again with the command \`rebuild\` of the jobs.`,
  );

// The pipeline's own small tables, in PostgreSQL: each change is one transaction there.

const TYPES = {
  VARCHAR: 'text',
  BIGINT: 'bigint',
  DOUBLE: 'double precision',
  BOOLEAN: 'boolean',
  INTEGER: 'integer',
} as const;

export function stateTables(database: Database): StateTables {
  const prepared = new Set<string>();
  return {
    async prepare({ name, columns }) {
      if (prepared.has(name)) return;
      const typed = columns.map((column) => `${quoted(column.name)} ${TYPES[column.type]}`);
      await database.query(`create table if not exists ${name} (${typed.join(', ')})`);
      await database.query(
        `create or replace trigger refuse_outdated before insert or update or delete on ${name}
         for each statement execute function refuse_outdated()`,
      );
      prepared.add(name);
    },
    rows: async (sql) => (await database.query(sql)) as readonly Row[],
    add: (table, rows) => add(database, table, rows),
    replace: (table, rows, where = 'true') =>
      database.transaction(async (transaction) => {
        await transaction.query(`delete from ${table.name} where ${where}`);
        await add(transaction, table, rows);
      }),
  };
}

/** Passes one array per column, so that one statement adds any number of rows. */
async function add(
  database: Queryable,
  { name, columns }: StateTable,
  rows: readonly StateRow[],
): Promise<void> {
  if (rows.length === 0) return;
  const lists = columns.map(({ type }, index) => `$${index + 1}::${TYPES[type]}[]`);
  await database.query(
    `insert into ${name} (${columns.map((column) => quoted(column.name)).join(', ')}) select * from unnest(${lists.join(', ')})`,
    columns.map((column) => rows.map((row) => row[column.name] ?? null)),
  );
}
