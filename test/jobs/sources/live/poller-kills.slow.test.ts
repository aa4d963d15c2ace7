// The fetching process is killed at any moment: what it has read stays, nothing counts twice, and the next process continues.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { afterEach, expect, test } from 'vitest';
import { runOnce } from '../../../../jobs/commands/work.ts';
import { landable, type Recording } from '../../../../jobs/sources/live/fetch/recording.ts';
import {
  bodyPath,
  type RecordingFolder,
  readRecordings,
  sha256Of,
} from '../../../../jobs/sources/live/fetch/recording-store.ts';
import { nodeDisk } from '../../../../platform/storage/disk.ts';
import { COUNTS } from '../../../reliability/counts.ts';
import { endProcess } from '../../../support/end-process.ts';
import { openTestWorld } from '../../../support/pipeline-world.ts';
import { seededRandom } from '../../../support/seeded-random.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { json, type ReplayServer, replayServer } from './http/replay-server.ts';

const PROJECT = fileURLToPath(new URL('../../../../', import.meta.url));
const STEP_S = 600;
/** Enough windows that the work is never done before a kill. */
const IS_LONG = COUNTS.fetchKills > 20;
const HISTORY_DAYS = IS_LONG ? 30 : 5;
const HISTORY_S = HISTORY_DAYS * 86_400;
const WINDOW = { history: `${HISTORY_DAYS}d`, step: IS_LONG ? '20m' : '2h', overlap: '10m' };

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const eventsIn = (from: number, to: number) => {
  const rows: { id: number; at: number }[] = [];
  for (let id = Math.ceil(from / STEP_S); id * STEP_S <= to; id++) rows.push({ id, at: id * STEP_S });
  return rows;
};

/** How many requests a minute the host takes while processes are killed, and when the last one reads the rest. */
const SLOW = 1_200;
const FAST = 60_000;

function configure(dir: string, { address }: ReplayServer, requests_per_minute: number): string {
  const config = join(dir, 'config.json');
  const source = {
    table: 'tvl_reading',
    name: 'Events',
    every: '1h',
    request: { url: 'https://api.example/x', query: { from: '{window_from_s}', to: '{window_to_s}' } },
    window: WINDOW,
    records: '',
    fields: { protocol: { value: 'p' }, observed_at: { from: 'at', time: 'unix_s' }, tvl_usd: 'id' },
  };
  const hosts = { 'api.example': { address, requests_per_minute } };
  writeFileSync(
    config,
    JSON.stringify({ profile: 'files', data_dir: join(dir, 'var'), sources: { events: source }, hosts }),
  );
  return config;
}

const fetching = (config: string): ChildProcess =>
  spawn(process.execPath, ['jobs/main.ts', 'fetch', '--config', config, '--log-level', 'error'], {
    cwd: PROJECT,
    stdio: ['ignore', 'ignore', 'inherit'],
  });

/** Expects every readable recording to be whole: its bodies exist and have the recorded hashes. */
async function expectWhole(folder: RecordingFolder): Promise<number> {
  const recordings = await readRecordings(folder, 'events', new Map(), (text) => {
    throw new Error(text);
  });
  for (const recording of recordings)
    for (const page of recording.pages)
      expect(sha256Of(gunzipSync(readFileSync(bodyPath(folder, recording, page))))).toBe(page.sha256);
  return recordings.length;
}

const idsOf = (recording: Recording, dir: string): number[] =>
  recording.pages.flatMap((page) => {
    const body = gunzipSync(readFileSync(bodyPath({ disk: nodeDisk, dir }, recording, page))).toString();
    return (JSON.parse(body) as { id: number }[]).map(({ id }) => id);
  });

test(`${COUNTS.fetchKills} kills of the fetching process lose nothing`, {
  timeout: 3_600_000,
}, async () => {
  const server = await replayServer(({ path }) => {
    const query = new URL(`http://x${path}`).searchParams;
    return json(eventsIn(Number(query.get('from')), Number(query.get('to'))));
  });
  closing.push(server.close);
  const folder = temporaryFolder('killed-fetch');
  const config = configure(folder, server, SLOW);
  const dir = join(folder, 'var');
  const dataFolder = { disk: nodeDisk, dir };
  const random = seededRandom(5);
  let whole = 0;
  for (let kill = 0; kill < COUNTS.fetchKills; kill++) {
    const child = fetching(config);
    while (!existsSync(join(dir, 'recordings')) && child.exitCode === null) await wait(20);
    const asked = server.asked.length;
    while (server.asked.length === asked && child.exitCode === null) await wait(5);
    await wait(random() * 400);
    expect(child.exitCode, `process ${kill + 1} ended before it was killed`).toBeNull();
    await endProcess(child, 'SIGKILL');
    whole = await expectWhole(dataFolder);
  }
  console.info({ kills: COUNTS.fetchKills, recordings: whole });
  const last = fetching(configure(folder, server, FAST));
  expect(await once(last, 'exit')).toEqual([0, null]);
  const recordings = landable(await readRecordings(dataFolder, 'events'));
  const now = Math.max(...recordings.map(({ window }) => window.to));
  const ids = new Set(recordings.flatMap((one) => idsOf(one, dir)));
  expect([...ids].sort((a, b) => a - b)).toEqual(
    eventsIn(Math.min(...recordings.map(({ window }) => window.from)), now).map(({ id }) => id),
  );
  expect(Math.min(...recordings.map(({ window }) => window.from))).toBeLessThanOrEqual(
    now - HISTORY_S + 3_600,
  );
  expectNoLeftovers(dir);
  if (IS_LONG) await expectLandedOnce(dir, ids);
});

function expectNoLeftovers(dir: string): void {
  for (const day of readdirSync(join(dir, 'recordings', 'events'))) {
    const names = readdirSync(join(dir, 'recordings', 'events', day));
    expect(names.filter((name) => !name.includes('.') && !names.includes(`${name}.json`))).toEqual([]);
  }
  expect(readdirSync(join(dir, 'recordings', '.tmp'))).toEqual([]);
}

/** By a real run, whose table keeps each row once. */
async function expectLandedOnce(dir: string, ids: ReadonlySet<number>): Promise<void> {
  const config = JSON.parse(readFileSync(join(dir, '../config.json'), 'utf8'));
  const nowMs = () => Date.now();
  const { context, close } = await openTestWorld(dir, { now: nowMs() / 1000, nowMs, config });
  try {
    await runOnce(context, null);
    const rows = await context.warehouse.rows('select tvl_usd from obs.tvl_reading order by tvl_usd');
    expect(rows.map((row) => Number(row['tvl_usd']))).toEqual([...ids].sort((a, b) => a - b));
  } finally {
    await close();
  }
}
