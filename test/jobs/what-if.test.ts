import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { showWhatWouldFire } from '../../jobs/commands/detect.ts';
import { runOnce } from '../../jobs/commands/work.ts';
import { loadConfig } from '../../jobs/config.ts';
import { mev } from '../../jobs/mev/domain.ts';
import { type Effects, InstanceRunningError } from '../../jobs/open-world.ts';
import { jsonReporter } from '../../jobs/pipeline/report.ts';
import { openWhatIf } from '../../jobs/what-if.ts';
import { eventsAbout } from '../support/events-about.ts';
import { inWorld, publishedEvents, type TestFolder, testFolder } from '../support/pipeline-world.ts';

vi.setConfig({ testTimeout: 120_000 });

const NOW = Date.UTC(2026, 2, 10, 9, 30) / 1000;
const DAY = 86_400;
const SPAN = { from: NOW - 25 * DAY, to: NOW, json: true };
const domains = [mev, eventsAbout('mev.sandwich')];
const TYPE = 'mev.sandwich.large';

let folder: TestFolder;
beforeEach(() => {
  folder = testFolder();
});
afterEach(() => folder.remove());

const nowMs = () => NOW * 1000;
const effects: Effects = {
  nowMs,
  reporter: jsonReporter({ write: () => undefined, nowMs, level: 'error' }),
  cores: 2,
  makeKey: () => new Uint8Array(32).fill(7),
  domains,
  isStart: false,
  isRebuild: false,
};
const configOf = (dir: string) =>
  loadConfig({ argv: ['--data-dir', dir], env: {}, readFile: (path) => readFileSync(path, 'utf8') });

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
  const { world, close } = await openWhatIf(configOf(dir), effects, question);
  const lines: Line[] = [];
  try {
    await showWhatWouldFire(world, { ...question, ...SPAN }, (line) => lines.push(JSON.parse(line) as Line));
  } finally {
    await close();
  }
  return lines;
}

const summaryOf = (lines: readonly Line[]) => lines.at(-1)?.summary;

/** Everything in the folder that an answer must not change: its files with their bytes. The answer's own scraps aside. */
function contents(dir: string): readonly string[] {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/lock\.duckdb|[/\\]tmp$/.test(join(entry.parentPath, entry.name)))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((file) => `${file} ${createHash('sha256').update(readFileSync(file)).digest('hex')}`);
}

test('the policy in force fires what the log holds; a lower threshold fires more, a higher one less', async () => {
  await inWorld(folder.dir, { now: NOW, domains }, (world) => runOnce(world, null));
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

test('an answer changes nothing in the folder and leaves nothing behind', async () => {
  await inWorld(folder.dir, { now: NOW, domains }, (world) => runOnce(world, null));
  const before = contents(folder.dir);
  await ask(folder.dir, { threshold: '700' });
  expect(contents(folder.dir)).toEqual(before);
  expect(readdirSync(join(folder.dir, 'tmp')).filter((name) => name.startsWith('what-if'))).toEqual([]);
});

test('while another instance works on the folder it is refused', async () => {
  const engine = new URL('../../jobs/engine/duckdb.ts', import.meta.url).href;
  mkdirSync(join(folder.dir, 'tmp'), { recursive: true });
  const options = {
    file: join(folder.dir, 'lock.duckdb'),
    memoryLimit: '64MB',
    threads: 1,
    tempDir: folder.dir,
  };
  const holder = spawn(process.execPath, [
    '--input-type=module',
    '-e',
    `const { openDuckDb } = await import('${engine}'); await openDuckDb(${JSON.stringify(options)});
     process.stdout.write('held'); setInterval(() => undefined, 1000);`,
  ]);
  try {
    await once(holder.stdout, 'data');
    await expect(ask(folder.dir, {})).rejects.toThrow(InstanceRunningError);
  } finally {
    holder.kill();
  }
});

test('a folder in which nothing has landed has nothing to fire', async () => {
  expect(summaryOf(await ask(folder.dir, {}))).toMatchObject({
    would_fire: 0,
    not_in_log: 0,
    in_log_only: [],
  });
});
