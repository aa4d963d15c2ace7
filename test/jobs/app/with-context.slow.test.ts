// A warehouse that is found damaged in the middle of a run is repaired without an operator, and the published data is the same.
import { closeSync, cpSync, fstatSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { runSchedule } from '../../../jobs/commands/schedule.ts';
import { runOnce } from '../../../jobs/commands/work.ts';
import { withContext } from '../../../jobs/app/with-context.ts';
import { DamagedWarehouseError } from '../../../jobs/engine/errors.ts';
import type { PipelineContext } from '../../../jobs/pipeline/context.ts';
import { readLedger } from '../../../jobs/pipeline/run/ledger.ts';
import { COUNTS } from '../../reliability/counts.ts';
import { DEMO_NOW, FEED_DEMO, feedDemoFolder } from '../../support/demo-folder.ts';
import { datasetHashes, publishedEvents, testWorldInput } from '../../support/pipeline-world.ts';
import { preparedCopy } from '../../support/run-folder.ts';
import { removeFolder } from '../../support/temporary-folder.ts';

vi.setConfig({ testTimeout: 600_000 });

const LATER = { ...FEED_DEMO, now: DEMO_NOW + 300 };

let damaged: string;
beforeEach(async () => {
  damaged = await feedDemoFolder();
});
afterEach(() => removeFolder(damaged));

/** Overwrites part of the warehouse's blocks in place, so a process that has the file open sees the damage too. */
function damage(dir: string, from: number): void {
  const file = openSync(join(dir, 'warehouse.duckdb'), 'r+');
  const { size } = fstatSync(file);
  // The first three blocks are headers, read when the file is opened.
  const start = 12_288 + Math.floor(from * (size - 12_288));
  writeSync(file, Buffer.alloc(Math.min(size - start, size >> 2), 0xa5), 0, undefined, start);
  closeSync(file);
}

const statesIn = (dir: string) => readLedger(join(dir, 'ledger.ndjson')).entries.map(({ state }) => state);

const run = (dir: string, work = (world: PipelineContext) => runOnce(world, null)) =>
  withContext(...testWorldInput(dir, LATER), work);

async function expectAsSound(): Promise<void> {
  const sound = await preparedCopy('feed-demo-later', async (folder) => {
    cpSync(await feedDemoFolder(), folder, { recursive: true });
    await run(folder);
  });
  expect(datasetHashes(damaged)).toEqual(datasetHashes(sound));
  expect(publishedEvents(damaged)).toEqual(publishedEvents(sound));
}

describe('a damaged warehouse', () => {
  test(`is rebuilt from landing wherever the damage is (${COUNTS.damagedWarehouses})`, async () => {
    for (let trial = 0; trial < COUNTS.damagedWarehouses; trial += 1) {
      damage(damaged, ((trial + 1) * 0.618) % 1);
      expect(await run(damaged)).toBe(0);
    }
    await expectAsSound();
  });

  test('found during a run is rebuilt, and the run continues', async () => {
    let starts = 0;
    const code = await run(damaged, async (world) => {
      starts += 1;
      if (starts === 1) damage(damaged, 0);
      return runOnce(world, null);
    });
    expect([code, starts]).toEqual([0, 2]);
    expect(readFileSync(join(damaged, 'log.ndjson'), 'utf8')).toMatch(/set aside and rebuilt from landing/);
    expect(statesIn(damaged).slice(-4)).toEqual(['started', 'failed', 'started', 'succeeded']);
    await expectAsSound();
  });

  test('that is damaged again before a run completes ends the process with that error', async () => {
    let starts = 0;
    const work = async () => {
      starts += 1;
      throw new Error('the tick failed', { cause: new DamagedWarehouseError('Corrupt database file') });
    };
    await expect(run(damaged, work)).rejects.toThrow('the tick failed');
    expect(starts).toBe(2);
  });

  test('ends a schedule, which then restarts on a rebuilt warehouse', async () => {
    let starts = 0;
    const stop = Promise.withResolvers<void>();
    const code = await run(damaged, (world) => {
      starts += 1;
      if (starts === 1) damage(damaged, 0);
      else
        void vi.waitFor(() => expect(statesIn(damaged).at(-1)).not.toBe('failed'), 60_000).then(stop.resolve);
      return runSchedule(world, stop.promise);
    });
    expect([code, starts]).toEqual([0, 2]);
    await expectAsSound();
  });

  test('is not assumed after any other failure', async () => {
    let starts = 0;
    const work = async () => {
      starts += 1;
      throw new Error('a disk of ours failed');
    };
    await expect(run(damaged, work)).rejects.toThrow('a disk of ours failed');
    expect(starts).toBe(1);
  });
});

test('a damaged lock file is emptied', async () => {
  writeFileSync(join(damaged, 'jobs.lock'), Buffer.alloc(5_000, 0xa5));
  expect(await run(damaged)).toBe(0);
  await expectAsSound();
});
