// `schedule`: catches up, then runs at every tick of the cron expression until it is told to stop. Ticks never overlap; one that falls
// into a running one is left to the next, which covers its interval.
import { schedule as cronSchedule, validate } from 'node-cron';
import { UsageError } from '../../launch/cli/usage-error.ts';
import { listVersions } from '../../snapshots/read.ts';
import { warehouseDamage } from '../engine/errors.ts';
import type { PipelineContext } from '../pipeline/context.ts';
import { lastTick } from '../pipeline/run/ledger.ts';
import { wordsOf } from '../pipeline/run/report.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { firstLook } from './first-look.ts';
import { catchUp } from './work.ts';

/**
 * Resolves when `stopped` does, after a tick that is under way. A failed tick is reported and tried again with the next.
 * @throws what a tick meets that no other tick on this world can mend: damage of the warehouse
 */
export async function runSchedule(world: PipelineContext, stopped: Promise<unknown>): Promise<ExitCode> {
  const { tick_cron: expression } = world.settings;
  if (!validate(expression))
    throw new UsageError(`tick_cron "${expression}" is not a cron expression, for example */5 * * * *`);
  const damaged = Promise.withResolvers<never>();
  let underWay = begin(world).catch(damaged.reject);
  const task = cronSchedule(
    expression,
    () => {
      underWay = underWay.then(() => tick(world)).catch(damaged.reject);
      return underWay;
    },
    { timezone: 'UTC', noOverlap: true },
  );
  try {
    await Promise.race([stopped, damaged.promise]);
  } finally {
    await task.destroy();
    await underWay;
  }
  return EXIT.done;
}

async function begin(world: PipelineContext): Promise<void> {
  const isDemo = world.settings.profile === 'demo';
  if (isDemo && (await isEmpty(world))) await firstLook(world);
  await tick(world);
}

/** A ledger that was lost must not replace what is published by a first look. */
async function isEmpty({ ledger, disk, settings }: PipelineContext): Promise<boolean> {
  const isNew = lastTick(ledger.entries) === null;
  return isNew && (await listVersions(disk, settings.snapshot_dir)).length === 0;
}

async function tick(world: PipelineContext): Promise<void> {
  try {
    await catchUp(world);
  } catch (error) {
    if (warehouseDamage(error) !== null) throw error;
    world.reporter.error(`tick failed: ${wordsOf(error)}`);
  }
}
