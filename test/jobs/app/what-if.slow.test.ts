import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { askWhatIf, type WhatIfEffects } from '../../../jobs/app/what-if.ts';
import { showWhatWouldFire } from '../../../jobs/commands/detect.ts';
import { runOnce } from '../../../jobs/commands/work.ts';
import { loadConfig } from '../../../jobs/config.ts';
import { mev } from '../../../jobs/families/mev/domain.ts';
import { jsonReporter } from '../../../jobs/pipeline/run/report.ts';
import { settingFlags } from '../../../platform/command-line/command-line.ts';
import { neededFor } from '../../support/needed-models.ts';
import { inWorld, publishedEvents, type TestFolder, testFolder } from '../../support/pipeline-world.ts';
import { preparedCopy } from '../../support/run-folder.ts';
import { removeFolder } from '../../support/temporary-folder.ts';

vi.setConfig({ testTimeout: 120_000 });

const NOW = Date.UTC(2026, 2, 10, 9, 30) / 1000;
const DAY = 86_400;
const SPAN = { from: NOW - 25 * DAY, to: NOW, json: true };
const domains = neededFor({ datasets: ['mev-sandwiches'], events: ['mev.sandwich'] });
const TYPE = 'mev.sandwich.large';

let folder: TestFolder;
beforeEach(() => {
  folder = testFolder();
});
afterEach(() => folder.remove());

const nowMs = () => NOW * 1000;
const effects: WhatIfEffects = {
  random: () => 0.5,
  nowMs,
  reporter: jsonReporter({ write: () => undefined, nowMs, level: 'error' }),
  cores: 2,
  processId: 'test',
  domains,
};
const configOf = (dir: string) =>
  loadConfig({
    flags: settingFlags('--data-dir', dir),
    env: {},
    readFile: (path) => readFileSync(path, 'utf8'),
  });

interface Line {
  readonly key?: string;
  readonly is_logged?: boolean;
  readonly summary?: {
    readonly would_fire: number;
    readonly not_in_log: number;
    readonly in_log_only: readonly string[];
    readonly policy_version: string;
  };
}

async function ask(dir: string, changes: { readonly [name: string]: string }): Promise<readonly Line[]> {
  const question = { type: TYPE, changes: Object.entries(changes).map(([name, value]) => ({ name, value })) };
  const lines: Line[] = [];
  await askWhatIf({ config: configOf(dir), effects, question }, (world) =>
    showWhatWouldFire(world, { ...question, ...SPAN }, (line) => lines.push(JSON.parse(line) as Line)),
  );
  return lines;
}

const summaryOf = (lines: readonly Line[]) => lines.at(-1)?.summary;

/** Every file of the folder with the hash of its bytes. */
function contents(dir: string): readonly string[] {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((file) => `${file} ${createHash('sha256').update(readFileSync(file)).digest('hex')}`);
}

/** Switches to a copy of a folder in which the jobs ran once. */
async function useRun(): Promise<void> {
  const dir = await preparedCopy('what-if', (location) =>
    inWorld(location, { now: NOW, domains }, async (world) => {
      await runOnce(world, null);
    }),
  );
  folder.remove();
  folder = { dir, remove: () => removeFolder(dir) };
}

test('the policy in force fires the events in the log; a lower threshold fires more, a higher one fewer', async () => {
  await useRun();
  const [logged, ...others] = publishedEvents(folder.dir);
  expect(others).toEqual([]);
  expect(summaryOf(await ask(folder.dir, {}))).toMatchObject({
    would_fire: 1,
    not_in_log: 0,
    in_log_only: [],
  });

  const lower = await ask(folder.dir, { threshold: '700', 'storm.cooldown_s.mev.sandwich.large': '0' });
  expect(summaryOf(lower)?.would_fire).toBeGreaterThan(20);
  expect(lower.filter(({ is_logged }) => is_logged).map(({ key }) => key)).toEqual([logged?.key]);
  expect(summaryOf(lower)?.policy_version).toMatch(/^1\.0\.0\+/);

  expect(summaryOf(await ask(folder.dir, { 'mev.sandwich_large_usd': '30000' }))).toMatchObject({
    would_fire: 0,
    in_log_only: [logged?.key],
  });
});

test('answering a question leaves the folder unchanged', async () => {
  await useRun();
  const before = contents(folder.dir);
  await ask(folder.dir, { threshold: '700' });
  expect(contents(folder.dir)).toEqual(before);
});

test('a question is answered while another instance is working on the folder', async () => {
  await useRun();
  await inWorld(folder.dir, { now: NOW, domains }, async () => {
    expect(summaryOf(await ask(folder.dir, {}))).toMatchObject({ would_fire: 1, in_log_only: [] });
  });
});

test('files that were compacted after being listed are looked up again', async () => {
  await useRun();
  const [table = ''] = mev.raw.map(({ name }) => name);
  const question = { type: TYPE, changes: [] };
  let attempts = 0;
  const files = await askWhatIf({ config: configOf(folder.dir), effects, question }, async ({ landing }) => {
    attempts++;
    const [file = ''] = landing.files(table);
    if (attempts === 1) {
      for (const ending of ['.parquet', '.json']) rmSync(file.replace(/\.parquet$/, ending));
      rmSync(join(folder.dir, 'landing/catalogue.txt'));
      throw new Error('a file is gone');
    }
    return landing.files(table);
  });
  expect(attempts).toBe(2);
  expect(files.every((file) => existsSync(file))).toBe(true);
});

test('a folder in which nothing has landed is an error, and nothing is created there', async () => {
  const mistyped = join(folder.dir, 'vra');
  await expect(ask(mistyped, {})).rejects.toThrow(/nothing has landed in .*vra. Check --data-dir/);
  expect(existsSync(mistyped)).toBe(false);
});
