// The models of the oracle paths on an in-memory engine: tables are filled directly, rows of legs and prices pass through the enrichments,
// and models are computed in the order given.
import type { Domain } from '../../../../jobs/define/domain.ts';
import type { Enrichment } from '../../../../jobs/define/raw-table.ts';
import { renderParameters } from '../../../../jobs/engine/parameters.ts';
import { borrowing } from '../../../../jobs/families/borrowing/domain.ts';
import { exposure } from '../../../../jobs/families/exposure/domain.ts';
import { lending } from '../../../../jobs/families/lending/domain.ts';
import { oraclePaths } from '../../../../jobs/families/oracle-paths/domain.ts';
import { legValues, oraclePrices } from '../../../../jobs/families/oracle-paths/enrichments.ts';
import { oracles } from '../../../../jobs/families/oracles/domain.ts';
import { pools } from '../../../../jobs/families/pools/domain.ts';
import { sources } from '../../../../jobs/families/sources/domain.ts';
import { duckDbTarget, openScratchEngine, prepareCases } from '../../../support/case-duckdb.ts';
import type { CaseRow } from '../../../support/case-file.ts';

export const NOW = 1_772_323_200;

export interface PathModels {
  fill(table: string, rows: readonly CaseRow[]): Promise<void>;
  /** Computes a model into its table, over the day before that of `now`, or so many, and up to it. */
  compute(names: readonly string[], now?: number, days?: number): Promise<void>;
  /** The query of a model or of an event type, over the same time. */
  sqlOf(name: string, now?: number, days?: number): Promise<string>;
  rows(sql: string): Promise<readonly CaseRow[]>;
  close(): Promise<void>;
}

const window = (now: number, days: number) => ({
  ...{ start: now - (now % 86_400) - days * 86_400, end: now + 1, now },
});

const DOMAINS = [sources, oracles, pools, lending, borrowing, exposure, oraclePaths];

export async function openPathModels(domains: readonly Domain[] = DOMAINS): Promise<PathModels> {
  const { set, catalogue } = await prepareCases(domains);
  const engine = await openScratchEngine();
  const target = duckDbTarget(engine);
  const queries = [...set.models, ...set.events];
  const queryOf = (name: string) => {
    const query = queries.find((one) => one.name === name);
    if (query === undefined) throw new Error(`there is no model ${name}`);
    return query;
  };
  const fill = (table: string, rows: readonly CaseRow[]) => target.fill(table, catalogue.tables(table), rows);
  const isFilled = new Set<string>();
  const ensure = async (table: string) => {
    if (isFilled.has(table)) return;
    isFilled.add(table);
    await fill(table, catalogue.defaults(table));
  };
  const rendered = async (name: string, now: number, days: number): Promise<string> => {
    for (const table of queryOf(name).reads) await ensure(table);
    return renderParameters(queryOf(name).sql, window(now, days)).replace(/;\s*$/, '');
  };
  return {
    sqlOf: (name, now = NOW, days = 1) => rendered(name, now, days),
    async fill(table, rows) {
      isFilled.add(table);
      await fill(table, rows);
    },
    async compute(names, now = NOW, days = 1) {
      for (const name of names) {
        const query = queryOf(name);
        if ('readsSelf' in query && query.readsSelf) await ensure(name);
        await engine.execute(`create or replace table ${name} as (${await rendered(name, now, days)}\n)`);
        isFilled.add(name);
      }
    },
    rows: (sql) => engine.rows(sql) as Promise<readonly CaseRow[]>,
    close: () => engine.close(),
  };
}

/** Rows as they land: with what the enrichment fills. */
export async function landed(enrichment: Enrichment, rows: readonly CaseRow[]): Promise<readonly CaseRow[]> {
  const columns = Object.fromEntries(
    enrichment.reads.map((name) => [name, rows.map((row) => (row[name] ?? null) as string | number | null)]),
  );
  const filled = await enrichment.fill({ count: rows.length, columns }, new Uint8Array());
  return rows.map((row, index) => ({
    ...row,
    ...Object.fromEntries(
      enrichment.fills.map((name) => [name, (filled[name]?.[index] ?? null) as string | number | null]),
    ),
  }));
}

export const landedLegs = (rows: readonly CaseRow[]) => landed(legValues, rows);
export const landedPrices = (rows: readonly CaseRow[]) => landed(oraclePrices, rows);
