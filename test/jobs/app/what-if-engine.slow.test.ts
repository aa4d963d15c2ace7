import { readFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { askWhatIf } from '../../../jobs/app/what-if.ts';
import { openWhatIfEngine, type WhatIfEngine } from '../../../jobs/app/what-if-engine.ts';
import { whatWouldFire } from '../../../jobs/commands/detect.ts';
import { serveWhatIf } from '../../../jobs/commands/serve-what-if.ts';
import { runOnce } from '../../../jobs/commands/work.ts';
import { loadConfig } from '../../../jobs/config.ts';
import type { Candidate } from '../../../jobs/pipeline/events/emit.ts';
import { jsonReporter } from '../../../jobs/pipeline/run/report.ts';
import { settingFlags } from '../../../platform/command-line/command-line.ts';
import { WHAT_IF_TYPES, type WhatIfQuestion, type WhatIfReply } from '../../../schemas/what-if.ts';
import { neededFor } from '../../support/needed-models.ts';
import { inWorld, type TestFolder, testFolder } from '../../support/pipeline-world.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const NOW = Date.UTC(2026, 2, 10, 9, 30) / 1000;
const HOUR = 3_600;
const DAY = 86_400;
const MIDNIGHT = NOW - (NOW % DAY);
const nowMs = () => NOW * 1000;
const reporter = jsonReporter({ write: () => undefined, nowMs, level: 'error' });
/** What the detectors of these types read. */
const domains = neededFor({ events: WHAT_IF_TYPES });
const effects = { nowMs, random: () => 0.5, reporter, cores: 2, processId: 'test', domains };

let folder: TestFolder;
let engine: WhatIfEngine;
const config = () =>
  loadConfig({
    flags: settingFlags('--data-dir', folder.dir),
    env: {},
    readFile: (path) => readFileSync(path, 'utf8'),
  });

beforeAll(async () => {
  folder = testFolder();
  engine = await openWhatIfEngine(config(), effects);
});
afterAll(async () => {
  await engine.close();
  folder.remove();
});

const state = (hour: number, utilization: number, more: object = {}) => ({
  chain: 'e',
  market_id: 'm',
  observed_at: NOW + hour * HOUR,
  day: NOW + hour * HOUR - ((NOW + hour * HOUR) % DAY),
  utilization,
  supplied_usd: 1e8,
  withdrawable_usd: 1e8 * (1 - utilization),
  depth_usd: 1e8 * (1 - utilization),
  ...more,
});

const question = (states: readonly object[], more: Partial<WhatIfQuestion> = {}): WhatIfQuestion => ({
  start: MIDNIGHT,
  from: NOW,
  to: NOW + 10 * HOUR,
  types: ['liquidity.utilization.spike', 'liquidity.depth.collapse'],
  rows: {
    'obs.lending_market': [{ chain: 'e', market_id: 'm', protocol: 'aave', observed_at: 0 }],
    'obs.market_state': states as never,
  },
  ...more,
});

test('two hours at the limit fire a spike in the second hour, and leave no state behind', async () => {
  const spike = question([state(1, 0.8), state(2, 0.96), state(3, 0.97), state(4, 0.98)]);
  const events = await engine.answer(spike);
  expect(events).toEqual([
    expect.objectContaining({
      type: 'liquidity.utilization.spike',
      subject_id: 'liquidity:e:m',
      ts: new Date((NOW + 3 * HOUR) * 1000).toISOString().replace('.000', ''),
      data: expect.objectContaining({ utilization: 0.97 }),
    }),
  ]);
  expect(await engine.answer(spike)).toEqual(events);
  expect(await engine.answer(question([state(1, 0.8)]))).toEqual([]);
});

test('a market that is already at the limit does not fire again', async () => {
  const before = question([state(1, 0.96), state(2, 0.97), state(3, 0.97)]);
  const latch = {
    chain: 'e',
    market_id: 'm',
    measure: 'utilization',
    observed_at: NOW,
    day: MIDNIGHT - DAY,
    zone: 'between',
    run_length: 1,
    last_at: NOW,
    is_active: true,
    since_at: NOW,
    is_observation: true,
  };
  const answer = await engine.answer({ ...before, rows: { ...before.rows, 'derived.market_step': [latch] } });
  expect(answer).toEqual([]);
  expect(await engine.answer(before)).toHaveLength(1);
});

test('a drained market fires at once', async () => {
  const events = await engine.answer(question([state(1, 0.9995, { supplied_usd: 1e8 })]));
  expect(events.map(({ type }) => type)).toContain('liquidity.depth.collapse');
});

test('unknown tables and columns are rejected', async () => {
  await expect(engine.answer(question([], { rows: { 'obs.nope': [] } }))).rejects.toThrow(
    'No detector here reads',
  );
  await expect(engine.answer(question([state(1, 0.5, { nope: 1 })]))).rejects.toThrow('no column nope');
});

test('rows of a landing give the same events as `detect` over that landing', async () => {
  const span = { from: NOW - 20 * DAY, to: NOW };
  await inWorld(folder.dir, { flags: ['--demo-days', '9'], now: NOW, domains }, (context) =>
    runOnce(context, NOW),
  );
  const asked = { config: config(), effects, question: { type: WHAT_IF_TYPES[0], changes: [] } };
  const { expected, rows, first } = await askWhatIf(asked, async (context) => {
    const found = new Map<string, readonly Candidate[]>();
    for (const type of WHAT_IF_TYPES) found.set(type, (await whatWouldFire(context, { type, ...span })).free);
    const tables = context.models.models.filter(({ kind }) => kind === 'append').map(({ name }) => name);
    const all: Record<string, never> = {};
    for (const table of tables.filter((name) =>
      /^obs\.(feed_|lending_market|market_(oracle|state))/.test(name),
    )) {
      const landed = await context.warehouse.rows(`select * from ${table}`);
      if (landed.length > 0) all[table] = landed as never;
    }
    const firstTime = (await context.warehouse.absorbed.firstTime('all')) ?? 0;
    return { expected: found, rows: all, first: firstTime };
  });
  const start = first - (first % DAY);
  const events = await engine.answer({ start, ...span, types: [...WHAT_IF_TYPES], rows });
  for (const [type, candidates] of expected) {
    const ofType = events.filter((event) => event.type === type);
    expect(candidates.length, type).toBeGreaterThan(0);
    expect(ofType.map(({ ts, subject_id, data }) => ({ ts, subject_id, data }))).toEqual(
      candidates.map(({ envelope: { ts, subject_id, data } }) => ({ ts, subject_id, data })),
    );
  }
});

test('the socket answers each line, survives malformed lines, and stops', async () => {
  let stop: () => void = () => undefined;
  const stopped = new Promise<void>((resolve) => {
    stop = resolve;
  });
  const path = join(folder.dir, 'what-if.sock');
  const done = serveWhatIf({ path, answer: (asked) => engine.answer(asked), reporter, stopped });
  await vi.waitFor(() => expect(() => readFileSync(path)).toThrow(/ENXIO|EOPNOTSUPP|ENOTSUP/));
  const ask = (line: string) =>
    new Promise<WhatIfReply>((resolve, reject) => {
      const socket = createConnection(path, () => socket.write(`${line}\n`));
      let text = '';
      socket.on('data', (chunk) => {
        text += chunk;
        if (!text.endsWith('\n')) return;
        socket.destroy();
        resolve(JSON.parse(text) as WhatIfReply);
      });
      socket.on('error', reject);
    });
  expect(await ask('{')).toHaveProperty('error');
  expect(await ask('{"start":1}')).toHaveProperty('error');
  const startedMs = performance.now();
  expect(await ask(JSON.stringify(question([state(1, 0.99), state(2, 0.99)])))).toMatchObject({
    events: [{ type: 'liquidity.utilization.spike' }],
  });
  console.info(`what-if over the socket: ${Math.round(performance.now() - startedMs)} ms`);
  stop();
  expect(await done).toBe(0);
});
