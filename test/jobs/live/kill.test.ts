// The process that fetches is killed at any moment: what it had read stays, nothing counts twice, and the next one continues.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { afterEach, expect, test } from 'vitest';
import { landable, type Recording } from '../../../jobs/live/recording.ts';
import { bodyPath, readRecordings } from '../../../jobs/live/recording-store.ts';
import { nodeDisk } from '../../../snapshots/disk.ts';
import { COUNTS } from '../../reliability/counts.ts';
import { endProcess } from '../../support/end-process.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { json, type ReplayServer, replayServer } from '../net/replay-server.ts';

const PROJECT = fileURLToPath(new URL('../../../', import.meta.url));
const STEP_S = 600;
const HISTORY_S = 5 * 86_400;

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const eventsIn = (from: number, to: number) => {
  const rows: { id: number; at: number }[] = [];
  for (let id = Math.ceil(from / STEP_S); id * STEP_S <= to; id++) rows.push({ id, at: id * STEP_S });
  return rows;
};

function configure({ address }: ReplayServer): { config: string; dir: string } {
  const dir = temporaryFolder('killed-fetch');
  const config = join(dir, 'config.json');
  const source = {
    table: 'tvl_reading',
    name: 'Events',
    every: '1h',
    request: { url: 'https://api.example/x', query: { from: '{window_from_s}', to: '{window_to_s}' } },
    window: { history: '5d', step: '2h', overlap: '1h' },
    records: '',
    fields: { protocol: { value: 'p' }, observed_at: { from: 'at', time: 'unix_s' }, tvl_usd: 'id' },
  };
  const hosts = { 'api.example': { address, requests_per_minute: 1_200 } };
  writeFileSync(
    config,
    JSON.stringify({ profile: 'files', data_dir: join(dir, 'var'), sources: { events: source }, hosts }),
  );
  return { config, dir: join(dir, 'var') };
}

const fetching = (config: string): ChildProcess =>
  spawn(process.execPath, ['jobs/main.ts', 'fetch', '--config', config, '--log-level', 'error'], {
    cwd: PROJECT,
    stdio: ['ignore', 'ignore', 'inherit'],
  });

const idsOf = (recording: Recording, dir: string): number[] =>
  recording.pages.flatMap((page) => {
    const body = gunzipSync(readFileSync(bodyPath({ disk: nodeDisk, dir }, recording, page))).toString();
    return (JSON.parse(body) as { id: number }[]).map(({ id }) => id);
  });

test(`${COUNTS.fetchKills} kills of the process that fetches lose nothing`, {
  timeout: 3_600_000,
}, async () => {
  const server = await replayServer(({ path }) => {
    const query = new URL(`http://x${path}`).searchParams;
    return json(eventsIn(Number(query.get('from')), Number(query.get('to'))));
  });
  closing.push(server.close);
  const { config, dir } = configure(server);
  const place = { disk: nodeDisk, dir };
  const random = seededRandom(5);
  for (let kill = 0; kill < COUNTS.fetchKills; kill++) {
    const child = fetching(config);
    while (!existsSync(join(dir, 'recordings')) && child.exitCode === null) await wait(20);
    const asked = server.asked.length;
    while (server.asked.length === asked && child.exitCode === null) await wait(5);
    await wait(random() * 400);
    await endProcess(child, 'SIGKILL');
  }
  const last = fetching(config);
  expect(await once(last, 'exit')).toEqual([0, null]);
  const recordings = landable(await readRecordings(place, 'events'));
  const now = Math.max(...recordings.map(({ window }) => window.to));
  const ids = new Set(recordings.flatMap((one) => idsOf(one, dir)));
  expect([...ids].sort((a, b) => a - b)).toEqual(
    eventsIn(Math.min(...recordings.map(({ window }) => window.from)), now).map(({ id }) => id),
  );
  expect(Math.min(...recordings.map(({ window }) => window.from))).toBeLessThanOrEqual(
    now - HISTORY_S + 3_600,
  );
  for (const day of readdirSync(join(dir, 'recordings', 'events'))) {
    const names = readdirSync(join(dir, 'recordings', 'events', day));
    expect(names.filter((name) => !name.includes('.') && !names.includes(`${name}.json`))).toEqual([]);
  }
  expect(readdirSync(join(dir, 'recordings', '.tmp'))).toEqual([]);
});
