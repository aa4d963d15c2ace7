// Jobs that are killed at any moment, and started twice at once. Every run is a process of its own on a real folder.
import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readLedger } from '../../jobs/pipeline/run/ledger.ts';
import { nodeDisk } from '../../snapshots/disk.ts';
import { verifyFolder } from '../../snapshots/verify.ts';
import { COUNTS } from '../reliability/counts.ts';
import { fixedWorld, STARTED, startJobs } from '../support/fixed-world.ts';
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

describe('jobs that are killed', () => {
  it('leave nothing half done: run again, they give the same datasets and the same events, each once', {
    timeout: 7_200_000,
  }, async () => {
    const [whole, killed] = [fixedWorld(), fixedWorld()];
    const clean = await start(whole).ended;
    expect(clean.code).toBe(0);
    for (let kill = 0; kill < COUNTS.jobKills; kill += 1) {
      const { child, ended } = start(killed);
      const timer = setTimeout(() => child.kill('SIGKILL'), clean.ms * (0.15 + ((kill * 0.618) % 0.85)));
      const { code, signal } = await ended;
      clearTimeout(timer);
      expect(signal === 'SIGKILL' || code === 0).toBe(true);
    }
    const last = await start(killed).ended;
    expect(last.code).toBe(0);
    const ids = publishedEvents(killed).map(({ value }) => value.event_id);
    expect(publishedEvents(killed).map(({ key }) => key)).toEqual(
      publishedEvents(whole).map(({ key }) => key),
    );
    expect(ids).toEqual([...new Set(ids)].sort());
    expect(datasetHashes(killed)).toEqual(datasetHashes(whole));
    expect((await verifyFolder(nodeDisk, join(killed, 'snapshots'))).map(({ problem }) => problem)).toEqual(
      [],
    );
    expect((await start(killed).ended).code).toBe(0);
    expect(publishedEvents(killed).map(({ value }) => value.event_id)).toEqual(ids);
  });
});

describe('jobs started twice at once', () => {
  it('run once: the other is recorded as skipped', { timeout: 7_200_000 }, async () => {
    for (let round = 0; round < COUNTS.doubleStarts; round += 1) {
      const dir = fixedWorld();
      const codes = (await Promise.all([start(dir).ended, start(dir).ended])).map(({ code }) => code);
      expect(codes.sort()).toEqual([0, 3]);
      const states = readLedger(join(dir, 'ledger.ndjson')).entries.map(({ state }) => state);
      expect(states.filter((state) => state === 'skipped')).toHaveLength(1);
      expect(states.filter((state) => state === 'started')).toHaveLength(WALK_DAYS);
      expect(states.filter((state) => state === 'failed')).toEqual([]);
    }
  });
});
