// Wrong clocks: no time in the future is published on request, runs refuse to build on what a wrong clock published, and there is a way
// back that keeps the log.
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { retract } from '../../../../jobs/commands/retract.ts';
import { readStatus } from '../../../../jobs/commands/status.ts';
import { backfill, catchUp, rebuild, runOnce } from '../../../../jobs/commands/work.ts';
import { setAside } from '../../../../jobs/app/set-aside.ts';
import { CLOCK_TOLERANCE_SECONDS } from '../../../../jobs/pipeline/run/clock.ts';
import { openLedger, readLedger } from '../../../../jobs/pipeline/run/ledger.ts';
import { noteReach } from '../../../../jobs/pipeline/run/progress.ts';
import { nodeDisk } from '../../../../platform/storage/disk.ts';
import { inFolder } from '../../../support/in-folder.ts';
import { deliver, sampleOptions } from '../../../support/sample-family/deliveries.ts';
import {
  datasetHashes,
  inWorld,
  publishedEvents,
  publishedManifest,
  type TestFolder,
  testFolder,
} from '../../../support/pipeline-world.ts';

const NOW = Date.UTC(2026, 2, 10, 9, 30) / 1000;
const DAY = 86_400;
const TICK = 300;

let folder: TestFolder;
let dir: string;
beforeEach(() => {
  folder = testFolder();
  dir = folder.dir;
});
afterEach(() => folder.remove());

const runAt = (now: number, asOf: number | null = null) => {
  deliver(dir, now);
  return inWorld(dir, sampleOptions(now), (world) => runOnce(world, asOf));
};

const retractAt = (now: number, to: string | number, lines: string[] = []) =>
  retract(
    {
      snapshots: inFolder(join(dir, 'snapshots')),
      ledger: openLedger(join(dir, 'ledger.ndjson')),
      nowMs: () => now * 1000,
      print: (line) => void lines.push(line),
      commandFor: (operands) => `npm run jobs -- ${operands} --data-dir var/mine`,
      setWarehouseAside: () => setAside(join(dir, 'warehouse.duckdb')),
    },
    to,
  );

const wayBackOf = (error: unknown) => /retract --to ([^`\s]+)/.exec(String(error))?.[1] ?? '';

const failureOf = async (work: Promise<unknown>): Promise<unknown> => {
  try {
    await work;
  } catch (error) {
    return error;
  }
  throw new Error('it did not fail');
};

describe('a logical time in the future', () => {
  it('is refused before anything is done, one second beyond the tolerance', async () => {
    const to = NOW + CLOCK_TOLERANCE_SECONDS;
    await expect(runAt(NOW, to + 1)).rejects.toThrow(/--as-of: 2026-03-10T09:31:01Z is 61 s ahead/);
    const request = { from: NOW - DAY, to: to + 1, step_seconds: DAY };
    await expect(inWorld(dir, sampleOptions(NOW), (world) => backfill(world, request))).rejects.toThrow(
      /--to: /,
    );
    expect(openLedger(join(dir, 'ledger.ndjson')).entries).toEqual([]);
    expect(await runAt(NOW, to)).toBe(0);
    expect(publishedManifest(dir).as_of).toBe('2026-03-10T09:31:00Z');
  });

  it('does not forbid the past', async () => {
    expect(await runAt(NOW)).toBe(0);
    const request = { from: NOW - 3 * DAY, to: NOW - DAY, step_seconds: DAY };
    expect(await inWorld(dir, sampleOptions(NOW), (world) => backfill(world, request))).toBe(0);
  });
});

describe('a run whose clock is two days ahead', () => {
  it('makes every later run fail with the way back, and the way back restores what is true', async () => {
    await runAt(NOW);
    const { version } = publishedManifest(dir);
    await runAt(NOW + 2 * DAY);
    const events = publishedEvents(dir);
    const at = NOW + TICK;
    for (const work of [
      () => runAt(at),
      () => inWorld(dir, sampleOptions(at), catchUp),
      () => inWorld(dir, sampleOptions(at, { isRebuild: true }), rebuild),
    ])
      await expect(work()).rejects.toThrow(
        /published as of 2026-03-12T09:30:00Z, 172500 s ahead of this machine's clock .* Correct the clock if it is wrong\..* go back with the command `retract --to/,
      );
    const error = await failureOf(runAt(at));
    expect(wayBackOf(error)).toBe(version);
    const lines: string[] = [];
    expect(await retractAt(at, wayBackOf(error), lines)).toBe(0);
    expect(lines.join()).toMatch(
      /as of 2026-03-10T09:30:00Z is published; 2 versions were taken back, and the log keeps its 2 events/,
    );
    expect(await runAt(at)).toBe(0);
    expect(publishedManifest(dir).as_of).toBe('2026-03-10T09:35:00Z');
    expect(publishedEvents(dir).slice(0, 2)).toEqual(events);
    expect(new Set(publishedEvents(dir).map(({ key }) => key)).size).toBe(publishedEvents(dir).length);
    expect(await inWorld(dir, sampleOptions(at), catchUp)).toBe(0);
    const clean = testFolder();
    try {
      for (const now of [NOW, at]) {
        deliver(clean.dir, now);
        await inWorld(clean.dir, sampleOptions(now), (world) => runOnce(world, null));
      }
      expect(datasetHashes(dir)).toEqual(datasetHashes(clean.dir));
    } finally {
      clean.remove();
    }
  });

  it('from the very first run on leaves an instant as the way back', async () => {
    await runAt(NOW + 2 * DAY);
    const error = await failureOf(runAt(NOW));
    expect(wayBackOf(error)).toBe('2026-03-10T09:30:00Z');
    expect(await retractAt(NOW, NOW)).toBe(0);
    expect(publishedManifest(dir).datasets).toEqual({});
    expect(await runAt(NOW)).toBe(0);
    expect(publishedManifest(dir).datasets['buoys']).toBeDefined();
  });
});

describe('a time ahead elsewhere', () => {
  it('in the ledger stops the run with file and way back', async () => {
    await runAt(NOW);
    const ledger = openLedger(join(dir, 'ledger.ndjson'));
    const interval = { from: NOW, to: Date.UTC(2030, 0, 1) / 1000 };
    await ledger.append({
      run: 'x',
      job: 'tick',
      interval,
      attempt: 1,
      state: 'succeeded',
      at: '2030-01-01T00:00:00Z',
    });
    for (const work of [() => runAt(NOW + TICK), () => inWorld(dir, sampleOptions(NOW + TICK), catchUp)])
      await expect(work()).rejects.toThrow(/The ledger ends as of 2030-01-01T00:00:00Z, .* `retract --to/);
    const { version } = publishedManifest(dir);
    await retractAt(NOW + TICK, version);
    expect(publishedManifest(dir).version).toBe(version);
    expect(await runAt(NOW + TICK)).toBe(0);
  });

  it('in the warehouse, even of a run that never ended, stops the run', async () => {
    await runAt(NOW);
    const { version } = publishedManifest(dir);
    await inWorld(dir, sampleOptions(NOW), ({ warehouse }) => noteReach(warehouse, NOW + 2 * DAY));
    await expect(runAt(NOW + TICK)).rejects.toThrow(/The warehouse is computed as of 2026-03-12T09:30:00Z/);
    await retractAt(NOW + TICK, version);
    expect(await runAt(NOW + TICK)).toBe(0);
  });

  it('is named by status', async () => {
    await runAt(NOW + 2 * DAY);
    const status = await readStatus({
      disk: nodeDisk,
      dataDir: dir,
      snapshots: inFolder(join(dir, 'snapshots')),
      ledger: join(dir, 'ledger.ndjson'),
      nowMs: NOW * 1000,
    });
    expect(status.faults.join()).toContain('ahead of this machine');
  });

  it('within the tolerance is no fault: a clock that was set back by a second', async () => {
    await runAt(NOW);
    expect(await runAt(NOW - 1)).toBe(0);
    expect(await inWorld(dir, sampleOptions(NOW - CLOCK_TOLERANCE_SECONDS), catchUp)).toBe(0);
  });
});

describe('a ledger', () => {
  it('with a broken line in the middle makes every run partial, with file and line, until it is repaired', async () => {
    await runAt(NOW);
    const file = join(dir, 'ledger.ndjson');
    const whole = readFileSync(file, 'utf8');
    appendFileSync(file, 'rubbish\n');
    expect(await runAt(NOW + TICK)).toBe(4);
    const { entries } = readLedger(file);
    expect(entries.at(-1)).toMatchObject({ state: 'partial' });
    expect(entries.at(-1)?.reasons?.join()).toContain(
      'ledger.ndjson line 3 is not an entry (it is not JSON)',
    );
    expect(await runAt(NOW + 2 * TICK)).toBe(4);
    writeFileSync(file, whole);
    expect(await runAt(NOW + 3 * TICK)).toBe(0);
  });
});
