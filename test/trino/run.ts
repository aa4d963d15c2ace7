// `npm run test:trino [part of a name]`: runs the case files of all models and events on a real Trino; with TRINO_CASES=n, the first n cases
// of each. The first run fetches Trino with Maven into ~/.cache/trino, or TRINO_CACHE_DIR; with `--fetch` that is all it does. Needs Java.
// Exits with 1 when a case fails, with 2 without Trino.
import type { Query } from '../../jobs/pipeline/models/model.ts';
import { domains } from '../../jobs/registry.ts';
import { prepareCases } from '../support/case-duckdb.ts';
import { exactProblems, someDoubles } from '../support/exact-cases.ts';
import { type Case, readCases } from '../support/case-file.ts';
import { type CaseTarget, type Catalogue, runCase } from '../support/case-runner.ts';
import { query } from './client.ts';
import { findJava, installTrino, NotAvailableError, trinoCache } from './install.ts';
import { startTrino, type TrinoServer } from './server.ts';
import { trinoTarget } from './target.ts';

/** One catalogue for each case that runs at the same time, because all use schemas of the same names. */
const CATALOGS = ['cases0', 'cases1', 'cases2', 'cases3'] as const;

interface Selection {
  /** Part of the name of a model or event. */
  readonly wanted: string;
  /** Per model and event. */
  readonly maxCases: number;
}

type Count = { passed: number; failed: number };

/** A case spends its time waiting, not computing, so several run at once, each in a catalogue of its own. */
async function runAll(server: TrinoServer, { wanted, maxCases }: Selection): Promise<Count> {
  const { set, catalogue } = await prepareCases(domains);
  const queries = [...set.models, ...set.events].filter(({ name }) => name.includes(wanted)).values();
  const count = { passed: 0, failed: 0 };
  const work = async (catalog: string) => {
    const target = await trinoTarget({ base: server.base, catalog });
    for (const model of queries) {
      for (const one of (readCases(model) ?? []).slice(0, maxCases))
        await judge(server, { target, catalogue, query: model, one }, count);
    }
  };
  await Promise.all(CATALOGS.map(work));
  return count;
}

interface Trial {
  readonly target: CaseTarget;
  readonly catalogue: Catalogue;
  readonly query: Query;
  readonly one: Case;
}

async function judge(
  { ended }: TrinoServer,
  { target, catalogue, query, one }: Trial,
  count: Count,
): Promise<void> {
  const problem = await runCase(target, catalogue, { query, one }).catch((error) => String(error));
  const end = ended();
  if (end !== undefined) throw new Error(`Trino exited at ${query.name}: ${end}`);
  count[problem === '' ? 'passed' : 'failed'] += 1;
  if (problem !== '') console.log(`✗ ${query.name}: ${one.about}\n${problem}\n`);
}

/** Converts thousands of doubles to decimals and back: the digits must equal those of DuckDB. */
async function digitProblems({ base }: TrinoServer): Promise<number> {
  const problems = await exactProblems(
    (sql) => query({ base, catalog: CATALOGS[0] }, sql),
    someDoubles(7, 600),
  );
  for (const problem of problems) console.log(`✗ ${problem}`);
  return problems.length;
}

async function main(): Promise<number> {
  const java = findJava(process.env['JAVA_HOME']);
  const home = await installTrino(trinoCache(process.env['TRINO_CACHE_DIR']), java);
  if (process.argv[2] === '--fetch') return 0;
  const started = performance.now();
  const memory = { 'connector.name': 'memory' };
  const server = await startTrino({ home, java }, Object.fromEntries(CATALOGS.map((name) => [name, memory])));
  const stop = () => void server.stop().then(() => process.exit(130));
  process.once('SIGINT', stop).once('SIGTERM', stop);
  try {
    const active = performance.now();
    const maxCases = Number(process.env['TRINO_CASES'] ?? Infinity);
    const { passed, failed } = await runAll(server, { wanted: process.argv[2] ?? '', maxCases });
    const digits = await digitProblems(server);
    const seconds = (from: number) => ((performance.now() - from) / 1000).toFixed(1);
    console.log(
      `${passed} passed, ${failed} failed, ${digits} wrong digits (Trino up after ${((active - started) / 1000).toFixed(1)} s, cases ${seconds(active)} s)`,
    );
    return failed === 0 && digits === 0 && passed > 0 ? 0 : 1;
  } finally {
    await server.stop();
  }
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof NotAvailableError ? `cannot run on Trino: ${error.message}` : error);
  process.exitCode = error instanceof NotAvailableError ? 2 : 1;
}
