// What holds whatever is delivered: what a gate names has no row, no condition and no event, and nothing changes for the others.
import { expect } from 'vitest';
import type { Document } from '../../../../snapshots/layout.ts';
import { linesOf } from '../../../support/file-world.ts';
import { seededRandom } from '../../../support/seeded-random.ts';
import {
  filesOf,
  MUTATIONS,
  type Mutation,
  type Outcome,
  outcomeOf,
  soundWorld,
  subjectsIn,
  type Deliveries,
} from './mutated-world.ts';

/** Texts that mark what is about a subject, or rests on it. */
const RESTING: Readonly<Record<string, readonly string[]>> = {
  USDC: ['USDC', '0xusdc', '0xm1'],
  DAI: ['DAI', '0xdai', '0xm2'],
  USDT: ['USDT', '0xusdt', '0xm3'],
  FRAX: ['FRAX', '0xfrax'],
};
/** The coverage of a protocol is that of its markets. */
const marksOf = (subject: string): readonly string[] => [...(RESTING[subject] ?? [subject]), '|protocol|'];

/** Ids depend on all events of a log. */
const withoutEventIds = (text: string): string => text.replaceAll(/01[0-9A-HJKMNP-TV-Z]{24}/g, 'id');

/** About no single subject, or about all of them: the gate names what is held back among their inputs. */
const TOTALS = new Set(['manifest-summary']);

export interface Round {
  readonly seed: number;
  readonly mutation: Mutation;
}

export const roundOf = (seed: number): Round => {
  const mutation = MUTATIONS[seed % MUTATIONS.length];
  if (mutation === undefined) throw new Error('there are no mutations');
  return { seed, mutation };
};

const clean = new Map<number, Promise<Outcome>>();
const WORLDS = 4;

/** Few sound worlds, each with many mutations. */
function soundOutcome(seed: number): { readonly world: Deliveries; readonly outcome: Promise<Outcome> } {
  const world = soundWorld(seededRandom(seed % WORLDS));
  const outcome = clean.get(seed % WORLDS) ?? outcomeOf(filesOf(world));
  clean.set(seed % WORLDS, outcome);
  return { world, outcome };
}

export async function checkRound({ seed, mutation }: Round): Promise<void> {
  const roll = seededRandom(seed);
  const { world, outcome } = soundOutcome(seed);
  const before = await outcome;
  expect(before.manifest).not.toHaveProperty('held_subjects');
  const tables = [...world.keys()];
  const table = tables[Math.floor(roll() * tables.length)] ?? '';
  const subjects = [...(world.get(table)?.keys() ?? [])];
  const subject = subjects[Math.floor(roll() * subjects.length)] ?? '';
  const made = mutation.of(world.get(table)?.get(subject) ?? [], roll);
  const files = new Map(filesOf(world));
  files.set(
    table,
    new Map(files.get(table)).set(`${subject}.ndjson`, typeof made === 'string' ? made : linesOf(made)),
  );
  const after = await outcomeOf(files);
  const words = `seed ${seed}: ${mutation.name} in ${table} of ${subject}`;
  expect([0, 4], words).toContain(after.code);
  checkHeld(after, words);
  checkOthers(before, after, { marks: marksOf(subject), words });
  if (mutation.name === 'shuffled' || mutation.name === 'each row twice') checkSame(before, after, words);
}

function checkHeld({ manifest, documents, subjectIds, code }: Outcome, words: string): void {
  const held = manifest.held_subjects?.list ?? [];
  if (held.length > 0) expect(code, words).toBe(4);
  for (const { dataset, subject } of held) {
    if (subject === '*') continue;
    const own = documents.get(dataset) ?? [];
    if (dataset !== 'conditions')
      expect(subjectsIn(dataset, own), `${words}: ${dataset}`).not.toContain(subject);
    const id = idOf(dataset, subject);
    if (id === undefined) continue;
    expect(
      subjectIds.filter((one) => one.startsWith(id)),
      words,
    ).toEqual([]);
    const conditions = (documents.get('conditions') ?? []).map(({ value }) =>
      String((value as { subject_id: string }).subject_id),
    );
    expect(
      conditions.filter((one) => one.startsWith(id)),
      words,
    ).toEqual([]);
  }
}

/** The id in events of what a dataset names. */
function idOf(dataset: string, subject: string): string | undefined {
  const text = subject.replace(' ', ':');
  if (dataset === 'feeds') return `oracle:${text}:`;
  if (dataset === 'pegs') return `peg:${text}`;
  return dataset === 'lending-markets' ? `liquidity:${text}` : undefined;
}

interface Others {
  readonly marks: readonly string[];
  readonly words: string;
}

/** Documents and events that are not about the changed subject, as text. */
function checkOthers(before: Outcome, after: Outcome, { marks, words }: Others): void {
  const isOther = (text: string) => !marks.some((mark) => text.includes(mark));
  const rowsOf = (documents: readonly Document[]) =>
    documents
      .flatMap(({ key, value }) =>
        (Array.isArray(value) ? value : [value]).map((row) => withoutEventIds(JSON.stringify([key, row]))),
      )
      .filter((text) => isOther(text) && !text.includes('dataset.gate|'));
  for (const [id, documents] of before.documents) {
    if (TOTALS.has(id)) continue;
    const rows = rowsOf(after.documents.get(id) ?? []);
    expect(rows, `${words}: ${id}`).toEqual(expect.arrayContaining(rowsOf(documents)));
  }
  const events = (outcome: Outcome) => outcome.events.map((one) => JSON.stringify(one)).filter(isOther);
  expect(events(after), words).toEqual(expect.arrayContaining(events(before)));
}

function checkSame(before: Outcome, after: Outcome, words: string): void {
  for (const [id, documents] of before.documents)
    if (id !== 'conditions') expect(after.documents.get(id), `${words}: ${id}`).toEqual(documents);
  expect(after.events, words).toEqual(before.events);
}
