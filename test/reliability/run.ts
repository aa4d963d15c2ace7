// Runs the reliability tests at their release counts (or those of RELIABILITY_SCALE), one after the other, and keeps their results under
// DATA_DIR: kills during publication, landing and whole runs, faults at every disk call, corruptions, clock steps, simulations and more.
// A run that was interrupted continues with the tests that have no result for this revision, and with those that were stopped at their time
// limit, if they have saved how far they came. Names after `--` select some tests, in that order, and repeat them or continue them:
// `npm run test:reliability -- stream/seam webhooks`.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { forgetProgress } from './progress.ts';
import { addResult, keepResults, type Results, resultsIn } from './results.ts';
import { progressFileOf, runRow } from './row.ts';
import { maxMinutesOf, RELIABILITY_TESTS } from './tests.ts';

const MAX_MINUTES = Number(process.env['RELIABILITY_MINUTES'] ?? 30);
if (!(MAX_MINUTES > 0)) {
  console.error('RELIABILITY_MINUTES must be the number of minutes that one test may take, above 0.');
  process.exit(2);
}
const folder = resolve(process.env['DATA_DIR'] ?? 'var', 'reliability');
const file = join(folder, 'results.json');

const names = process.argv.slice(2);
const isAll = names.length === 0 || names.includes('all');
const matching = (name: string) => RELIABILITY_TESTS.filter((test) => test.includes(name));
const unknown = names.filter((name) => name !== 'all' && matching(name).length === 0);
if (unknown.length > 0) {
  console.error(
    `No reliability test is named ${unknown.join(', ')}. The tests are:\n  ${RELIABILITY_TESTS.join('\n  ')}`,
  );
  process.exit(2);
}

const git = (...words: string[]) => execFileSync('git', words, { encoding: 'utf8' }).trim();
const revision = `${git('rev-parse', '--short=12', 'HEAD')}${git('status', '--porcelain', '-uno') === '' ? '' : '+'}`;
const scale = process.env['RELIABILITY_SCALE'] ?? '100';
let results: Results = resultsIn(file, { revision, scale });
const stateOf = (row: string) => results.rows.find((one) => one.row === row)?.state;
const progressOf = (row: string) => progressFileOf(row, { folder, revision, scale });
const isPartly = (row: string) =>
  (stateOf(row) ?? 'unfinished') === 'unfinished' && existsSync(progressOf(row));
const rows = isAll
  ? RELIABILITY_TESTS.filter((row) => stateOf(row) === undefined || isPartly(row))
  : [...new Set(names.flatMap(matching))];

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => stop.abort());

console.log(`${rows.length} tests at scale ${scale}, revision ${revision}; results: ${file}`);
for (const row of rows) {
  if (!isPartly(row)) forgetProgress(progressOf(row));
  const maxMinutes = maxMinutesOf(row, MAX_MINUTES);
  const result = await runRow(row, { folder, revision, scale, maxMinutes, stopped: stop.signal });
  if (result === null) {
    console.log('Stopped. The same command continues.');
    break;
  }
  results = addResult(results, result);
  keepResults(file, results);
  console.log(`${result.state} ${row} in ${result.seconds} s ${result.seeds.join(' ')}`);
}
const open = results.rows.filter(({ state }) => state !== 'passed');
for (const { row, state, failures, log } of open)
  console.log(`${state} ${row}: ${failures.join('; ')}; ${log}`);
process.exitCode = open.length > 0 || stop.signal.aborted ? 1 : 0;
