// The commands that change something: run, backfill, rebuild, redrive. Each works on an opened world and answers an exit code.
import { UsageError } from '../../launch/cli/usage-error.ts';
import type { RawTable } from '../define/raw-table.ts';
import type { PipelineContext } from '../pipeline/context.ts';
import { futureText, isAhead } from '../pipeline/run/clock.ts';
import { lastTick } from '../pipeline/run/ledger.ts';
import { BEFORE_ALL, DAY_SECONDS, missedIntervals, steps } from '../pipeline/run/plan.ts';
import { checkedHistory, type RunOutcome } from '../pipeline/run/run.ts';
import { recordedRun } from '../pipeline/run/session.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';

const nowSeconds = ({ nowMs }: Pick<PipelineContext, 'nowMs'>) => Math.floor(nowMs() / 1000);
const exitOf = (outcomes: readonly RunOutcome[]): ExitCode =>
  outcomes.some(({ problems }) => problems.length > 0) ? EXIT.partial : EXIT.done;

/** @throws UsageError for a time that has not come. */
function refuseTomorrow(flag: string, seconds: number, { nowMs }: PipelineContext): void {
  if (isAhead(seconds, nowMs())) throw new UsageError(`${flag}: ${futureText(seconds, nowMs())}`);
}

/** Everything since the last tick up to `asOf`, or now, as one interval. */
export async function runOnce(world: PipelineContext, asOf: number | null): Promise<ExitCode> {
  if (asOf !== null) refuseTomorrow('--as-of', asOf, world);
  const to = asOf ?? nowSeconds(world);
  const last = lastTick(world.ledger.entries) ?? BEFORE_ALL;
  const interval = { from: Math.min(last, to - 1), to };
  return exitOf([
    await recordedRun(world, 'tick', { interval, gather: true, detect: 'late_rows', publish: true }),
  ]);
}

/** The intervals that were missed since the last tick, oldest first. */
export async function catchUp(world: PipelineContext): Promise<ExitCode> {
  const { tick_seconds: stepSeconds, catch_up_cap: cap } = world.settings;
  await checkedHistory(world);
  const last = lastTick(world.ledger.entries);
  const outcomes: RunOutcome[] = [];
  for (const interval of missedIntervals({ last, now: nowSeconds(world), stepSeconds, cap })) {
    outcomes.push(
      await recordedRun(world, 'tick', { interval, gather: true, detect: 'late_rows', publish: true }),
    );
  }
  return exitOf(outcomes);
}

export interface BackfillOptions {
  readonly from: number;
  readonly to: number;
  readonly step_seconds: number;
}

/** Walks logical time; events are appended step by step, the version is published with the last one. */
export async function backfill(
  world: PipelineContext,
  { from, to, step_seconds }: BackfillOptions,
): Promise<ExitCode> {
  refuseTomorrow('--to', to, world);
  const outcomes: RunOutcome[] = [];
  for (const interval of steps({ from, to }, step_seconds)) {
    const publish = interval.to === to;
    outcomes.push(
      await recordedRun(world, 'backfill', { interval, gather: true, detect: 'interval', publish }),
    );
  }
  return exitOf(outcomes);
}

/** Computes everything from what has landed, into a warehouse that was just made. The event log stays as it is. */
export async function rebuild(world: PipelineContext): Promise<ExitCode> {
  const to = lastTick(world.ledger.entries) ?? 0;
  const interval = { from: to - 1, to };
  return exitOf([
    await recordedRun(world, 'rebuild', { interval, gather: false, detect: 'nothing', publish: true }),
  ]);
}

/** Checks quarantined rows again, with the mappings as they are now; what passes lands and is computed. */
export async function redrive(world: PipelineContext, batch: string | null): Promise<ExitCode> {
  const to = nowSeconds(world);
  const context = { interval: { from: to - DAY_SECONDS, to }, fetchedAt: to };
  let landed = 0;
  for (const table of world.domains.flatMap((domain) => domain.raw)) {
    landed += await redriveTable(world, table, { batch, context });
  }
  world.reporter.step('redriven', { rows_landed: landed });
  return landed === 0 ? EXIT.done : runOnce(world, null);
}

interface Redrive {
  readonly batch: string | null;
  readonly context: {
    readonly interval: { readonly from: number; readonly to: number };
    readonly fetchedAt: number;
  };
}

/** Rows of a configured source are read with its mapping as it is now, and before others, which keep the one they were read with. */
async function redriveTable(
  world: PipelineContext,
  table: RawTable,
  { batch, context }: Redrive,
): Promise<number> {
  const request = { table, context, ...(batch === null ? {} : { batch }) };
  const configured = world.sources.flatMap(({ facts, table: name, fields }) =>
    name === table.name && fields !== undefined ? [{ source: facts.id, fields }] : [],
  );
  let landed = 0;
  for (const own of [...configured, {}]) {
    const receipts = await world.landing.redrive({ ...request, ...own });
    landed += receipts.reduce((rows, { rows_landed }) => rows + rows_landed, 0);
  }
  return landed;
}
