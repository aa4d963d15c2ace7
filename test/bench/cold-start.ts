// P12: how long `npm start` in an empty folder takes to the first answer and to everything, in seconds, and against a fixed piece of work
// that is done before each start, because a shared machine is faster at one time than at another. BENCH_ROUNDS sets the number of starts.
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { openDuckDb } from '../../jobs/engine/duckdb/duckdb.ts';
import { removeTemporaryFolders, temporaryFolder } from '../support/temporary-folder.ts';
import { type BenchReport, median } from './report.ts';

const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 3);
const LAUNCHER = fileURLToPath(new URL('../../platform/processes/main.ts', import.meta.url));
const MAX_MS = 180_000;

interface Start {
  readonly first_s: number;
  readonly everything_s: number;
}

/** Seconds until the launcher announces its first version, and all of them. */
async function start(): Promise<Start> {
  const from = performance.now();
  const flags = ['--data-dir', temporaryFolder('cold-start'), '--port', '0', '--log-level', 'error'];
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', LAUNCHER, ...flags], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, NODE_COMPILE_CACHE: '' },
  });
  const seconds = () => (performance.now() - from) / 1000;
  const isTooLate = setTimeout(() => child.kill('SIGKILL'), MAX_MS);
  try {
    return await announced(child, seconds);
  } finally {
    clearTimeout(isTooLate);
    await stop(child);
  }
}

async function announced({ stdout }: ChildProcess, seconds: () => number): Promise<Start> {
  if (stdout === null) throw new Error('the launcher has no output');
  let first_s: number | undefined;
  for await (const line of createInterface({ input: stdout })) {
    if (/Published version/.test(line)) first_s ??= seconds();
    if (/Everything is published/.test(line) && first_s !== undefined)
      return { first_s, everything_s: seconds() };
  }
  throw new Error('the launcher ended before everything was published');
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGINT');
  await ended;
}

const TEXTS = Array.from({ length: 40_000 }, (_, index) => ({ key: `feed-${index}`, value: index / 7 }));

/** Milliseconds of work of the kinds that a start consists of: JSON, hashes, and many small queries. Never change it. */
async function fixedWork(): Promise<number> {
  const from = performance.now();
  for (let turn = 0; turn < 20; turn++) {
    const text = JSON.stringify(TEXTS);
    createHash('sha256').update(text).digest();
    JSON.parse(text);
  }
  const options = {
    file: ':memory:',
    memoryLimit: '500MB',
    threads: 2,
    tempDir: temporaryFolder('cold-start'),
  };
  const db = await openDuckDb(options);
  await db.execute('create table t as select i, i % 97 as k, hash(i) % 1000 as v from range(200000) r(i)');
  for (let turn = 0; turn < 250; turn++)
    await db.rows(
      `select k, sum(v) as s, max(i) as m, count(*) as n from t where i % 10 = ${turn % 10} group by k order by k`,
    );
  await db.close();
  return performance.now() - from;
}

export async function bench(): Promise<BenchReport> {
  const starts: Start[] = [];
  const works: number[] = [];
  try {
    await fixedWork();
    for (let round = 0; round < ROUNDS; round++) {
      works.push(await fixedWork());
      starts.push(await start());
    }
  } finally {
    removeTemporaryFolders();
  }
  const ratio = (read: (one: Start) => number) =>
    median(starts.map((one, round) => read(one) / ((works[round] ?? Number.NaN) / 1000)));
  const first_answer_s = median(starts.map(({ first_s }) => first_s));
  const everything_s = median(starts.map(({ everything_s: all }) => all));
  return {
    name: 'cold-start',
    figures: { fixed_work_ms: median(works), first_answer_s, everything_s },
    ratios: [
      { label: 'P12 seconds to the first answer', value: first_answer_s, goal: '≤ 5' },
      { label: 'P12 seconds to everything', value: everything_s, goal: '≤ 12' },
      {
        label: 'P12 first answer against a fixed piece of work',
        value: ratio((one) => one.first_s),
        goal: '≤ 6',
      },
      {
        label: 'P12 everything against a fixed piece of work',
        value: ratio((one) => one.everything_s),
        goal: '≤ 15',
      },
    ],
  };
}
