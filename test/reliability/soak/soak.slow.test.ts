// Both programs as processes, hour after hour under twenty times the usual load, on a clock that leaves out the time between ticks:
// memory and descriptors do not grow, the disk grows by what retention keeps, no log has an error, and no event is missing anywhere.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { verifyFolder } from '../../../snapshots/verify.ts';
import { inFolder } from '../../support/in-folder.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { COUNTS } from '../counts.ts';
import { ORGANISATIONS, SoakLoad } from './load.ts';
import { floorsOf, type Point, partsOf, slopeOf } from './measures.ts';
import { PROGRAMS, type ProgramName, SoakPrograms } from './programs.ts';

const HOURS = COUNTS.soakHours;
const TICKS_PER_HOUR = 12;
const TICKS = HOURS * TICKS_PER_HOUR;
/** Caches fill and the first versions are collected. */
const WARM_UP_HOURS = 4;
const KEPT_HOURS = 2;
const TICKS_PER_SAMPLE = 3;
/** The programs look at their clock every 20 ms. */
const SEEN_MS = 200;
const MAX_TICK_MS = 60_000;
/** Of the ticks; a run that is late for the next one leaves it out. */
const MAX_SKIPPED_SHARE = 0.05;
/** The first computes a week. */
const MAX_START_MS = 600_000;
const MAX_SETTLING_TICKS = 24;
const MAX_MB_PER_HOUR = 1;
const SETTINGS = [
  ...['--port', '0', '--metrics-port', '0', '--demo-days', '7', '--webhooks-allow-loopback'],
  ...['--snapshot-keep-hours', String(KEPT_HOURS), '--snapshot-keep-days', '1'],
];

/** A tick publishes its events first and its datasets after them. */
const VERSIONS_PER_TICK = 2;
/** Old versions are removed once an hour. */
const COLLECTED_HOURS = 1;
/** The newest version, the first look, the last versions of two days, and those of a tick that is just ending. */
const OTHER_VERSIONS = 8;
const MAX_VERSIONS = (KEPT_HOURS + COLLECTED_HOURS) * TICKS_PER_HOUR * VERSIONS_PER_TICK + OTHER_VERSIONS;
/** Sockets of attempts at webhooks that are under way when a sample is taken. */
const SPARE_DESCRIPTORS = 40;
/** Of resident memory, by what it swings between two collections. */
const SPARE_MB = 50;

interface Sample {
  readonly hours: number;
  readonly rss: Readonly<Record<ProgramName, number>>;
  readonly descriptors: Readonly<Record<ProgramName, number>>;
  readonly parts: ReadonlyMap<string, number>;
  readonly versions: number;
}

/** The jobs finish their tick. */
const MAX_STOP_MS = 180_000;

const cleaning: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const clean of cleaning.splice(0).reverse()) await clean();
}, MAX_STOP_MS);

function sampleOf(programs: SoakPrograms, hours: number): Sample {
  const sizes = PROGRAMS.map((name) => [name, programs.size(name)] as const);
  const of = (member: 'rss_mb' | 'descriptors') =>
    Object.fromEntries(sizes.map(([name, size]) => [name, size[member]])) as Sample['rss'];
  const versions = readdirSync(join(programs.dir, 'snapshots', 'versions')).length;
  return { hours, rss: of('rss_mb'), descriptors: of('descriptors'), parts: partsOf(programs.dir), versions };
}

/** Waits for the jobs to have run up to `instant`. False if they skip it. */
async function ticked(programs: SoakPrograms, instant: number, maxMs = MAX_TICK_MS): Promise<boolean> {
  const startMs = performance.now();
  while (performance.now() - startMs < maxMs) {
    if (programs.hasTicked(instant)) {
      await programs.atRest();
      return true;
    }
    programs.requireRunning();
    await wait(50);
  }
  return false;
}

/**
 * Slopes after the warm-up, or over all of a run that is shorter: megabytes an hour of what each process has at least in each hour, after a
 * collection, and of each part of the folder. After some ticks the database engine keeps 100 MB until the next one.
 */
function growthOf(samples: readonly Sample[], programs: SoakPrograms) {
  const slope = (points: readonly Point[]) =>
    Number(slopeOf(points.filter(({ hours }) => isWarm(hours))).toFixed(3));
  const measured = (name: ProgramName, member: 'heap_bytes' | 'rss_bytes') =>
    programs.memory(name).map((sample, index) => ({
      hours: (index * TICKS_PER_SAMPLE) / TICKS_PER_HOUR,
      value: sample[member] / 2 ** 20,
    }));
  const memory = PROGRAMS.flatMap((name) => [
    [`${name} resident`, slope(floorsOf(measured(name, 'rss_bytes')))] as const,
    [`${name} heap`, slope(floorsOf(measured(name, 'heap_bytes')))] as const,
  ]);
  const disk = [...(samples.at(-1)?.parts.keys() ?? [])].map(
    (part) =>
      [part, slope(samples.map(({ hours, parts }) => ({ hours, value: parts.get(part) ?? 0 })))] as const,
  );
  return { memory: Object.fromEntries(memory), disk: Object.fromEntries(disk) };
}

const IS_WHOLE = HOURS > 2 * WARM_UP_HOURS;
const isWarm = (hours: number): boolean => !IS_WHOLE || hours > WARM_UP_HOURS;

/** What a run of more than twice the warm-up must show. Between two collections memory swings, but not further than it did before. */
function expectFlat(samples: readonly Sample[], { memory, disk }: ReturnType<typeof growthOf>): void {
  for (const [name, slope] of Object.entries(memory)) expect(slope, name).toBeLessThan(MAX_MB_PER_HOUR);
  for (const part of ['snapshots', 'ops', 'tmp', 'quarantine'])
    expect(disk[part] ?? 0, part).toBeLessThan(MAX_MB_PER_HOUR);
  const warm = samples.filter(({ hours }) => isWarm(hours));
  const half = Math.floor(warm.length / 2);
  const most = (member: 'rss' | 'descriptors', name: ProgramName, some: readonly Sample[]) =>
    Math.max(...some.map((sample) => sample[member][name]));
  for (const [member, spare] of [
    ['descriptors', SPARE_DESCRIPTORS],
    ['rss', SPARE_MB],
  ] as const)
    for (const name of PROGRAMS)
      expect(most(member, name, warm.slice(half)), `${name} ${member}`).toBeLessThanOrEqual(
        most(member, name, warm.slice(0, half)) + spare,
      );
}

async function started() {
  const programs = new SoakPrograms(temporaryFolder('soak'), SETTINGS);
  cleaning.push(() => programs.stop());
  const keys = Array.from({ length: ORGANISATIONS }, (_, index) => programs.createKey(`soak${index}`));
  const startS = Math.floor(programs.nowMs() / 1_000);
  const load = new SoakLoad(await programs.start(), keys);
  cleaning.push(() => load.stop());
  expect(await ticked(programs, startS, MAX_START_MS)).toBe(true);
  const paths = await load.readers.choosePaths();
  await load.start();
  return { programs, load, paths };
}

/** Ticks under load; prints each sample, for a run that is stopped. */
async function walk(programs: SoakPrograms, load: SoakLoad) {
  const samples: Sample[] = [];
  let skipped = 0;
  for (let tick = 0; tick < TICKS; tick++) {
    const instant = programs.step();
    await wait(SEEN_MS);
    const [isDone] = await Promise.all([ticked(programs, instant), load.tick(tick)]);
    if (!isDone) skipped += 1;
    if (tick % TICKS_PER_SAMPLE > 0) continue;
    const sample = sampleOf(programs, tick / TICKS_PER_HOUR);
    samples.push(sample);
    programs.sampleMemory();
    const memory = PROGRAMS.map((name) => programs.memory(name).at(-1));
    const warnings = Object.fromEntries(programs.log.warnings);
    console.info(JSON.stringify({ ...sample, parts: Object.fromEntries(sample.parts), memory, warnings }));
  }
  return { samples, skipped };
}

test(`${HOURS} hours under load: nothing grows, nothing is lost, no log has an error`, {
  timeout: 7_200_000,
}, async () => {
  const { programs, load, paths } = await started();
  const { samples, skipped } = await walk(programs, load);
  for (let tick = 0; tick < MAX_SETTLING_TICKS && (await load.missing()).length > 0; tick++)
    await ticked(programs, programs.step());
  const growth = growthOf(samples, programs);
  const { errors, warnings } = programs.log;
  console.info({ hours: HOURS, paths, skipped, ...load.figures, ...growth, warnings });
  expect(errors).toEqual([]);
  expect(skipped).toBeLessThanOrEqual(Math.ceil(TICKS * MAX_SKIPPED_SHARE));
  expect(await load.missing()).toEqual([]);
  expect([...load.readers.statuses.keys()]).toEqual([200]);
  expect(Math.max(...samples.map(({ versions }) => versions))).toBeLessThanOrEqual(MAX_VERSIONS);
  if (IS_WHOLE) expectFlat(samples, growth);
  await load.stop();
  await programs.stop();
  expect(await verifyFolder(inFolder(join(programs.dir, 'snapshots')))).toEqual([]);
});
