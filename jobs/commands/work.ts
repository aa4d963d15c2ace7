// The commands that compute: run, backfill, rebuild, redrive. Each takes an open context and returns an exit code.
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

/** @throws UsageError for a time in the future. */
function refuseFutureFlag(flag: string, seconds: number, { nowMs }: PipelineContext): void {
  if (isAhead(seconds, nowMs())) throw new UsageError(`${flag}: ${futureText(seconds, nowMs())}`);
}

/** Processes everything since the last tick, up to `asOf` or now, as one interval. */
export async function runOnce(context: PipelineContext, asOf: number | null): Promise<ExitCode> {
  if (asOf !== null) refuseFutureFlag('--as-of', asOf, context);
  const to = asOf ?? nowSeconds(context);
  const last = lastTick(context.ledger.entries) ?? BEFORE_ALL;
  const interval = { from: Math.min(last, to - 1), to };
  return exitOf([
    await recordedRun(context, 'tick', { interval, gather: true, detect: 'late_rows', publish: true }),
  ]);
}

/** Runs the intervals missed since the last tick, oldest first; starts no further one once `isStopping` returns true. */
export async function catchUp(
  context: PipelineContext,
  isStopping: () => boolean = () => false,
): Promise<ExitCode> {
  const { tick_seconds: stepSeconds, catch_up_cap: cap } = context.settings;
  await checkedHistory(context);
  const last = lastTick(context.ledger.entries);
  const outcomes: RunOutcome[] = [];
  for (const interval of missedIntervals({ last, now: nowSeconds(context), stepSeconds, cap })) {
    if (isStopping()) break;
    outcomes.push(
      await recordedRun(context, 'tick', { interval, gather: true, detect: 'late_rows', publish: true }),
    );
  }
  return exitOf(outcomes);
}

export interface BackfillOptions {
  readonly from: number;
  readonly to: number;
  readonly step_seconds: number;
}

/** Steps through logical time; events are appended at each step, and the version is published with the last one. */
export async function backfill(
  context: PipelineContext,
  { from, to, step_seconds }: BackfillOptions,
): Promise<ExitCode> {
  refuseFutureFlag('--to', to, context);
  const outcomes: RunOutcome[] = [];
  for (const interval of steps({ from, to }, step_seconds)) {
    const publish = interval.to === to;
    outcomes.push(
      await recordedRun(context, 'backfill', { interval, gather: true, detect: 'interval', publish }),
    );
  }
  return exitOf(outcomes);
}

/** Computes everything from landing into a new warehouse. The event log is unchanged. */
export async function rebuild(context: PipelineContext): Promise<ExitCode> {
  const to = lastTick(context.ledger.entries) ?? 0;
  const interval = { from: to - 1, to };
  return exitOf([
    await recordedRun(context, 'rebuild', { interval, gather: false, detect: 'nothing', publish: true }),
  ]);
}

/** Checks quarantined rows again with the current mappings; rows that pass are landed and computed. */
export async function redrive(context: PipelineContext, batch: string | null): Promise<ExitCode> {
  const to = nowSeconds(context);
  const moment = { interval: { from: to - DAY_SECONDS, to }, fetchedAt: to };
  let landed = 0;
  for (const table of context.domains.flatMap((domain) => domain.raw)) {
    landed += await redriveTable(context, table, { batch, moment });
  }
  context.reporter.step('redriven', { rows_landed: landed });
  return landed === 0 ? EXIT.done : runOnce(context, null);
}

interface Redrive {
  readonly batch: string | null;
  readonly moment: {
    readonly interval: { readonly from: number; readonly to: number };
    readonly fetchedAt: number;
  };
}

/** Rows of a configured source are read with its current mapping; all other rows keep the mapping they were first read with. */
async function redriveTable(
  context: PipelineContext,
  table: RawTable,
  { batch, moment }: Redrive,
): Promise<number> {
  const request = { table, context: moment, ...(batch === null ? {} : { batch }) };
  const configured = context.sources.flatMap(({ facts, table: name, fields, constants }) =>
    name === table.name && fields !== undefined
      ? [{ source: facts.id, fields, ...(constants === undefined ? {} : { constants }) }]
      : [],
  );
  let landed = 0;
  for (const own of [...configured, {}]) {
    const receipts = await context.ingest.redrive({ ...request, ...own });
    landed += receipts.reduce((rows, { rows_landed }) => rows + rows_landed, 0);
  }
  return landed;
}
