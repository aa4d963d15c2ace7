// A warehouse made of two: the models of each family are computed at its home, on DuckDB or on Trino. Tables that a family reads from a
// family with another home are kept in both places: files are absorbed and views created in both; other rows are copied when they change.
import { createHash } from 'node:crypto';
import type { PolicyTable } from '../../define/policy/define.ts';
import { EngineError } from '../errors.ts';
import type { ModelTable } from '../model.ts';
import { NoTransactions } from '../no-transactions.ts';
import type { Parameters } from '../parameters.ts';
import type { ColumnType, Row } from '../rows.ts';
import type { TableVersions } from '../versions.ts';
import type {
  AbsorptionReport,
  Absorption,
  ParquetTable,
  PreparedTables,
  StateTables,
  Warehouse,
  WarehouseTables,
} from '../warehouse.ts';
import { absorbedInBoth } from './absorbed.ts';
import { Copies, changedRows } from './copies.ts';
import { serialized } from './serialized.ts';
import { type Part, HOMES, type Home } from './part.ts';
import { namesIn, type TablePlacement, type Plan, homesFor, planOf } from './plan.ts';

export interface CombinedOptions {
  readonly parts: { readonly [target in Home]: Part };
  readonly homeOf: (model: ModelTable) => Home;
  /** Folder for rows on their way from one place to the other. */
  readonly tempDir: string;
  readonly makeId: () => string;
}

type Compute = (part: Part) => Promise<number>;

export class CombinedWarehouse implements Warehouse {
  readonly version: string;
  readonly capabilities;
  readonly absorbed;
  readonly versions;
  /** Kept on DuckDB, for both places. */
  readonly state: StateTables;
  readonly #parts: { readonly [target in Home]: Part };
  readonly #homeOf: CombinedOptions['homeOf'];
  readonly #copies: Copies;
  readonly #transactions = new NoTransactions();
  #plan: Plan = new Map();

  constructor({ parts, homeOf, tempDir, makeId }: CombinedOptions) {
    this.#parts = { duckdb: serialized(parts.duckdb), trino: serialized(parts.trino) };
    this.#homeOf = homeOf;
    const listed = HOMES.map((home) => [home, this.#parts[home]] as const);
    this.version = listed.map(([, { version }]) => version).join(', ');
    this.capabilities = {
      transactions: false,
      atOnce: listed.reduce((sum, [, { capabilities }]) => sum + capabilities.atOnce, 0),
    };
    this.state = this.#parts.duckdb.state;
    this.#copies = new Copies({ part: (home) => this.#parts[home], state: this.state, tempDir, makeId });
    const plan = () => this.#plan;
    this.absorbed = absorbedInBoth({ parts: listed, plan });
    this.versions = versionsInBoth({
      parts: listed,
      plan,
      staleAt: (table) => this.#staleAt(table),
      readable: async (table) => this.#parts[await this.#homeFor([table])],
    });
  }

  async bindPolicy(table: PolicyTable, rows: ReturnType<PolicyTable['rows']>): Promise<void> {
    for (const home of HOMES) await this.#parts[home].bindPolicy(table, rows);
  }

  async prepare({ models, raw, together = [] }: WarehouseTables): Promise<PreparedTables> {
    this.#transactions.refusePreparing();
    this.#plan = planOf(models, { homeOf: this.#homeOf, namedIn: namesIn, together });
    await this.#copies.load();
    const [created, changed]: [ModelTable[], ModelTable[]] = [[], []];
    for (const home of HOMES) {
      const part = this.#parts[home];
      const isAway = ({ name }: ModelTable) => this.#plan.get(name)?.homes.has(home) !== true;
      const elsewhere = new Set(models.filter(isAway).map(({ name }) => name));
      const isHome = ({ name }: ModelTable) => this.#plan.get(name)?.home === home;
      const prepared = await part.prepare({ models, raw, elsewhere });
      created.push(...prepared.created.filter(isHome));
      changed.push(...prepared.changed.filter(isHome));
    }
    return { created: inOrder(models, created), changed: inOrder(models, changed) };
  }

  /** The home of a model is part of its definition. */
  async definitions(): Promise<readonly Row[]> {
    const rows: Row[] = [];
    for (const home of HOMES)
      for (const row of await this.#parts[home].definitions())
        if (this.#plan.get(String(row['name']))?.home === home)
          rows.push({ ...row, sql_hash: `${home} ${String(row['sql_hash'])}` });
    return rows.sort((a, b) => (String(a['name']) < String(b['name']) ? -1 : 1));
  }

  describe(table: string): Promise<readonly ColumnType[] | null> {
    return this.#parts[this.#plan.get(table)?.home ?? 'duckdb'].describe(table);
  }

  /** Absorbs the files into copies first, and into the home last: what the home has absorbed counts. */
  async absorb(model: ModelTable, absorption: Absorption): Promise<AbsorptionReport> {
    const { home, homes } = this.#placements(model.name);
    for (const target of homes) if (target !== home) await this.#parts[target].absorb(model, absorption);
    return this.#parts[home].absorb(model, absorption);
  }

  /** Copies first, like `absorb`: until the home is empty, its list still shows that there is something to remove. */
  async clear(model: ModelTable): Promise<void> {
    const { home, homes } = this.#placements(model.name);
    if (model.kind === 'append')
      for (const target of homes) if (target !== home) await this.#parts[target].clear(model);
    await this.#parts[home].clear(model);
  }

  replace(model: ModelTable, window: Parameters): Promise<number> {
    return this.#write(model, window, (part) => part.replace(model, window));
  }

  merge(model: ModelTable, window: Parameters): Promise<number> {
    return this.#write(model, window, (part) => part.merge(model, window));
  }

  rebuild(model: ModelTable, window: Parameters): Promise<number> {
    return this.#write(model, window, (part) => part.rebuild(model, window));
  }

  async view(model: ModelTable, window: Parameters): Promise<void> {
    for (const home of this.#placements(model.name).homes) await this.#parts[home].view(model, window);
  }

  async rows(sql: string): Promise<readonly Row[]> {
    return this.#parts[await this.#homeFor(namesIn(sql))].rows(sql);
  }

  async *stream(sql: string): AsyncIterable<readonly Row[]> {
    yield* this.#parts[await this.#homeFor(namesIn(sql))].stream(sql);
  }

  exportParquet(table: ParquetTable): Promise<void> {
    return this.#parts.duckdb.exportParquet(table);
  }

  /** Runs the work without a transaction: see `capabilities`. */
  transaction<T>(work: () => Promise<T>): Promise<T> {
    return this.#transactions.run(work);
  }

  async close(): Promise<void> {
    for (const home of HOMES.toReversed()) await this.#parts[home].close();
  }

  #placements(table: string): TablePlacement {
    const placement = this.#plan.get(table);
    if (placement === undefined) throw new EngineError(`There is no model ${table} in the warehouse.`);
    return placement;
  }

  async #write(model: ModelTable, window: Parameters, compute: Compute): Promise<number> {
    const placement = this.#placements(model.name);
    const stale = new Set(await this.#staleAt(model.name));
    const rows = await compute(this.#parts[placement.home]);
    const where = changedRows(model, window);
    for (const home of placement.homes)
      if (home !== placement.home)
        await this.#copies.bring(placement, home, { where, wasCurrent: !stale.has(home) });
    return rows;
  }

  /** Places where the rows of a table are out of date. Views have no rows, and `append` models have their own list of absorbed files. */
  async #staleAt(table: string): Promise<readonly Home[]> {
    const placement = this.#plan.get(table);
    if (placement === undefined || placement.model.kind === 'view' || placement.model.kind === 'append')
      return [];
    const stale: Home[] = [];
    for (const home of placement.homes)
      if (home !== placement.home && !(await this.#copies.isCurrent(placement, home))) stale.push(home);
    return stale;
  }

  /** The cheapest place that has the newest rows of all these tables; if there is none, the cheapest place. */
  async #homeFor(tables: readonly string[]): Promise<Home> {
    const [first, ...more] = homesFor(this.#plan, tables);
    const stale = new Set<Home>();
    for (const table of tables) for (const home of await this.#staleAt(table)) stale.add(home);
    return [first, ...more].find((home) => !stale.has(home)) ?? first;
  }
}

const inOrder = (models: readonly ModelTable[], some: readonly ModelTable[]): readonly ModelTable[] =>
  models.filter((model) => some.includes(model));

// Versions of tables kept in two places: a table has the version of its home, with a note of the places whose copy is out of date.

interface Tools {
  readonly parts: readonly (readonly [Home, Part])[];
  readonly plan: () => Plan;
  /** Places where the copy of the table is out of date. */
  readonly staleAt: (table: string) => Promise<readonly Home[]>;
  /** A part that can read the table now. */
  readonly readable: (table: string) => Promise<Part>;
}

function versionsInBoth({ parts, plan, staleAt, readable }: Tools): TableVersions {
  return {
    async of(table) {
      const placement = plan().get(table);
      if (placement === undefined) return boundVersion(parts, table);
      const home = parts.find(([target]) => target === placement.home)?.[1];
      const stale = await staleAt(table);
      const missing = stale.length === 0 ? '' : `, not yet on ${stale.join(', ')}`;
      return `${placement.home} ${await home?.versions.of(table)}${missing}`;
    },
    hasRows: async (table) => (await readable(table)).versions.hasRows(table),
  };
}

/** Version of a policy table or of the engines, whose contents both places share. */
async function boundVersion(parts: Tools['parts'], table: string): Promise<string> {
  const versions = await Promise.all(parts.map(([, { versions: own }]) => own.of(table)));
  return createHash('sha256').update(versions.join()).digest('hex');
}
