// Performs a command that writes: takes the lead, opens the data folder and runs the work, or skips it when another process has the folder.
import { setTimeout as wait } from 'node:timers/promises';
import { UsageError } from '../../platform/command-line/usage-error.ts';
import type { TermMark } from '../../platform/storage/fence.ts';
import { backtest } from '../commands/backtest.ts';
import { EXIT, type ExitCode } from '../commands/exit-codes.ts';
import { adoptLost } from '../commands/lost-found.ts';
import type { Command } from '../commands/parse.ts';
import { runSchedule } from '../commands/schedule.ts';
import { supersede } from '../commands/supersede.ts';
import { backfill, rebuild, redrive, runOnce } from '../commands/work.ts';
import type { Config } from '../config.ts';
import type { PipelineContext } from '../pipeline/context.ts';
import { appendEntry, LedgerLostError } from '../pipeline/run/ledger.ts';
import type { LiveSource } from '../sources/live/fetch/live-source.ts';
import { type RecordingFolder, readRecordings } from '../sources/live/fetch/recording-store.ts';
import { type Clock, systemClock } from '../sources/live/http/clock.ts';
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

/** Waits at a first start until the sources have been read once, so that the first version has something to show. */
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

/** Records in the ledger that a command was skipped because another process was working on the folder. */
function recordSkip(ledger: string, command: Command, nowMs: number): void {
  const now = Math.floor(nowMs / 1000);
  const interval =
    command.name === 'backfill' ? { from: command.from, to: command.to } : { from: now, to: now };
  const job = command.name === 'backfill' || command.name === 'rebuild' ? command.name : 'tick';
  appendEntry(ledger, {
    run: `${command.name}:${nowMs}:skipped`,
    job,
    interval,
    attempt: 1,
    state: 'skipped',
    at: new Date(nowMs).toISOString(),
    reasons: ['another instance was running'],
  });
}

const POLL_MS = 250;
const MAX_WAIT_MS = 20_000;

/** Resolves when every source has a recording of any outcome, after 20 seconds, or when the signal is aborted. */
async function firstArrivals(
  sources: readonly LiveSource[],
  folder: RecordingFolder,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<void> {
  const endMs = clock.nowMs() + MAX_WAIT_MS;
  let waiting = sources;
  while (waiting.length > 0 && clock.nowMs() < endMs && !signal.aborted) {
    const recordings = await Promise.all(waiting.map(({ id }) => readRecordings(folder, id)));
    waiting = waiting.filter((_, index) => (recordings[index] ?? []).length === 0);
    if (waiting.length > 0) await clock.sleep(POLL_MS, signal);
  }
}
