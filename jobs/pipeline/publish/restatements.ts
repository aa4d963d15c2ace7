// Finds what a run changes of days that have left the seven-day lists. What has to be compared is noted before anything is
// computed and forgotten when a version holds the result, so that no crash in between loses a correction.
import { isDeepStrictEqual } from 'node:util';
import type { DailyChange } from './daily-rows.ts';
import {
  changedDays,
  type Days,
  dailyDatasets,
  firstListedDay,
  listedDays,
  placeOf,
  prepareDailyRows,
  rememberCompared,
  rememberDays,
  rememberNewKeys,
} from './daily-rows.ts';
import { literal } from '../../engine/sql-text.ts';
import { DAY_SECONDS, type ModelWindow } from '../run/plan.ts';
import type { World } from '../context.ts';

type RestatingWorld = Pick<World, 'engine' | 'models' | 'domains'>;

export interface Restatements {
  readonly changes: readonly DailyChange[];
  readonly reason: string;
  /** After a version holds the changes, all but those of the datasets that it left out: what is now the truth about old days. */
  accept(leftOut: ReadonlySet<string>): Promise<void>;
}

interface Notes {
  /** Days before this one are remembered; null when none ever was. */
  readonly remembered_to: number | null;
  /** First of the days to compare; null when none is. */
  readonly compare_from: number | null;
  readonly reason: string;
}

/** Before computing: remembers the days that leave the lists as they were published, and notes which old days will be computed again. */
export async function noteRestatements(
  world: RestatingWorld,
  window: ModelWindow,
  { isPublished }: { readonly isPublished: boolean },
): Promise<void> {
  const notes = await readNotes(world);
  const listed = firstListedDay(window.now);
  let { remembered_to, compare_from, reason } = notes;
  if (remembered_to !== null && isPublished && remembered_to < listed) {
    await rememberAll(world, { from: remembered_to, to: listed });
    remembered_to = listed;
  }
  if (remembered_to !== null && window.start < Math.min(remembered_to, listed)) {
    compare_from = Math.min(compare_from ?? window.start, window.start);
    reason = reason === '' ? await reasonOf(world, listed) : reason;
  }
  await writeNotes(world, notes, { remembered_to, compare_from, reason });
}

/** After computing: what is other than it was published. */
export async function findRestatements(world: RestatingWorld, now: number): Promise<Restatements> {
  const notes = await readNotes(world);
  const days: Days = { from: notes.compare_from ?? 0, to: notes.remembered_to ?? 0 };
  const isDue = notes.compare_from !== null && days.from < days.to;
  const changes: DailyChange[] = [];
  const changed = new Set<string>();
  for (const dataset of isDue ? dailyDatasets(world) : []) {
    const found = await changedDays(world, dataset, days);
    if (found.length > 0) changed.add(dataset.id);
    // What the list itself shows is no correction yet.
    const listed = await listedDays(world, dataset, days);
    changes.push(...found.filter((change) => !listed.has(placeOf(change))));
  }
  const accept = (leftOut: ReadonlySet<string>) => acceptAll(world, { notes, days, changed, leftOut, now });
  return { changes, reason: notes.reason, accept };
}

interface Acceptance {
  readonly notes: Notes;
  readonly days: Days;
  /** Datasets with days that are other than remembered, in their lists or out of them. */
  readonly changed: ReadonlySet<string>;
  readonly leftOut: ReadonlySet<string>;
  readonly now: number;
}

async function acceptAll(
  world: RestatingWorld,
  { notes, days, changed, leftOut, now }: Acceptance,
): Promise<void> {
  const listed = firstListedDay(now);
  // A list that ends with yesterday holds a day before the others; what is remembered of a key begins with it.
  const before = { from: listed - DAY_SECONDS, to: listed };
  for (const dataset of dailyDatasets(world).filter(({ id }) => !leftOut.has(id))) {
    if (changed.has(dataset.id)) await rememberCompared(world, dataset, days);
    await rememberNewKeys(world, dataset, before);
  }
  const from = notes.remembered_to ?? listed;
  await rememberAll(world, { from, to: listed });
  const isOpen = [...changed].some((id) => leftOut.has(id));
  const { compare_from, reason } = isOpen ? notes : { compare_from: null, reason: '' };
  await writeNotes(world, notes, { remembered_to: Math.max(from, listed), compare_from, reason });
}

async function rememberAll(world: RestatingWorld, days: Days): Promise<void> {
  for (const dataset of dailyDatasets(world)) await rememberDays(world, dataset, days);
}

/** Which tables got rows of old days; when none did, what is computed from them is other than before. */
async function reasonOf({ engine }: RestatingWorld, listed: number): Promise<string> {
  const late = await engine.rows(
    `select distinct table_name from meta.absorbed where not is_settled and first_time < ${listed} order by table_name`,
  );
  return late.length === 0
    ? 'the models or the policy changed'
    : `rows came late: ${late.map((row) => row['table_name']).join(', ')}`;
}

async function readNotes(world: RestatingWorld): Promise<Notes> {
  await prepareDailyRows(world);
  await world.engine.execute(
    'create table if not exists meta.restatement (remembered_to bigint, compare_from bigint, reason varchar)',
  );
  const [row] = await world.engine.rows('select remembered_to, compare_from, reason from meta.restatement');
  const seconds = (value: unknown) => (typeof value === 'number' ? value : null);
  return {
    remembered_to: seconds(row?.['remembered_to']),
    compare_from: seconds(row?.['compare_from']),
    reason: String(row?.['reason'] ?? ''),
  };
}

async function writeNotes({ engine }: RestatingWorld, before: Notes, now: Notes): Promise<void> {
  if (isDeepStrictEqual(before, now)) return;
  const { remembered_to, compare_from, reason } = now;
  await engine.transaction(async () => {
    await engine.execute('delete from meta.restatement');
    await engine.execute(
      `insert into meta.restatement values (${remembered_to}, ${compare_from}, ${literal(reason)})`,
    );
  });
}
