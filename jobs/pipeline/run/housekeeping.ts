// Keeps a long-running folder small: compacts the landed files of closed days, and removes versions and recordings past their retention
// time and leftovers of crashes.
import { dayOf, HOUR_S } from '../../../platform/base/time.ts';
import { collectGarbage } from '../../../snapshots/gc.ts';
import type { Interval } from '../../define/source.ts';
import type { PipelineContext } from '../context.ts';

const READER_LEASE_MS = 10 * 60_000;

/** Cheap to call after every run: works once an hour, and compacts once a day. */
export async function cleanUp(context: PipelineContext, { from, to }: Interval): Promise<void> {
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

async function compactClosedDays(
  { domains, ingest, reporter }: PipelineContext,
  today: number,
): Promise<void> {
  for (const table of domains.flatMap((domain) => domain.raw)) {
    const days = ingest.receipts(table.name).map(({ interval }) => dayOf(interval.to));
    for (const day of new Set(days.filter((one) => one < today))) {
      const made = await ingest.compact(table, new Date(day * 1000).toISOString().slice(0, 10));
      if (made.length > 0) reporter.step('compacted a day', { table: table.name, day, files: made.length });
    }
  }
}
