// Case files on DuckDB: a target that holds only the tables of the current case, and the types of all tables and results, obtained by
// building every model over an empty warehouse.
import { tmpdir } from 'node:os';
import { policyTablesOf } from '../../jobs/define/domain.ts';
import { policyView } from '../../jobs/engine/duckdb/bind.ts';
import { openDuckDb } from '../../jobs/engine/duckdb/duckdb.ts';
import { columnsOf, prepareTables } from '../../jobs/engine/duckdb/model-tables.ts';
import { Versions } from '../../jobs/engine/duckdb/versions.ts';
import type { DuckDb } from '../../jobs/engine/duckdb/session.ts';
import { renderParameters } from '../../jobs/engine/parameters.ts';
import type { ColumnType } from '../../jobs/engine/rows.ts';
import { loadModels } from '../../jobs/pipeline/models/load-models.ts';
import type { ModelFolder, ModelSet } from '../../jobs/pipeline/models/model.ts';
import { loadPolicy } from '../../jobs/policies.ts';
import { domains as everything } from '../../jobs/registry.ts';
import type { CaseTarget, Catalogue } from './case-runner.ts';
import { sqlLiteral } from './case-sql.ts';
import { keepReadings, takeReadings } from './known-readings.ts';

/** An in-memory engine. One thread, because with few rows a second one costs more than it gains. */
export const openScratchEngine = (): Promise<DuckDb> =>
  openDuckDb({ file: ':memory:', memoryLimit: '1GB', threads: 1, tempDir: tmpdir() });

export interface Prepared {
  readonly set: ModelSet;
  readonly catalogue: Catalogue;
}

const onceForEach = <T>(make: (domains: readonly ModelFolder[]) => Promise<T>) => {
  const made = new Map<string, Promise<T>>();
  return (domains: readonly ModelFolder[]): Promise<T> => {
    const key = domains.map(({ folder }) => folder.href).join(' ');
    const known = made.get(key);
    if (known !== undefined) return known;
    const result = make(domains);
    made.set(key, result);
    return result;
  };
};

/** The models of the domains, read and parsed once per worker. */
export const modelsOf = onceForEach(async (domains): Promise<ModelSet> => {
  const engine = await openScratchEngine();
  try {
    takeReadings(engine);
    const models = await loadModels(engine, domains);
    keepReadings(engine);
    return models;
  } finally {
    await engine.close();
  }
});

/** The models of the domains, with the types that all their tables and results have in an empty warehouse; once per worker. */
export const prepareCases = onceForEach(describeAll);

async function describeAll(domains: readonly ModelFolder[]): Promise<Prepared> {
  const engine = await openScratchEngine();
  try {
    const set = await modelsOf(domains);
    const policies = policyTablesOf(domains);
    const raw = domains.flatMap((domain) => domain.raw);
    const views = policies.map((table) => policyView(table, []));
    const versions = new Versions(engine);
    await prepareTables({ db: engine, versions, policies: views }, { models: set.models, raw });
    const types = new Map<string, readonly ColumnType[]>();
    const names = [
      ...set.models,
      ...[...raw.map(({ name }) => `landing.${name}`), ...policies.map(({ name }) => `policy.${name}`)].map(
        (name) => ({ name }),
      ),
    ];
    for (const { name } of names) types.set(name, await columnsOf(engine, `select * from ${name}`));
    for (const { name, sql } of [...set.events, ...set.audits]) {
      types.set(name, await columnsOf(engine, renderParameters(sql, { start: 0, end: 0, now: 0 })));
    }
    const typesOf = (name: string) => {
      const found = types.get(name);
      if (found === undefined) throw new Error(`there is no table ${name}`);
      return found;
    };
    const policy = loadPolicy(undefined, [...everything, ...domains]);
    const defaults = new Map(policies.map(({ name, rows }) => [`policy.${name}`, rows(policy)]));
    return {
      set,
      catalogue: {
        tables: typesOf,
        answer: (query) => typesOf(query.name),
        defaults: (table) => defaults.get(table) ?? [],
      },
    };
  } finally {
    await engine.close();
  }
}

/** Writes a table only if its contents change, because the cases of one model share much. */
export function duckDbTarget(engine: DuckDb): CaseTarget {
  const filled = new Map<string, string>();
  return {
    async fill(table, columns, rows) {
      const types = columns.map(({ name, type }) => `"${name}" ${type}`);
      const values = rows.map((row) =>
        columns.map(({ name, type }) => `cast(${sqlLiteral(row[name] ?? null, type)} as ${type})`),
      );
      const lists = values.map((list) => `(${list.join(', ')})`).join(', ');
      const sql = `create or replace table ${table} (${types.join(', ')});${lists && `insert into ${table} values ${lists}`}`;
      if (filled.get(table) === sql) return;
      filled.delete(table);
      await engine.execute(sql);
      filled.set(table, sql);
    },
    rows: (sql) => engine.rows(sql),
  };
}
