// Random walks of a clock that jumps: nothing published is ahead of the clock that published it, the log only grows, and jobs never stop
// for good: whatever a wrong clock has done, one command undoes it.
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { OpenedContext } from '../../../../jobs/app/open-context.ts';
import { setAside } from '../../../../jobs/app/set-aside.ts';
import { retract } from '../../../../jobs/commands/retract.ts';
import { runOnce } from '../../../../jobs/commands/work.ts';
import { CLOCK_TOLERANCE_SECONDS, TimeAheadError } from '../../../../jobs/pipeline/run/clock.ts';
import { openLedger } from '../../../../jobs/pipeline/run/ledger.ts';
import { isUlid } from '../../../../platform/base/ulid.ts';
import { verifyFolder } from '../../../../snapshots/verify.ts';
import { COUNTS } from '../../../reliability/counts.ts';
import { progressOf } from '../../../reliability/progress.ts';
import { seededRandom } from '../../../snapshots/support/corrupt.ts';
import { inFolder } from '../../../support/in-folder.ts';
import {
  openTestWorld,
  publishedEvents,
  publishedManifest,
  testFolder,
} from '../../../support/pipeline-world.ts';
import { deliver, sampleOptions } from '../../../support/sample-family/deliveries.ts';

const START = Date.UTC(2026, 2, 10, 9, 30) / 1000;
const HOUR = 3_600;
const DAY = 24 * HOUR;
const JUMPS = [1, -1, HOUR, -HOUR, 2 * DAY, -2 * DAY, 4 * 365 * DAY, -4 * 365 * DAY];
const STEPS = 10;
const MS_PER_SEQUENCE = 60_000;

/** A folder with a clock, and what must hold of it after every step. */
class Voyage {
  now = START;
  refusals = 0;
  retractions = 0;
  readonly #dir: string;
  readonly #versions = new Set<string>();
  #log: readonly string[] = [];
  #opened: OpenedContext | null = null;

  constructor(dir: string) {
    this.#dir = dir;
  }

  async close(): Promise<void> {
    await this.#opened?.close();
    this.#opened = null;
  }

  /** False if the run was refused and changed nothing. */
  async run(): Promise<boolean> {
    deliver(this.#dir, this.now);
    this.#opened ??= await openTestWorld(
      this.#dir,
      sampleOptions(this.now, { nowMs: () => this.now * 1000 }),
    );
    try {
      await runOnce(this.#opened.context, null);
    } catch (error) {
      if (!(error instanceof TimeAheadError)) throw error;
      this.refusals += 1;
      if (this.#versions.size > 0) this.#check();
      return false;
    }
    this.#check();
    expect(Date.parse(publishedManifest(this.#dir).as_of) / 1000).toBeGreaterThanOrEqual(this.now);
    return true;
  }

  /** Follows the instructions of the refusal. */
  async goBack(): Promise<void> {
    const message = await this.#refusal();
    await this.close();
    const to = /retract --to ([^`\s]+)/.exec(message)?.[1] ?? '';
    const context = {
      snapshots: inFolder(join(this.#dir, 'snapshots')),
      ledger: openLedger(join(this.#dir, 'ledger.ndjson')),
      nowMs: () => this.now * 1000,
      print: () => {},
      commandFor: (operands: string) => operands,
      setWarehouseAside: () => setAside(join(this.#dir, 'warehouse.duckdb')),
    };
    expect(await retract(context, isUlid(to) ? to : Date.parse(to) / 1000)).toBe(0);
    this.retractions += 1;
    this.#check();
  }

  async #refusal(): Promise<string> {
    const { context: world } = this.#opened ?? {};
    if (world === undefined) throw new Error('nothing is open');
    return runOnce(world, null).then(
      () => '',
      (error: unknown) => String(error),
    );
  }

  /** What is published is not ahead of the clock unless it was published before, and the log only grew. */
  #check(): void {
    const { version, as_of } = publishedManifest(this.#dir);
    if (!this.#versions.has(version)) {
      this.#versions.add(version);
      expect(Date.parse(as_of) / 1000).toBeLessThanOrEqual(this.now + CLOCK_TOLERANCE_SECONDS);
    }
    const log = publishedEvents(this.#dir).map((event) => JSON.stringify(event));
    expect(log.slice(0, this.#log.length)).toEqual(this.#log);
    expect(new Set(log).size).toBe(log.length);
    this.#log = log;
  }
}

it('a clock that jumps never publishes the future, loses no event and stops nothing for good', {
  timeout: COUNTS.clockSequences * MS_PER_SEQUENCE,
}, async () => {
  const progress = progressOf('sequences', { sequences: 0, steps: 0, refusals: 0, retractions: 0 });
  const figures = { ...progress.from };
  for (let sequence = figures.sequences; sequence < COUNTS.clockSequences; sequence++) {
    const random = seededRandom(1_000 + sequence);
    const folder = testFolder();
    const voyage = new Voyage(folder.dir);
    for (let step = 0; step < STEPS; step++) {
      voyage.now += random() < 0.3 ? 300 : (JUMPS[Math.floor(random() * JUMPS.length)] ?? 0);
      const isDone = await voyage.run();
      const isLast = step === STEPS - 1;
      if (!isDone && (isLast || random() < 0.5)) {
        await voyage.goBack();
        expect(await voyage.run(), `sequence ${sequence}, step ${step}: goes on after the retraction`).toBe(
          true,
        );
      }
    }
    await voyage.close();
    expect(await verifyFolder(inFolder(join(folder.dir, 'snapshots')))).toEqual([]);
    figures.sequences += 1;
    figures.steps += STEPS;
    figures.refusals += voyage.refusals;
    figures.retractions += voyage.retractions;
    progress.save(figures);
    folder.remove();
  }
  console.info(figures);
  expect(figures.retractions).toBeGreaterThan(0);
});
