// Random mistakes in the mapping of a source, over the inputs of every family: what is published after the source has landed again with
// the right mapping is compared with an installation that never made the mistake.
//
// Equal: the bytes of every dataset and of every file of its series, and the events that stand, in every member but `event_id`, in any order.
// Different: ids, the order of the log, events that were retracted together with their retractions, landing (it keeps the old rows) with its
// receipts and hashes, and `corrections` and `status-history`, which report what was changed and what was published when.
import { SettingsError } from '../../../../platform/settings/load-settings.ts';
import { type RawTable, deliveredFields } from '../../../../jobs/define/raw-table.ts';
import type { Json } from '../../../../platform/base/json.ts';
import { type FileRow, type FileWorld, openFileWorld, sourceId } from '../../../support/file-world.ts';
import { datasetHashes, publishedEvents, seriesHashes } from '../../../support/pipeline-world.ts';
import { seededRandom } from '../../../support/seeded-random.ts';
import { type FamilyInputs, HOUR, NOW } from '../gate/completeness/family-inputs.ts';
import { tablesOf, watched } from '../gate/completeness/trial.ts';
import { printed } from './buoy-files.ts';

type Mapping = { readonly [field: string]: Json };
type Random = () => number;

interface Fields {
  readonly raw: RawTable;
  readonly rows: readonly FileRow[];
  /** Fields that the rows have. */
  readonly texts: readonly string[];
  readonly numbers: readonly string[];
  readonly times: readonly string[];
}

const pick = <T>(random: Random, list: readonly T[]): T | undefined =>
  list[Math.floor(random() * list.length)];

/** Each answers what is mapped wrong, or nothing if the table has no such field. */
const MISTAKES: { readonly [kind: string]: (fields: Fields, random: Random) => Mapping } = {
  'wrong scale': ({ numbers }, random) =>
    mapped(pick(random, numbers), (from) => ({
      from,
      scale: pick(random, [10, 100, 1_000, 0.1, 0.01]) ?? 10,
    })),
  'wrong notation': ({ numbers }, random) =>
    mapped(pick(random, numbers), (field) => ({ from: europeanOf(field), number: 'plain' })),
  'wrong column': ({ numbers, texts }, random) => {
    const list =
      pick(
        random,
        [numbers, texts].filter(({ length }) => length > 1),
      ) ?? [];
    const field = pick(random, list);
    return mapped(
      field,
      () =>
        pick(
          random,
          list.filter((other) => other !== field),
        ) ?? '',
    );
  },
  'swapped columns': ({ numbers, texts }, random) => {
    const list =
      pick(
        random,
        [numbers, texts].filter(({ length }) => length > 1),
      ) ?? [];
    const [one, other] = [...list].sort(() => random() - 0.5);
    return one === undefined || other === undefined ? {} : { [one]: other, [other]: one };
  },
  'wrong timezone': ({ times }, random) =>
    mapped(pick(random, times), (field) => ({ from: localOf(field), time: 'iso8601' })),
  'wrong column of times': ({ times }, random) =>
    mapped(pick(random, times), (field) => ({ from: dayOf(field), time: 'iso8601' })),
  'wrong id': ({ texts }, random) => mapped(pick(random, texts), () => ({ value: 'another' })),
  'wrong prefix': ({ texts }, random) => mapped(pick(random, texts), (from) => ({ from, prefix: 'x-' })),
  'two subjects as one': ({ texts, rows }, random) =>
    mapped(pick(random, texts), (from) => {
      const [one, other] = [...new Set(rows.map((row) => String(row[from])))].sort(() => random() - 0.5);
      return { from, replace: one === undefined || other === undefined ? { '': null } : { [one]: other } };
    }),
};
export const KINDS = Object.keys(MISTAKES);

const mapped = (field: string | undefined, mapping: (field: string) => Json): Mapping =>
  field === undefined ? {} : { [field]: mapping(field) };

const europeanOf = (field: string) => `${field} (european)`;
const localOf = (field: string) => `${field} (local time)`;
const dayOf = (field: string) => `${field} (day)`;
const OFFSET_S = 2 * HOUR;

function fieldsOf({ raw, rows }: { readonly raw: RawTable; readonly rows: readonly FileRow[] }): Fields {
  const fields = deliveredFields(raw).filter(({ name }) => rows.some((row) => (row[name] ?? null) !== null));
  const isTime = (name: string) => name === raw.time || /_at$/.test(name);
  const named = (test: (field: (typeof fields)[number]) => boolean) =>
    fields.filter((field) => !isTime(field.name) && test(field)).map(({ name }) => name);
  return {
    raw,
    rows,
    texts: named(({ type }) => type === 'VARCHAR'),
    numbers: named(({ type }) => type === 'BIGINT' || type === 'DOUBLE'),
    times: fields.map(({ name }) => name).filter(isTime),
  };
}

/** The rows with the columns that a mistake may read: numbers as 1.234,5, times of another zone without an offset, and days. */
function withOtherForms({ rows, numbers, times }: Fields): readonly FileRow[] {
  return rows.map((row) => ({
    ...row,
    ...Object.fromEntries(numbers.map((field) => [europeanOf(field), european(row[field])])),
    ...Object.fromEntries(times.map((field) => [localOf(field), localTime(row[field])])),
    ...Object.fromEntries(times.map((field) => [dayOf(field), localTime(row[field])?.slice(0, 10) ?? null])),
  }));
}

function european(value: Json | undefined): Json {
  if (typeof value !== 'number') return null;
  const [whole = '', part] = value.toFixed(3).split('.');
  return `${whole.replace(/\B(?=(\d{3})+$)/g, '.')}${Number(part) === 0 ? '' : `,${part}`}`;
}

const localTime = (value: Json | undefined): string | null =>
  typeof value === 'number' ? new Date((value + OFFSET_S) * 1000).toISOString().slice(0, 19) : null;

/** What readers see. */
export interface Seen {
  readonly datasets: { readonly [id: string]: string };
  readonly series: { readonly [id: string]: { readonly [stretch: string]: string } };
  readonly events: readonly string[];
}

function seenIn(dir: string): Seen {
  const { corrections: _, ...datasets } = datasetHashes(dir);
  return { datasets, series: seriesHashes(dir), events: standingIn(dir) };
}

function standingIn(dir: string): readonly string[] {
  const events = publishedEvents(dir).map(
    ({ value }) => value as typeof value & { retracts_event_id?: string },
  );
  const retracted = new Set(events.map(({ retracts_event_id }) => retracts_event_id));
  return events
    .filter(({ event_id, retracts_event_id }) => retracts_event_id === undefined && !retracted.has(event_id))
    .map(({ event_id: _, ...event }) => JSON.stringify(event))
    .sort();
}

const LATER = NOW + HOUR;

function open(family: FamilyInputs): FileWorld {
  const world = openFileWorld({ domains: watched(family) });
  for (const table of tablesOf(family)) {
    world.write(table.raw.name, { 'all.ndjson': withOtherForms(fieldsOf(table)) });
  }
  return world;
}

/** At the time of the correction, and an hour later. */
export interface Reference {
  readonly now: Seen;
  readonly later: Seen;
}

export async function neverMistaken(family: FamilyInputs): Promise<Reference> {
  const world = open(family);
  try {
    await world.run(NOW);
    const now = seenIn(world.dir);
    await world.run(LATER);
    return { now, later: seenIn(world.dir) };
  } finally {
    world.remove();
  }
}

export interface Corrected extends Reference {
  /** What was wrong, for the message of a failure. */
  readonly mistake: string;
  /** What readers saw until it was corrected. */
  readonly before: Seen;
  readonly report: string;
}

/** Makes a random mistake, publishes it, corrects it and lands the source again. `seed` decides everything. */
export async function corrected(family: FamilyInputs, seed: number): Promise<Corrected> {
  const random = seededRandom(seed);
  const world = open(family);
  try {
    for (;;) {
      const table = pick(random, tablesOf(family).map(fieldsOf));
      const kind = KINDS[seed % KINDS.length] ?? '';
      if (table === undefined) throw new Error(`${family.id} has no inputs`);
      const mapping = MISTAKES[random() < 0.8 ? kind : (pick(random, KINDS) ?? kind)]?.(table, random) ?? {};
      if (!(await isRunWith(world, table.raw.name, mapping))) continue;
      const before = seenIn(world.dir);
      const report = await world.work(NOW, (context) =>
        printed(context, { source: sourceId(table.raw.name) }),
      );
      const now = seenIn(world.dir);
      await world.run(LATER);
      const mistake = `${kind}: ${table.raw.name} ${JSON.stringify(mapping)}`;
      return { mistake, before, report: report.join('; '), now, later: seenIn(world.dir) };
    }
  } finally {
    world.remove();
  }
}

/** False for a mapping that the configuration refuses; then nothing has run. The right mapping is in place afterwards. */
async function isRunWith(world: FileWorld, table: string, mapping: Mapping): Promise<boolean> {
  if (Object.keys(mapping).length === 0) return false;
  for (const [field, wrong] of Object.entries(mapping)) world.map(table, field, wrong);
  try {
    await world.run(NOW);
    return true;
  } catch (error) {
    if (error instanceof SettingsError) return false;
    throw error;
  } finally {
    for (const field of Object.keys(mapping)) world.map(table, field, field);
  }
}
