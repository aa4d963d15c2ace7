// Runs one reliability test in a process of its own, with a time limit, and reads its result.
import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { filesFolder } from '../support/global-setup.ts';
import { PROGRESS_FILE, progressIn } from './progress.ts';
import { figuresIn, type RowResult, seedsIn } from './results.ts';

const VITEST = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url));
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const ESCAPES = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, 'g');

export interface RowOptions {
  readonly folder: string;
  readonly revision: string;
  readonly scale: string;
  readonly maxMinutes: number;
  /** Ends the row; then there is no result. */
  readonly stopped: AbortSignal;
}

interface TestReport {
  readonly numPassedTests: number;
  readonly testResults: readonly {
    readonly message: string;
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

const nameOf = (row: string): string => row.replaceAll('/', '~');

type Tested = Pick<RowOptions, 'folder' | 'revision' | 'scale'>;

/** Where the tests of a row save how far they have come with this code and these counts. */
export const progressFileOf = (row: string, { folder, revision, scale }: Tested): string =>
  join(folder, `${nameOf(row)}.${revision}.${scale}.progress`);

/** `row` is the path of a test file without its ending. Null if the run was stopped. */
export async function runRow(row: string, options: RowOptions): Promise<RowResult | null> {
  const { folder, maxMinutes, stopped } = options;
  mkdirSync(folder, { recursive: true });
  const name = nameOf(row);
  const report = join(folder, `${name}.json`);
  writeFileSync(report, '');
  const started = new Date();
  // A row that is killed removes nothing itself.
  const files = mkdtempSync(join(filesFolder(), 'row-'));
  chmodSync(files, 0o711);
  const { code, output, isOverTime } = await outputOf(row, { report, files }, options).finally(() =>
    rmSync(files, { recursive: true, force: true, maxRetries: 3 }),
  );
  if (stopped.aborted) return null;
  const log = join(folder, `${name}.log`);
  writeFileSync(log, output);
  const { passed, skipped, failures } = outcomeIn(readFileSync(report, 'utf8'), code);
  const hasFailed = isOverTime ? /^ *(×|FAIL) /m.test(output) : code !== 0;
  return {
    row,
    state: hasFailed
      ? 'failed'
      : isOverTime
        ? 'unfinished'
        : skipped.length > 0 || passed === 0
          ? 'skipped'
          : 'passed',
    started_at: started.toISOString(),
    seconds: Math.round((Date.now() - started.getTime()) / 1_000),
    passed,
    failures: isOverTime ? [`stopped after ${maxMinutes} minutes`] : [...failures, ...skipped],
    figures: isOverTime ? stagesIn(progressFileOf(row, options)) : figuresIn(output),
    seeds: hasFailed ? seedsIn(output) : [],
    log,
  };
}

/** What the tests of a row that was stopped have done so far. */
const stagesIn = (file: string): readonly string[] =>
  Object.entries(progressIn(file)).map(([test, stage]) => `${test}: ${JSON.stringify(stage)}`);

interface RowFiles {
  /** The report of the test runner, as JSON. */
  readonly report: string;
  /** Folder for the files of the tests. */
  readonly files: string;
}

function started(row: string, { report, files }: RowFiles, options: RowOptions) {
  const reporters = ['--reporter=verbose', '--reporter=json', `--outputFile.json=${report}`];
  const env = {
    ...process.env,
    RELIABILITY_SCALE: options.scale,
    TESTS_IN: files,
    [PROGRESS_FILE]: progressFileOf(row, options),
  };
  return spawn(
    process.execPath,
    [VITEST, 'run', ...reporters, '--test-timeout=7200000', '--hook-timeout=600000', `${row}.`],
    { cwd: ROOT, env, detached: true },
  );
}

function outputOf(row: string, rowFiles: RowFiles, options: RowOptions) {
  const { maxMinutes, stopped } = options;
  const child = started(row, rowFiles, options);
  let output = '';
  const take = (chunk: Buffer) => {
    output += chunk.toString().replace(ESCAPES, '');
    process.stdout.write(chunk);
  };
  child.stdout.on('data', take);
  child.stderr.on('data', take);
  // The tests start programs of their own, which end with the group.
  const end = () => child.pid !== undefined && process.kill(-child.pid, 'SIGKILL');
  let isOverTime = false;
  const limit = setTimeout(() => {
    isOverTime = true;
    end();
  }, maxMinutes * 60_000);
  stopped.addEventListener('abort', end, { once: true });
  return new Promise<{ code: number | null; output: string; isOverTime: boolean }>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      clearTimeout(limit);
      stopped.removeEventListener('abort', end);
      resolve({ code, output, isOverTime });
    });
  });
}

interface Outcome extends Pick<RowResult, 'passed' | 'failures'> {
  readonly skipped: readonly string[];
}

function outcomeIn(text: string, code: number | null): Outcome {
  if (text === '') return { passed: 0, skipped: [], failures: code === 0 ? [] : [`ended with code ${code}`] };
  const { numPassedTests, testResults } = JSON.parse(text) as TestReport;
  const failures = testResults.flatMap(({ message, assertionResults }) => {
    const failed = assertionResults.filter(({ status }) => status === 'failed');
    return failed.length > 0 ? failed.map(({ fullName }) => fullName) : message === '' ? [] : [message];
  });
  const others = testResults.flatMap(({ assertionResults }) =>
    assertionResults.filter(({ status }) => status !== 'passed' && status !== 'failed'),
  );
  return {
    passed: numPassedTests,
    skipped: others.map(({ fullName }) => `did not run: ${fullName}`),
    failures,
  };
}
