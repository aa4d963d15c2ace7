// Jobs that are killed at any moment, and started twice at once. Every run is a process of its own on a real folder.
import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readLedger } from '../../jobs/pipeline/run/ledger.ts';
import { verifyFolder } from '../../snapshots/verify.ts';
import { COUNTS } from '../reliability/counts.ts';
import { fixedDemoFolder, STARTED, startJobs } from '../support/fixed-demo.ts';
import { inFolder } from '../support/in-folder.ts';
import { datasetHashes, publishedEvents } from '../support/pipeline-world.ts';

const DAY = 86_400;
const WALK_DAYS = COUNTS.walkedDays;
const WALK = [
  'backfill',
  '--from',
  String(STARTED - WALK_DAYS * DAY),
  '--to',
  String(STARTED),
  '--step',
  '1d',
];

interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
  readonly ms: number;
}

function start(dir: string): { readonly child: ChildProcess; readonly ended: Promise<Ended> } {
  const startedMs = performance.now();
  const child = startJobs(dir, WALK);
  const ended = new Promise<Ended>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal, ms: performance.now() - startedMs }));
  });
  return { child, ended };
}

/** Starts twice at once in a new folder: one works, the other finds it locked. */
async function startedTwice(): Promise<{ readonly dir: string; readonly ms: number }> {
  const dir = fixedDemoFolder();
  const both = await Promise.all([start(dir).ended, start(dir).ended]);
  expect(both.map(({ code }) => code).sort()).toEqual([0, 3]);
  const states = readLedger(join(dir, 'ledger.ndjson')).entries.map(({ state }) => state);
  expect(states.filter((state) => state === 'skipped')).toHaveLength(1);
  expect(states.filter((state) => state === 'started')).toHaveLength(WALK_DAYS);
  expect(states.filter((state) => state === 'failed')).toEqual([]);
  return { dir, ms: Math.max(...both.map(({ ms }) => ms)) };
}

const eventIds = (dir: string) => publishedEvents(dir).map(({ value }) => value.event_id);

test(`jobs that are started twice at once run once, and jobs that are killed (${COUNTS.jobKills}) leave nothing half done`, {
  timeout: 7_200_000,
}, async () => {
  for (let round = 1; round < COUNTS.doubleStarts; round += 1) await startedTwice();
  const whole = await startedTwice();
  const killed = fixedDemoFolder();
  for (let kill = 0; kill < COUNTS.jobKills; kill += 1) {
    const { child, ended } = start(killed);
    const timer = setTimeout(() => child.kill('SIGKILL'), whole.ms * (0.15 + ((kill * 0.618) % 0.85)));
    const { code, signal } = await ended;
    clearTimeout(timer);
    expect(signal === 'SIGKILL' || code === 0).toBe(true);
  }
  expect((await start(killed).ended).code).toBe(0);
  const ids = eventIds(killed);
  expect(publishedEvents(killed).map(({ key }) => key)).toEqual(
    publishedEvents(whole.dir).map(({ key }) => key),
  );
  expect(ids).toEqual([...new Set(ids)].sort());
  expect(datasetHashes(killed)).toEqual(datasetHashes(whole.dir));
  expect(await verifyFolder(inFolder(join(killed, 'snapshots')))).toEqual([]);
  expect((await start(killed).ended).code).toBe(0);
  expect(eventIds(killed)).toEqual(ids);
});
