// Finds changes that a run makes to days that have left the seven-day lists. The days to compare are noted before anything is computed
// and cleared once a version holds the result, so that a crash in between loses no correction.
import { isDeepStrictEqual } from 'node:util';
import { DAY_S } from '../../../platform/base/time.ts';
import {
  type DailyChange,
  changedDays,
  type Days,
  dailyDatasets,
  listedDays,
  positionOf,
  prepareDailyRows,
  rememberCompared,
  rememberDays,
  rememberNewKeys,
} from './daily-rows.ts';
import { type Dataset, firstListedDay } from '../../define/dataset.ts';
import type { Parameters } from '../../engine/parameters.ts';
import { NO_NEEDS, NO_TIME_USE, type TimeUse } from '../../incremental/dependencies.ts';
import type { StateTable } from '../../engine/warehouse.ts';
import { readReopening } from '../undo/remove-superseded.ts';
import type { PipelineContext } from '../context.ts';

type RestatementContext = Pick<PipelineContext, 'warehouse' | 'models' | 'domains' | 'results'>;

export interface Restatements {
  readonly changes: readonly DailyChange[];
  readonly reason: string;
  /** Must be called once a version holds the changes. Remembers the new rows of old days, except for datasets that the version left out. */
  accept(leftOut: ReadonlySet<string>): Promise<void>;
}

const NOTES: StateTable = {
  name: 'meta.restatement',
  columns: [
    { name: 'remembered_to', type: 'BIGINT' },
    { name: 'compare_from', type: 'BIGINT' },
    { name: 'reason', type: 'VARCHAR' },
  ],
};

interface Notes {
  /** Days before this one are remembered; null when none are. */
  readonly remembered_to: number | null;
  /** First day to compare; null when there is nothing to compare. */
  readonly compare_from: number | null;
  readonly reason: string;
}

/** Before computing: remembers the published rows of days that leave the lists, and notes which old days will be recomputed. */
export async function noteRestatements(
  context: RestatementContext,
  window: Pick<Parameters, 'start' | 'now'>,
  { isPublished }: { readonly isPublished: boolean },
): Promise<void> {
  const notes = await readNotes(context);
  const listed = firstListedDay(window.now);
  let { remembered_to, compare_from, reason } = notes;
  if (remembered_to !== null && isPublished && remembered_to < listed) {
    await rememberAll(context, { from: remembered_to, to: listed });
    remembered_to = listed;
  }
  if (remembered_to !== null && window.start < Math.min(remembered_to, listed)) {
    compare_from = Math.min(compare_from ?? window.start, window.start);
    reason = reason === '' ? await reasonOf(context, listed) : reason;
  }
  await writeNotes(context, notes, { remembered_to, compare_from, reason });
}

/** After computing: finds what differs from what was published. */
export async function findRestatements(context: RestatementContext, now: number): Promise<Restatements> {
  const notes = await readNotes(context);
  const days: Days = { from: notes.compare_from ?? 0, to: notes.remembered_to ?? 0 };
  const isDue = notes.compare_from !== null && days.from < days.to;
  const changes: DailyChange[] = [];
  const changed = new Set<string>();
  for (const dataset of isDue ? dailyDatasets(context) : []) {
    const found = await changedDays(context, dataset, days);
    if (found.length > 0) changed.add(dataset.id);
    // Changes to days that are still in the list are not corrections.
    const listed = await listedDays(context, dataset, days);
    changes.push(...found.filter((change) => !listed.has(positionOf(change))));
  }
  const accept = (leftOut: ReadonlySet<string>) => acceptAll(context, { notes, days, changed, leftOut, now });
  return { changes, reason: notes.reason, accept };
}

interface Acceptance {
  readonly notes: Notes;
  readonly days: Days;
  /** Datasets with days that differ from what was remembered, whether listed or not. */
  readonly changed: ReadonlySet<string>;
  readonly leftOut: ReadonlySet<string>;
  readonly now: number;
}

async function acceptAll(
  context: RestatementContext,
  { notes, days, changed, leftOut, now }: Acceptance,
): Promise<void> {
  const listed = firstListedDay(now);
  // A list that ends with yesterday starts a day before the others; a key's remembered days start there.
  const before = { from: listed - DAY_S, to: listed };
  for (const dataset of dailyDatasets(context).filter(({ id }) => !leftOut.has(id))) {
    if (changed.has(dataset.id)) await rememberCompared(context, dataset, days);
    await rememberListed(context, dataset, { before, isCompared: changed.has(dataset.id) });
  }
  const from = notes.remembered_to ?? listed;
  await rememberAll(context, { from, to: listed });
  const isOpen = [...changed].some((id) => leftOut.has(id));
  const { compare_from, reason } = isOpen ? notes : { compare_from: null, reason: '' };
  await writeNotes(context, notes, { remembered_to: Math.max(from, listed), compare_from, reason });
}

/** There is no new key while the table and the days are unchanged and no remembered row was replaced. */
async function rememberListed(
  context: RestatementContext,
  dataset: Dataset,
  { before, isCompared }: { readonly before: Days; readonly isCompared: boolean },
): Promise<void> {
  const remember = () => rememberNewKeys(context, dataset, before);
  if (isCompared) return remember();
  const parameters = { start: before.from, end: before.to, now: before.to };
  const times: TimeUse = { ...NO_TIME_USE, terms: ['start', 'end'] };
  const name = `remembered keys of ${dataset.id}`;
  await context.results.keep({ name, reads: [dataset.table], times, needs: NO_NEEDS, parameters }, remember);
}

async function rememberAll(context: RestatementContext, days: Days): Promise<void> {
  for (const dataset of dailyDatasets(context)) await rememberDays(context, dataset, days);
}

/** What was undone, or the tables that received rows of old days; if neither, the models or the policy changed. */
async function reasonOf({ warehouse }: RestatementContext, listed: number): Promise<string> {
  const reopening = await readReopening(warehouse);
  if (reopening !== null && reopening.reason !== '') return reopening.reason;
  const late = await warehouse.absorbed.lateModels(listed);
  return late.length === 0 ? 'the models or the policy changed' : `rows came late: ${late.join(', ')}`;
}

async function readNotes(context: RestatementContext): Promise<Notes> {
  const { state } = context.warehouse;
  await prepareDailyRows(context);
  await state.prepare(NOTES);
  const [row] = await state.rows('select remembered_to, compare_from, reason from meta.restatement');
  const seconds = (value: unknown) => (typeof value === 'number' ? value : null);
  return {
    remembered_to: seconds(row?.['remembered_to']),
    compare_from: seconds(row?.['compare_from']),
    reason: String(row?.['reason'] ?? ''),
  };
}

async function writeNotes({ warehouse }: RestatementContext, before: Notes, now: Notes): Promise<void> {
  if (!isDeepStrictEqual(before, now)) await warehouse.state.replace(NOTES, [{ ...now }]);
}
