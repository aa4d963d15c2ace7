// What holds whatever is delivered: what a gate names has no row, no new point, no condition, no event and no page, and nothing changes
// for the others.
import { expect } from 'vitest';
import { columnsOf, fieldsOf } from '../../../../jobs/define/subject.ts';
import type { Subject } from '../../../../jobs/pipeline/gate/subjects.ts';
import { domains } from '../../../../jobs/registry.ts';
import type { Json } from '../../../../platform/base/json.ts';
import type { Document } from '../../../../snapshots/layout.ts';
import type { FileRow } from '../../../support/file-world.ts';
import { type LoggedEvent, withoutIds } from '../../../support/pipeline-world.ts';
import { seededRandom } from '../../../support/seeded-random.ts';
import { FIRST_RUN, soundDeliveries } from './demo-deliveries.ts';
import { checkMirror, type HeldSubject } from './held-mirror.ts';
import { type Moment, type Outcome, outcomeOf, type SeriesLine, subjectsOn } from './mutated-world.ts';
import { MUTATIONS, type Mutation, ODD_TEXT, OTHER_NAME } from './mutations.ts';
import type { SubjectRows } from './subject-rows.ts';

export interface Round {
  readonly seed: number;
  readonly mutation: Mutation;
  readonly moment: Moment;
  /** Position of the delivery that is changed. */
  readonly index: number;
  readonly words: string;
}

/** One world in so many begins in an empty folder. */
const FIRST_RUNS = 24;
/** One world in so many is also exported as a mirror. */
const MIRRORS = 10;
/** Of no single subject, or of when versions were published: the gate names what is held back among their inputs. */
const TOTALS = new Set<string>([
  ...domains.flatMap(({ datasets }) =>
    datasets.filter(({ subject }) => 'none' in subject).map(({ id }) => id),
  ),
  'status-history',
  'coverage-history',
  // Scores are relative to all repositories.
  ...['development-scores', 'development-blockchains', 'development-protocols'],
]);

/** Every table and mutation comes up as often as the others, in an order that the seed decides. */
export async function roundOf(seed: number): Promise<Round> {
  const deliveries = await soundDeliveries();
  const tables = [...new Set(deliveries.map(({ table }) => table.name))];
  const mutation = MUTATIONS[seed % MUTATIONS.length];
  const name = tables[(seed + Math.floor(seed / MUTATIONS.length)) % tables.length];
  const roll = seededRandom(seed);
  const own = deliveries.flatMap(({ table }, index) => (table.name === name ? [index] : []));
  const index = own[Math.floor(roll() * own.length)];
  if (mutation === undefined || index === undefined) throw new Error(`there is no world ${seed}`);
  const moment = seed % FIRST_RUNS === 0 ? 'first run' : 'second run';
  const subject = [...(deliveries[index]?.subject.values() ?? [])].join(' ');
  return {
    seed,
    mutation,
    moment,
    index,
    words: `seed ${seed}: ${mutation.name} in ${name} of ${subject}, ${moment}`,
  };
}

const soundOutcomes = new Map<string, Promise<Outcome>>();

/** The first run delivers all tables, the second one more rows of one table. */
function soundOutcome(moment: Moment, table: string): Promise<Outcome> {
  const name = moment === 'first run' ? moment : table;
  const outcome = soundOutcomes.get(name) ?? outcomeOf({ moment, table });
  soundOutcomes.set(name, outcome);
  return outcome;
}

/** Resolves to whether anything was held back. */
export async function checkRound({ seed, mutation, moment, index, words }: Round): Promise<boolean> {
  const sound = (await soundDeliveries())[index];
  if (sound === undefined) throw new Error(`there is no delivery ${index}`);
  const table = sound.table.name;
  const before = await soundOutcome(moment, table);
  expect(before.manifest, 'the sound world').not.toHaveProperty('held_subjects');
  const rows = rowsFor(sound, moment);
  const delivery = mutation.of({ rows, table: sound.table, roll: seededRandom(seed + 1) });
  const after = await outcomeOf({ moment, table }, { index, delivery }, async ({ dir }, outcome) => {
    const columnsOfDataset = (id: string) => Object.values(columnsOf(datasetOf(id).subject));
    if (seed % MIRRORS === 0) await checkMirror(dir, heldIn(outcome), { columnsOf: columnsOfDataset, words });
  });
  expect([0, 4], words).toContain(after.code);
  const subjects = await subjectsOn(index);
  const checked = { before, after, subjects, summaries: summariesOf(rows), words, moment };
  checkHeld(checked);
  // Rows that cannot be read name no subject: all that is built from their table is held back.
  const isNameless = heldIn(after).some(({ subject }) => subject === null);
  if (!isNameless) checkOthers(checked);
  const isRedelivered = sound.later.length === 0 && moment === 'second run';
  if (mutation.isSame === true && !isRedelivered) checkSame(checked);
  return (after.manifest.held_subjects?.total ?? 0) > 0;
}

/** What arrives late about a subject; a registry without news is delivered again, at a later time. */
function rowsFor({ earlier, later, table }: SubjectRows, moment: Moment): readonly FileRow[] {
  if (moment === 'first run') return earlier;
  if (later.length > 0) return later;
  return earlier.map((row) =>
    typeof row[table.time] === 'number' ? { ...row, [table.time]: FIRST_RUN + 3_600 } : row,
  );
}

interface Checked {
  readonly before: Outcome;
  readonly after: Outcome;
  /** The subject of the wrong delivery first, then all that rest on it. */
  readonly subjects: readonly Subject[];
  /** Keys of documents of `coverage` that sum up the changed subject and others. */
  readonly summaries: ReadonlySet<string>;
  readonly words: string;
  readonly moment: Moment;
}

/** The coverage of a protocol follows the latest row of any of its vaults and markets. */
const summariesOf = (rows: readonly FileRow[]): ReadonlySet<string> =>
  new Set(rows.map(({ chain, protocol }) => `${chain}|protocol|${protocol}`));

const heldIn = ({ manifest }: Outcome): readonly HeldSubject[] =>
  (manifest.held_subjects?.list ?? []).map(({ dataset, subject }) => ({
    dataset,
    subject: subject === '*' ? null : subject,
  }));

function checkHeld({ after, words, moment }: Checked): void {
  const held = heldIn(after);
  expect(after.manifest.held_subjects?.total ?? 0, `${words}: all are listed`).toBe(held.length);
  if (held.length > 0) expect(after.code, words).toBe(4);
  for (const { dataset, subject } of held) {
    const own = after.documents.get(dataset) ?? [];
    const about = `${words}: ${dataset} of ${subject ?? 'all'}`;
    if (subject === null) {
      if (moment === 'first run') expect(own, about).toEqual([]);
      continue;
    }
    if (dataset !== 'conditions') expect(subjectsIn(dataset, own), about).not.toContain(subject);
    expect(newPoints(after, { dataset, subject, moment }), about).toEqual([]);
    checkEvents(after, { dataset, subject, about });
  }
}

interface HeldPoints {
  readonly dataset: string;
  readonly subject: string;
  readonly moment: Moment;
}

/** Times of points that the run added to the history of a subject. */
const newPoints = ({ points }: Outcome, { dataset, subject, moment }: HeldPoints): readonly number[] =>
  (points.get(dataset) ?? [])
    .flat()
    .filter(({ resolution }) => resolution === 'raw')
    .filter(({ key }) => subjectsIn(dataset, [{ key, value: {} }]).includes(subject))
    .flatMap(({ t }) => t.filter((at) => moment === 'first run' || at > FIRST_RUN));

interface HeldEvents {
  readonly dataset: string;
  readonly subject: string;
  readonly about: string;
}

/** A held subject that its dataset names whole has no new event of its family, and no condition. */
function checkEvents(after: Outcome, { dataset, subject, about }: HeldEvents): void {
  const domain = domains.find(({ datasets }) => datasets.some(({ id }) => id === dataset));
  const fields = Object.keys(columnsOf(datasetOf(dataset).subject));
  const values = subject.split(' ');
  if (domain === undefined || fields.length !== values.length || fields.length === 0) return;
  const ids = domain.detectors.flatMap((one) => ('everything' in one.subject ? [] : one.subject));
  const patterns = ids
    .filter((id) => fieldsOf(id).every((field) => fields.includes(field)))
    .map((id) =>
      id.replaceAll(/\{(\w+)\}/g, (_, field) => values[fields.indexOf(field)] ?? '').replaceAll('|', ':'),
    );
  const isAbout = (id: string) =>
    patterns.some((pattern) =>
      pattern.endsWith('*') ? id.startsWith(pattern.slice(0, -1)) : id === pattern,
    );
  const since = new Date(FIRST_RUN * 1000).toISOString();
  const events = after.events.filter(({ value }) => value.ts > since && isAbout(value.subject_id));
  expect(
    events.map(({ key }) => key),
    `${about}: events`,
  ).toEqual([]);
  const conditions = (after.documents.get('conditions') ?? []).filter(({ value }) =>
    isAbout(String((value as { subject_id?: string }).subject_id)),
  );
  expect(
    conditions.map(({ key }) => key),
    `${about}: conditions`,
  ).toEqual([]);
}

/** Ids depend on all events of a log. */
const withoutEventIds = (text: string): string => text.replaceAll(/01[0-9A-HJKMNP-TV-Z]{24}/g, 'id');

/** Rows, points and events that do not name the changed subject or what rests on it are the same as without the change. */
function checkOthers({ before, after, subjects, summaries, words }: Checked): void {
  // Some names are put together: `<chain>|<protocol>|<part>`, with missing parts empty.
  const named = subjects.map((subject) =>
    [...subject.values()].flatMap((value) =>
      value
        .toLowerCase()
        .split('|')
        .filter((part) => part !== ''),
    ),
  );
  const isOther = (text: string): boolean => {
    const lower = text.toLowerCase();
    if (
      lower.includes(OTHER_NAME) ||
      text.includes(JSON.stringify(ODD_TEXT).slice(1, -1)) ||
      text.includes('dataset.gate|')
    )
      return false;
    return !named.some((parts) => parts.every((part) => lower.includes(part)));
  };
  const differences: string[] = [];
  const compare = (what: string, old: readonly string[], current: readonly string[]) => {
    const [was, is] = [new Set(old.filter(isOther)), new Set(current.filter(isOther))];
    for (const text of was.difference(is)) differences.push(`${what} lacks ${text.slice(0, 400)}`);
    for (const text of is.difference(was)) differences.push(`${what} has ${text.slice(0, 400)}`);
  };
  for (const id of new Set([...before.documents.keys(), ...after.documents.keys()])) {
    const [was, is] = [before.documents.get(id), after.documents.get(id)];
    if (TOTALS.has(id)) continue;
    const others = (documents: readonly Document[] = []) =>
      id === 'coverage' ? documents.filter(({ key }) => !summaries.has(key)) : documents;
    if (was !== is) compare(id, rowTexts(others(was)), rowTexts(others(is)));
    const [parts, current] = [new Set(before.points.get(id)), new Set(after.points.get(id))];
    const texts = (all: ReadonlySet<readonly SeriesLine[]>) => [...all].flat().map(({ text }) => text);
    compare(`history of ${id}`, texts(parts.difference(current)), texts(current.difference(parts)));
  }
  compare('event log', eventTexts(before.events), eventTexts(after.events));
  expect(differences.length, `${words}:\n${differences.slice(0, 6).join('\n')}`).toBe(0);
}

const rowTexts = (documents: readonly Document[] = []): readonly string[] =>
  documents.flatMap(({ key, value }) =>
    (Array.isArray(value) ? (value as readonly Json[]) : [value]).map((row) =>
      withoutEventIds(JSON.stringify([key, row], withoutReach)),
    ),
  );

/** The reach of a condition follows what is published of others. */
const withoutReach = (name: string, value: unknown): unknown => (name === 'reach' ? undefined : value);

const eventTexts = (events: readonly LoggedEvent[]): readonly string[] =>
  withoutIds(events).map((one) => withoutEventIds(JSON.stringify(one)));

function checkSame({ before, after, words }: Checked): void {
  for (const [id, documents] of before.documents)
    if (id !== 'conditions' && !TOTALS.has(id))
      expect(rowTexts(after.documents.get(id)), `${words}: ${id}`).toEqual(rowTexts(documents));
  expect(eventTexts(after.events), words).toEqual(eventTexts(before.events));
}

function datasetOf(id: string) {
  const dataset = domains.flatMap(({ datasets }) => [...datasets]).find((one) => one.id === id);
  if (dataset === undefined) throw new Error(`there is no dataset ${id}`);
  return dataset;
}

/** Subjects of a dataset's documents, written as manifests write them. */
function subjectsIn(id: string, documents: readonly Document[]): readonly string[] {
  const { key: keyColumns, separator, subject } = datasetOf(id);
  const columns = Object.values(columnsOf(subject));
  return documents.flatMap(({ key, value }) => {
    const parts = key.split(separator);
    const rows = (Array.isArray(value) ? value : [value]) as readonly FileRow[];
    return rows.map((row) =>
      columns
        .map((column) => (keyColumns.includes(column) ? parts[keyColumns.indexOf(column)] : row[column]))
        .join(' '),
    );
  });
}
