// Models, audits, detectors and documents with unchanged inputs are skipped. Whatever happens between runs, the published bytes and events
// equal those of runs in which every cache is switched off.
import { existsSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import type { Interval, Source } from '../../../../jobs/define/source.ts';
import type { PipelineContext } from '../../../../jobs/pipeline/context.ts';
import { recordedRun } from '../../../../jobs/pipeline/run/session.ts';
import type { Json } from '../../../../platform/base/json.ts';
import { ALL_ON, type SwitchedOff } from '../../../../platform/base/switches.ts';
import type { Manifest } from '../../../../snapshots/layout.ts';
import { COUNTS } from '../../../reliability/counts.ts';
import { DEMO, DEMO_NOW, demoFolder, SMALL_DEMO, smallDemoFolder } from '../../../support/demo-folder.ts';
import { openTestWorld, publishedEvents, publishedManifest } from '../../../support/pipeline-world.ts';
import { seededRandom } from '../../../support/seeded-random.ts';
import { removeFolder } from '../../../support/temporary-folder.ts';

vi.setConfig({ testTimeout: 600_000 });

const folders: string[] = [];
afterEach(() => folders.splice(0).forEach(removeFolder));

const WORLD = COUNTS.isSkippingWide ? DEMO : SMALL_DEMO;
const STEPS_OF_TIME = [1, 60, 60, 300, 3_600, 7_200, 40_000, 90_000];
const POLICIES: readonly Json[] = [
  {},
  { oracle: { grace_s: 90 } },
  { yields: { listing: { stale_after_s: 1_800, keep_s: 3_600 } }, lending: { state_max_age_s: 600 } },
];

interface Step {
  readonly now: number;
  /** How far each source has delivered at the end of the step. */
  readonly delivered: ReadonlyMap<string, number>;
  readonly policy: Json;
  readonly isOpenedAgain: boolean;
  readonly isDamaged: boolean;
}

interface Installation {
  readonly dir: string;
  readonly off: SwitchedOff;
  opened: Awaited<ReturnType<typeof openTestWorld>> | null;
  now: number;
  readonly delivered: Map<string, number>;
}

async function installation(off: SwitchedOff): Promise<Installation> {
  const dir = await (COUNTS.isSkippingWide ? demoFolder() : smallDemoFolder());
  folders.push(dir);
  return { dir, off, opened: null, now: DEMO_NOW, delivered: new Map() };
}

async function worldOf(at: Installation, step: Step): Promise<PipelineContext> {
  if (at.opened !== null && (step.isOpenedAgain || step.isDamaged)) {
    await at.opened.close();
    at.opened = null;
    if (step.isDamaged) damage(at.dir);
  }
  at.opened ??= await openTestWorld(at.dir, {
    ...WORLD,
    config: { policy: step.policy },
    off: at.off,
    nowMs: () => at.now * 1000,
  });
  return at.opened.context;
}

function damage(dir: string): void {
  const file = join(dir, 'warehouse.duckdb');
  expect(existsSync(file)).toBe(true);
  rmSync(`${file}.wal`, { force: true });
  truncateSync(file, 4_096);
  writeFileSync(file, 'not a warehouse', { flag: 'r+' });
}

/** Delivers what a step says: rows of an earlier time arrive with the step at which their source resumes. */
const steered = (at: Installation, sources: readonly Source[], step: Step): readonly Source[] =>
  sources.map((source) => ({
    ...source,
    async *deliveries(_all: Interval) {
      const from = at.delivered.get(source.facts.id) ?? DEMO_NOW;
      const to = step.delivered.get(source.facts.id) ?? from;
      at.delivered.set(source.facts.id, to);
      if (to > from) yield* source.deliveries({ from, to });
    },
  }));

async function take(at: Installation, step: Step) {
  const from = at.now;
  at.now = step.now;
  const world = await worldOf(at, step);
  const sources = steered(at, world.sources, step);
  const interval = { from, to: step.now };
  await recordedRun({ ...world, sources }, 'tick', {
    interval,
    gather: true,
    detect: 'late_rows',
    publish: true,
  });
}

const ALL_OFF: SwitchedOff = { has: () => true };

/** Longer than the windows of nearly all models. */
const SILENCE = 8 * 86_400;

/** Random steps, and then one in which nothing but time passes: rows leave windows, and subjects fall silent. */
function randomSteps(seed: number, sources: readonly string[]): Step[] {
  const random = seededRandom(seed);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const delivered = new Map<string, number>();
  let now = DEMO_NOW;
  let policy = POLICIES[0] as Json;
  const steps = Array.from({ length: COUNTS.skippingSteps }, (): Step => {
    now += pick(STEPS_OF_TIME);
    const share = pick([0, 0, 0.1, 0.5, 1]);
    for (const source of sources) if (random() < share) delivered.set(source, now);
    const isNewPolicy = random() < 0.15;
    if (isNewPolicy) policy = pick(POLICIES);
    const isOpenedAgain = isNewPolicy || random() < 0.3;
    return { now, delivered: new Map(delivered), policy, isOpenedAgain, isDamaged: random() < 0.1 };
  });
  const silent = { delivered: new Map(delivered), policy, isOpenedAgain: false, isDamaged: false };
  return [...steps, { ...silent, now: now + SILENCE }];
}

const described = ({ now, delivered, policy, isOpenedAgain, isDamaged }: Step) =>
  JSON.stringify({ now, delivered: delivered.size, policy, isOpenedAgain, isDamaged });

/** What readers see: datasets with their gates, and events. */
function seen(dir: string): { readonly datasets: Manifest['datasets']; readonly events: unknown } {
  return { datasets: publishedManifest(dir).datasets, events: publishedEvents(dir) };
}

test.each(Array.from({ length: COUNTS.skippingSequences }, (_, index) => COUNTS.skippingSeed + index))(
  'sequence %i publishes the bytes and events of full runs',
  async (seed) => {
    const [own, full] = [await installation(ALL_ON), await installation(ALL_OFF)];
    const { context, close } = await openTestWorld(own.dir, WORLD);
    const sources = context.sources.map(({ facts }) => facts.id);
    await close();
    const done: string[] = [];
    for (const step of randomSteps(seed, sources)) {
      done.push(described(step));
      await take(own, step);
      await take(full, step);
      expect(seen(own.dir), `seed ${seed}\n${done.join('\n')}`).toEqual(seen(full.dir));
    }
    for (const { opened } of [own, full]) await opened?.close();
  },
);
