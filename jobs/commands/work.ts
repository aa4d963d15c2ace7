// The commands that compute: run, backfill, rebuild, redrive. Each takes an open context and returns an exit code.

import { counted } from '../../platform/base/plural.ts';
import { DAY_S } from '../../platform/base/time.ts';
import { UsageError } from '../../platform/command-line/usage-error.ts';
import type { RawTable } from '../define/raw-table.ts';
import { BEFORE_ALL } from '../define/source.ts';
import { JOIN_FAULT } from '../ingest/read/where.ts';
import type { RefusedAgain } from '../ingest/write/redrive.ts';
import type { PipelineContext } from '../pipeline/context.ts';
import { futureText, isAhead } from '../pipeline/run/clock.ts';
import { lastTick } from '../pipeline/run/ledger.ts';
import { missedIntervals, steps } from '../pipeline/run/plan.ts';
import { checkedHistory, type RunOutcome } from '../pipeline/run/run.ts';
import { recordedRun } from '../pipeline/run/session.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';

const nowSeconds = ({ nowMs }: Pick<PipelineContext, 'nowMs'>) => Math.floor(nowMs() / 1000);
export const exitOf = (outcomes: readonly RunOutcome[]): ExitCode =>
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
  now: number = nowSeconds(context),
): Promise<ExitCode> {
  const { tick_seconds: stepSeconds, catch_up_cap: cap } = context.settings;
  await checkedHistory(context);
  const last = lastTick(context.ledger.entries);
  const outcomes: RunOutcome[] = [];
  for (const interval of missedIntervals({ last, now, stepSeconds, cap })) {
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
  const moment = { interval: { from: to - DAY_S, to }, fetchedAt: to };
  const refused = new Map<string, string>();
  let landed = 0;
  for (const table of context.domains.flatMap((domain) => domain.raw)) {
    landed += await redriveTable(context, table, { batch, moment, refused });
  }
  context.reporter.step('redriven', { rows_landed: landed, rows_still_refused: refused.size });
  if (refused.size > 0) context.reporter.warn(stillRefused(refused), { reasons: countsOf(refused.values()) });
  else if (landed === 0) context.reporter.step(nothingToRedrive(batch));
  return landed === 0 ? EXIT.done : runOnce(context, null);
}

const nothingToRedrive = (batch: string | null) =>
  `no refused row ${batch === null ? 'is in quarantine' : `of batch ${batch} is in quarantine; "quarantine list" names the batches`}`;

/** Says what helps: a record without its counterpart is not complete in quarantine. */
function stillRefused(refused: ReadonlyMap<string, string>): string {
  const joins = [...refused.values()].filter((reason) => reason.startsWith(JOIN_FAULT)).length;
  const others = refused.size - joins;
  return [
    ...(others === 0
      ? []
      : [`${counted(others, 'row')} still refused: correct the mapping, or deliver them again`]),
    ...(joins === 0
      ? []
      : [
          `${counted(joins, 'row')} without a counterpart: a redrive cannot land them, deliver both files again`,
        ]),
  ].join('; ');
}

function countsOf(reasons: Iterable<string>): { readonly [reason: string]: number } {
  const groups = Map.groupBy(reasons, (reason) => reason);
  return Object.fromEntries([...groups].map(([reason, all]) => [reason, all.length]));
}

/** Rows of a configured source are read with its current mapping; all other rows keep the mapping they were first read with. */
export async function redriveTable(
  context: PipelineContext,
  table: RawTable,
  {
    batch,
    moment,
    refused,
  }: {
    readonly batch: string | null;
    readonly moment: {
      readonly interval: { readonly from: number; readonly to: number };
      readonly fetchedAt: number;
    };
    /** The rows that stay in quarantine, and why. */
    readonly refused: Map<string, string>;
  },
): Promise<number> {
  const onRefused = ({ batch: own, record, reason }: RefusedAgain) => refused.set(`${own} ${record}`, reason);
  const request = { table, context: moment, onRefused, ...(batch === null ? {} : { batch }) };
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
