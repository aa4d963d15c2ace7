// Memory of the process that runs: written and returned between the stages of a first run, and between runs.
import { causeAmong, DamagedWarehouseError, WarehouseLostError } from '../../engine/errors.ts';
import type { PipelineContext } from '../context.ts';
import type { Progress } from './progress.ts';
import { messageOf } from './report.ts';

/** Rows of which the first run leaves this much in memory before its next stage. */
const MAX_UNWRITTEN_IN_FIRST_BYTES = 64 * 1024 * 1024;

const FATAL_ERRORS = [DamagedWarehouseError, WarehouseLostError];

/** A failure is no failure of the run: what is damaged fails the next statement. @throws only for a warehouse that is damaged or lost */
export async function tidyMemory(
  { tidyMemory: tidy, reporter }: Pick<PipelineContext, 'tidyMemory' | 'reporter'>,
  maxUnwrittenBytes?: number,
): Promise<void> {
  try {
    await tidy?.(maxUnwrittenBytes);
  } catch (error) {
    if (causeAmong(error, FATAL_ERRORS) !== null) throw error;
    reporter.warn(`memory was not tidied: ${messageOf(error)}`);
  }
}

/**
 * Between the stages of a run that computes everything: the first one of a folder, even after a first look, or of a new warehouse. It adds as
 * much as many ticks, and would keep all of it in memory until it ends.
 */
export async function tidyIfFirst(
  context: Pick<PipelineContext, 'tidyMemory' | 'reporter' | 'ledger'>,
  { processedTo }: Pick<Progress, 'processedTo'>,
): Promise<void> {
  const hasRun = context.ledger.entries.some(({ state }) => state === 'succeeded' || state === 'partial');
  if (processedTo === null || !hasRun) await tidyMemory(context, MAX_UNWRITTEN_IN_FIRST_BYTES);
}
