// Performs a command that writes: takes the lead, opens the data folder and runs the work, or skips it when another process has the folder.
import { setTimeout as wait } from 'node:timers/promises';
import type { TermMark } from '../../platform/storage/fence.ts';
import { backtest } from '../commands/backtest.ts';
import { EXIT, type ExitCode } from '../commands/exit-codes.ts';
import { adoptLost } from '../commands/lost-found.ts';
import type { Command } from '../commands/parse.ts';
import { recordSkip } from '../commands/record-skip.ts';
import { runSchedule } from '../commands/schedule.ts';
import { supersede } from '../commands/supersede.ts';
import { UsageError } from '../../platform/command-line/usage-error.ts';
import { backfill, rebuild, redrive, runOnce } from '../commands/work.ts';
import type { Config } from '../config.ts';
import type { PipelineContext } from '../pipeline/context.ts';
import { firstArrivals } from '../sources/live/fetch/first-arrivals.ts';
import { systemClock } from '../sources/live/http/clock.ts';
import { copyToBuckets } from './copy-to-buckets.ts';
import { openRecordings } from './data-store.ts';
import { InstanceRunningError } from './folder-lock.ts';
import { claimFolder } from './installation.ts';
import { type LeaderEffects, leadInTurn, whileLeading } from './lead.ts';
import { type Effects, withLockedFolder } from './open-context.ts';
import { readySources } from './open-fetching.ts';
import { openLeases } from './open-leases.ts';
import { leaseEffects, type Surroundings } from './surroundings.ts';
import { takeBack } from './take-back.ts';
import { withContext } from './with-context.ts';
import { LedgerLostError } from '../pipeline/run/ledger.ts';

export async function performWork(
  config: Config,
  command: Command,
  surroundings: Surroundings,
): Promise<ExitCode> {
  const { reporter, tracer, caller, nowMs, random, cores, makeKey, memory } = surroundings;
  const isStart = command.name === 'schedule';
  const isRebuild = command.name === 'rebuild';
  const effects = { nowMs, random, reporter, tracer, cores, makeKey, memory, isStart, isRebuild };
  const stopped = isStart ? surroundings.stopped() : Promise.resolve();
  const leases = await openLeases(config, leaseEffects(surroundings));
  const claim = (term: TermMark | null) => claimFolder(config, { ...caller, reporter, term });
  const leading = { leases, config, reporter, effects, claim };
  try {
    if (isStart) return (await leadInTurn(leading, stopped, scheduled(config, effects))) ?? EXIT.done;
    const work = { command, ...surroundings };
    return await whileLeading(leading, (leader) => workOnce(config, { ...effects, ...leader }, work));
  } catch (error) {
    if (!(error instanceof InstanceRunningError)) throw error;
    reporter.warn(error.message);
    recordSkip(config.paths.ledger, command, nowMs());
    return EXIT.skipped;
  } finally {
    await leases.close();
  }
}

function scheduled(config: Config, effects: Effects) {
  return async (leader: LeaderEffects, over: Promise<unknown>): Promise<ExitCode> => {
    for (;;) {
      try {
        return await withContext(config, { ...effects, ...leader }, (context) =>
          runSchedule(context, over, recordingsReady(config, effects, over)),
        );
      } catch (error) {
        if (!(error instanceof LedgerLostError)) throw error;
        effects.reporter.error(error.message);
        if (await isOverBefore(over, error.isBack)) return EXIT.done;
      }
    }
  };
}

const LOOK_MS = 1_000;

/** Waits until the condition holds, unless the process must end first. */
async function isOverBefore(over: Promise<unknown>, isTrue: () => boolean): Promise<boolean> {
  const ending = over.then(() => true);
  while (!isTrue()) if (await Promise.race([ending, wait(LOOK_MS, false)])) return true;
  return false;
}

function recordingsReady(config: Config, effects: Effects, stopped: Promise<unknown>): Promise<void> {
  const stopping = new AbortController();
  void stopped.then(() => stopping.abort());
  const { signal } = stopping;
  const { folder } = openRecordings(config, effects);
  return firstArrivals(readySources(config), folder, { clock: systemClock(effects.nowMs), signal });
}

async function workOnce(
  config: Config,
  effects: Effects & LeaderEffects,
  { command, nowMs, random, makeKey, print }: Surroundings & { readonly command: Command },
): Promise<ExitCode> {
  const { disk } = effects;
  if (command.name === 'copy') return copyToBuckets(config, command, { nowMs, random, makeKey, print });
  if (command.name === 'retract') return takeBack(config, command.to, { ...effects, makeKey, print });
  if (command.name === 'lost+found adopt')
    return withLockedFolder(config, effects, (tools) =>
      adoptLost({ ...tools, dataFolder: { disk, dir: config.settings.data_dir } }, print),
    );
  return withContext(config, effects, (context) => work(context, command, print));
}

function work(context: PipelineContext, command: Command, print: (line: string) => void): Promise<ExitCode> {
  switch (command.name) {
    case 'run':
      return runOnce(context, command.as_of);
    case 'backfill':
      return backfill(context, command);
    case 'backtest':
      return backtest(context);
    case 'rebuild':
      return rebuild(context);
    case 'quarantine redrive':
      return redrive(context, command.batch);
    case 'reland':
    case 'drop':
      return supersede(context, command, print);
    default:
      throw new UsageError(`${command.name} does not work on a data folder.`);
  }
}
