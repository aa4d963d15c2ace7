// Runs, recorded in the ledger: one entry when a run starts and one when it ends, successfully or not.
import { dayOf, HOUR_S } from '../../../platform/base/time.ts';
import { collectGarbage } from '../../../snapshots/gc.ts';
import type { Interval } from '../../define/source.ts';
import type { Receipt } from '../../ingest/receipts/receipt.ts';
import type { PipelineContext } from '../context.ts';
import type { LedgerEntry } from './ledger-line.ts';
import { messageOf } from './report.ts';
import { type RunOptions, type RunOutcome, run } from './run.ts';

const isoNow = ({ nowMs }: Pick<PipelineContext, 'nowMs'>) => new Date(nowMs()).toISOString();

/** Runs once, with a ledger entry before and after. A failure is recorded and rethrown. `done`: how the end of the run is reported. */
export async function recordedRun(
  context: PipelineContext,
  job: LedgerEntry['job'],
  options: RunOptions,
  done = `${job} done`,
): Promise<RunOutcome> {
  const { ledger, reporter } = context;
  const { interval } = options;
  const attempt = ledger.attempts(job, interval) + 1;
  const entry = { run: `${job}:${interval.from}:${interval.to}:${attempt}`, job, interval, attempt };
  await ledger.append({ ...entry, state: 'started', at: isoNow(context) });
  const startedMs = context.nowMs();
  try {
    const outcome = withLedgerFaults(context, await run(context, options));
    await ledger.append({ ...entry, at: isoNow(context), ...closing(outcome) });
    await cleanUp(context, interval);
    const { version, events_appended, lost } = outcome;
    reporter.step(done, {
      to: interval.to,
      version,
      events_appended,
      ...lost,
      ms: context.nowMs() - startedMs,
    });
    return outcome;
  } catch (error) {
    await recordFailure(context, {
      ...entry,
      state: 'failed',
      at: isoNow(context),
      reasons: [messageOf(error)],
    });
    throw error;
  }
}

/** The run failed for its own reason, which must not be hidden by that of a disk on which the failure cannot be recorded. */
async function recordFailure({ ledger, reporter }: PipelineContext, entry: LedgerEntry): Promise<void> {
  try {
    await ledger.append(entry);
  } catch (error) {
    reporter.error(`the failure of the run cannot be recorded: ${messageOf(error)}`);
  }
}

/** Every run reports an unreadable ledger line until it is repaired. */
const withLedgerFaults = ({ ledger, reporter }: PipelineContext, outcome: RunOutcome): RunOutcome => {
  for (const fault of ledger.faults) reporter.error(fault);
  return { ...outcome, problems: [...outcome.problems, ...ledger.faults] };
};

type RunSummary = Pick<
  LedgerEntry,
  'state' | 'input_hashes' | 'output_version' | 'rows' | 'events_appended' | 'reasons' | 'repaired'
>;

function closing({ version, events_appended, gathered, problems, repaired }: RunOutcome): RunSummary {
  const fresh = gathered.receipts.filter(({ repeated }) => repeated !== true);
  const sum = (count: (receipt: (typeof fresh)[number]) => number) =>
    fresh.reduce((total, receipt) => total + count(receipt), 0);
  return {
    state: problems.length === 0 ? 'succeeded' : 'partial',
    input_hashes: fresh.map(({ content_hash }) => content_hash),
    output_version: version,
    rows: {
      in: sum(({ rows_in }) => rows_in),
      landed: sum(({ rows_landed }) => rows_landed),
      quarantined: sum(({ rows_quarantined }) => rows_quarantined),
      deduplicated: sum(({ rows_deduplicated }) => rows_deduplicated),
      ...(fresh.some(({ rows_filtered }) => rows_filtered !== undefined)
        ? { filtered: sum(({ rows_filtered = 0 }) => rows_filtered) }
        : {}),
    },
    events_appended,
    reasons: problems,
    ...(repaired.length === 0 ? {} : { repaired }),
  };
}

// Keeps a long-running folder small: compacts the landed files of closed days, and removes versions and recordings past their retention
// time and leftovers of crashes.

const READER_LEASE_MS = 10 * 60_000;

/** Cheap to call after every run: works once an hour, and compacts once a day. */
async function cleanUp(context: PipelineContext, { from, to }: Interval): Promise<void> {
  if (Math.floor(from / HOUR_S) === Math.floor(to / HOUR_S)) return;
  await collect(context);
  await context.tidyRecordings?.();
  if (dayOf(from) === dayOf(to)) return;
  await compactClosedDays(context, dayOf(to));
  const objects = (await context.collectUnnamed?.()) ?? 0;
  if (objects > 0) context.reporter.step('removed leftovers of crashes from DATA_STORE', { objects });
}

async function collect({
  snapshots,
  claim,
  manifests,
  settings,
  nowMs,
  reporter,
}: PipelineContext): Promise<void> {
  const keepMs = settings.snapshot_keep_hours * HOUR_S * 1000;
  const retention = {
    nowMs: nowMs(),
    keepMs,
    keepDays: settings.snapshot_keep_days,
    leaseTtlMs: READER_LEASE_MS,
  };
  const { removed } = await collectGarbage(snapshots, retention, { claim, manifests });
  if (removed.length > 0) reporter.step('collected old versions', { files: removed.length });
}

/** Days before `today` for which a source has more than one batch. */
function daysToCompact(receipts: readonly Receipt[], today: number): ReadonlySet<number> {
  const seen = new Set<string>();
  const days = new Set<number>();
  for (const { interval, source } of receipts) {
    const day = dayOf(interval.to);
    const name = `${day} ${source.id}`;
    if (day < today && seen.has(name)) days.add(day);
    seen.add(name);
  }
  return days;
}

async function compactClosedDays(
  { domains, ingest, reporter }: PipelineContext,
  today: number,
): Promise<void> {
  for (const table of domains.flatMap((domain) => domain.raw)) {
    for (const day of daysToCompact(ingest.receipts(table.name), today)) {
      const made = await ingest.compact(table, new Date(day * 1000).toISOString().slice(0, 10));
      if (made.length > 0) reporter.step('compacted a day', { table: table.name, day, files: made.length });
    }
  }
}
