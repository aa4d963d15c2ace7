// One run over one interval of logical time: land, absorb, compute, append events, audit, publish. Each step can be repeated; a run
// that was cut off anywhere is run again and does what is left.
import { type EventLog, openEventLog } from '../../snapshots/events.ts';
import { openLastGood } from '../../snapshots/last-good.ts';
import type { Manifest } from '../../snapshots/layout.ts';
import type { Interval } from '../define.ts';
import { runAudits } from './audit.ts';
import { absorbLanded, computeModels } from './compute.ts';
import { detectInWindow } from './detection.ts';
import { detectionWindow } from './emit.ts';
import { type Gathered, gather } from './gather.ts';
import { dayOf, modelWindow } from './plan.ts';
import { basisOf, type Progress, readProgress, settle } from './progress.ts';
import { publish } from './publish.ts';
import { noteRestatements } from './restatements.ts';
import type { World } from './world.ts';

export interface RunOptions {
  readonly interval: Interval;
  /** Ask the sources; false computes from what has landed. */
  readonly gather: boolean;
  /** Look for events in the interval alone, also in older time that late rows have changed, or not at all. */
  readonly detect: 'interval' | 'late_rows' | 'nothing';
  /** Steps of a backfill append events as they go and publish once, at the end. */
  readonly publish: boolean;
}

export interface RunOutcome {
  /** The version published by this run; null when there was nothing to publish. */
  readonly version: string | null;
  readonly events_appended: number;
  readonly gathered: Gathered;
  /** Sources that failed and datasets held back. Empty when all went well. */
  readonly problems: readonly string[];
}

/** @throws when the run cannot go on; what it did so far stays, and the next run continues from there. */
export async function run(world: World, options: RunOptions): Promise<RunOutcome> {
  const { disk, engine, settings } = world;
  const previous = (await openLastGood(disk, settings.snapshot_dir)).reader?.manifest ?? null;
  await absorbLanded(world);
  const gathered = options.gather
    ? await gather(world, options.interval, () => absorbLanded(world))
    : NOTHING;
  const basis = await basisOf(engine, policyRows(world));
  const progress = await readProgress(engine, basis);
  const now = Math.max(options.interval.to, progress.processedTo ?? 0, asOfSeconds(previous));
  const due = modelWindow({ to: now, ...progress });
  if (due !== null) {
    await noteRestatements(world, due, progress);
    await computeModels(world, due);
  }
  const log = await openEventLog(disk, settings.snapshot_dir, previous?.events.segments ?? []);
  const appended = await appendEvents(world, log, { options, progress, now });
  const isDue = options.publish && (due !== null || !progress.isPublished || isBehind(previous, log, now));
  const window = due ?? { start: dayOf(now), end: now + 1, now };
  const findings = isDue ? await runAudits(engine, world.models.audits, window) : [];
  const result = isDue
    ? await publish(world, { now, gathered, findings, segments: log.segments(), previous })
    : null;
  const isPublished = isDue || (due === null && progress.isPublished);
  await settle(engine, { processedTo: now, basis, isPublished });
  return {
    version: result?.published.version ?? null,
    events_appended: appended,
    gathered,
    problems: [
      ...gathered.failures.map(({ source, problem }) => `${source}: ${problem}`),
      ...(result?.held ?? []),
    ],
  };
}

const NOTHING: Gathered = { receipts: [], failures: [] };

const policyRows = ({ domains, policy }: World) =>
  domains.flatMap((domain) => domain.policy.map((table) => [table.name, table.rows(policy)]));

const asOfSeconds = (manifest: Manifest | null) =>
  manifest === null ? 0 : Date.parse(manifest.as_of) / 1000;

const isBehind = (manifest: Manifest | null, log: EventLog, now: number) =>
  manifest === null || asOfSeconds(manifest) < now || manifest.events.last_event_id !== log.lastEventId();

interface Detection {
  readonly options: RunOptions;
  readonly progress: Progress;
  readonly now: number;
}

/** Appends what the detectors find and the log does not hold. The log's clock is logical: the end of the interval. */
async function appendEvents(
  world: World,
  log: EventLog,
  { options, progress, now }: Detection,
): Promise<number> {
  if (options.detect === 'nothing') return 0;
  const { from, to } = options.interval;
  const isReopened = options.detect === 'late_rows' && progress.dirtyFrom !== null;
  const reach = { from: isReopened ? Math.min(from, (progress.dirtyFrom ?? from) - 1) : from, to };
  const window = detectionWindow(reach, now);
  const appended = await log.append(await detectInWindow(world, window), to * 1000);
  if (appended.length > 0)
    world.reporter.step('appended events', { events: appended.length, last: appended.at(-1)?.id ?? null });
  return appended.length;
}
