// Fetching that ends with an error which it cannot repair: its exit code, its restarts by `schedule`, what the status and the service say
// meanwhile, and that it goes on by itself once the cause is gone.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { json, replayServer } from '../jobs/sources/live/http/replay-server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { ProgramRuns, startServer } from './run-program.ts';

vi.setConfig({ testTimeout: 180_000 });

const EVERY_S = 2;
/** Of these, the fetching process opens one and no other process does. */
const OBSTACLE = 'fetch.lock';

interface Verdict {
  readonly status: string;
  readonly reasons: readonly { readonly code: string; readonly message: string }[];
}

const stopped = ({ reasons }: Verdict) => reasons.find(({ code }) => code === 'fetching_stopped')?.message;

async function until<T>(read: () => Promise<T>, isRight: (value: T) => boolean): Promise<T> {
  const deadline = performance.now() + 60_000;
  for (;;) {
    const value = await read();
    if (isRight(value) || performance.now() > deadline) return value;
    await wait(250);
  }
}

/** A folder with one source that is read every two seconds, one reading of it, and a version. */
async function publishedFolder() {
  const source = await replayServer(() => json([{ id: 1, at: Math.floor(Date.now() / 1000) }]));
  onTestFinished(() => source.close());
  const dir = temporaryFolder('fetching-ends');
  const [config, data] = [join(dir, 'my.json'), join(dir, 'var')];
  const readings = {
    table: 'tvl_reading',
    name: 'Readings',
    every: `${EVERY_S}s`,
    request: { url: 'https://api.example/x' },
    records: '',
    fields: { protocol: { value: 'p' }, observed_at: { from: 'at', time: 'unix_s' }, tvl_usd: 'id' },
  };
  const hosts = { 'api.example': { address: source.address, requests_per_minute: 600 } };
  writeFileSync(config, JSON.stringify({ profile: 'files', sources: { readings }, hosts }));
  const programs = new ProgramRuns({ cwd: dir, settings: ['--config', config, '--data-dir', data] });
  expect((await programs.run('jobs', 'fetch')).code).toBe(0);
  expect((await programs.run('jobs', 'run')).code).toBe(0);
  return { config, data, programs };
}

/** Starts `schedule` with a tick every second. */
function scheduled(programs: ProgramRuns) {
  const state = { output: '', isOver: false };
  const isOver = (text: string) => {
    state.output = text;
    return state.isOver;
  };
  const ticks = ['--tick-cron', '* * * * * *', '--tick-seconds', '1'];
  const ended = programs.runUntil(isOver, 'jobs', 'schedule', ...ticks);
  const stop = async () => {
    state.isOver = true;
    return (await ended).code;
  };
  return { output: async () => state.output, stop };
}

test('fetching that cannot start ends with 1, is restarted ever later, and is named as stopped until it runs again', async () => {
  const { config, data, programs } = await publishedFolder();
  const status = async (): Promise<Verdict> =>
    JSON.parse((await programs.run('jobs', 'status', '--json')).out).service;
  const url = await startServer(data, config);
  const served = async () => (await (await fetch(`${url}/v1/status`)).json()) as Verdict;
  expect(stopped(await served())).toBeUndefined();

  const obstacle = join(data, OBSTACLE);
  rmSync(obstacle, { force: true });
  mkdirSync(obstacle);
  const alone = await programs.run('jobs', 'fetch', '--watch');
  expect([alone.code, alone.err]).toEqual([1, expect.stringContaining(obstacle)]);

  const schedule = scheduled(programs);
  try {
    const output = await until(schedule.output, (text) => text.includes('restarts in 10 s'));
    expect(output).toContain('fetching ended (exit code 1) and restarts in 5 s.');
    expect(output).toContain('fetching ended (exit code 1) and restarts in 10 s.');
    const isStopped = (verdict: Verdict) => stopped(verdict) !== undefined;
    for (const verdict of [await status(), await until(served, isStopped)]) {
      expect(stopped(verdict)).toContain('Nothing has been fetched since');
      expect(verdict.status).toBe('degraded');
    }
    rmSync(obstacle, { recursive: true });
    for (const read of [status, served])
      expect(stopped(await until(read, (verdict) => !isStopped(verdict)))).toBeUndefined();
  } finally {
    expect(await schedule.stop()).toBe(0);
  }
});
