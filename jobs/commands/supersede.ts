// The commands `reland` and `drop`: take back the rows that a source has landed, and land it again or leave it out.
import { counted } from '../../platform/base/plural.ts';
import { CONFLICT_STORED } from '../ingest/check/dedupe.ts';
import type { PipelineContext } from '../pipeline/context.ts';
import { absorbLanded } from '../pipeline/run/compute.ts';
import { lastTick } from '../pipeline/run/ledger.ts';
import { checkedHistory, type RunOptions } from '../pipeline/run/run.ts';
import { recordedRun } from '../pipeline/run/session.ts';
import { type RowCounts, type SupersedeRequest, withSupersession } from '../pipeline/undo/supersede.ts';
import { eventsFound } from '../pipeline/undo/superseded-events.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { exitOf, redriveTable } from './work.ts';

export interface SupersedeCommand extends SupersedeRequest {
  readonly isDryRun: boolean;
}

/**
 * Computes and corrects events up to the last tick, before and after. What was found with the old rows is recorded with the change, so a
 * later run can finish it if this one is interrupted.
 */
export async function supersede(
  context: PipelineContext,
  command: SupersedeCommand,
  print: (line: string) => void,
): Promise<ExitCode> {
  const { kind, source, isDryRun } = command;
  const tick = lastTick(context.ledger.entries);
  const now = tick ?? Math.floor(context.nowMs() / 1000);
  const again: RunOptions = {
    interval: { from: now - 1, to: now },
    gather: false,
    detect: 'late_rows',
    publish: true,
  };
  if (tick !== null && !isDryRun)
    await recordedRun(context, kind, again, `${kind}: up to date before the change`);
  const tables = await withSupersession(context, { ...command, now }, async (change) => {
    print(`${source}: ${countsText(change.counts)}`);
    if (isDryRun || !change.isChange) return null;
    const { head } = await checkedHistory(context);
    const log = { segments: () => head?.events.segments ?? [] };
    const reach = { tables: change.tables, from: change.from, now };
    await change.commit(tick === null ? [] : await eventsFound(context, log, reach));
    return change.tables;
  });
  if (tables === null) {
    print(isDryRun ? 'Nothing was written.' : 'Nothing is different: nothing was changed.');
    return EXIT.done;
  }
  await redriveConflicts(context, { source, tables, now });
  if (tick !== null) return exitOf([await recordedRun(context, kind, again)]);
  print(`To compute and publish: ${context.commandFor('run')}`);
  return EXIT.done;
}

const countsText = ({ added, superseded, unchanged, refused }: RowCounts): string =>
  `${counted(added, 'row')} added, ${superseded} superseded, ${unchanged} unchanged, ${refused} refused`;

/** Rows of other sources that were refused because they contradicted the superseded ones are checked again. */
async function redriveConflicts(
  context: PipelineContext,
  {
    source,
    tables,
    now,
  }: { readonly source: string; readonly tables: readonly string[]; readonly now: number },
): Promise<void> {
  const raw = context.domains.flatMap((domain) => domain.raw).filter(({ name }) => tables.includes(name));
  const isRefused = (table: string) =>
    context.ingest
      .receipts(table)
      .some((receipt) => receipt.source.id !== source && receipt.reasons[CONFLICT_STORED] !== undefined);
  const waiting = raw.filter(({ name }) => isRefused(name));
  if (waiting.length === 0) return;
  await absorbLanded({ ...context, landing: context.ingest });
  const moment = { interval: { from: now - 1, to: now }, fetchedAt: Math.floor(context.nowMs() / 1000) };
  for (const table of waiting)
    await redriveTable(context, table, { batch: null, moment, refused: new Map() });
}
