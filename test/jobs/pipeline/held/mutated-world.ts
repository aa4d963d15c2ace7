// Runs of the small world: a folder after a sound first run, and what a second run publishes from sound or spoilt deliveries.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { reachesOf } from '../../../../jobs/pipeline/gate/holds.ts';
import type { Subject } from '../../../../jobs/pipeline/gate/subjects.ts';
import { domains } from '../../../../jobs/registry.ts';
import { type Document, type Manifest, type SeriesPart, seriesPath } from '../../../../snapshots/layout.ts';
import { type FileRow, type FileWorld, linesOf, openFileWorld } from '../../../support/file-world.ts';
import { type LoggedEvent, publishedEvents } from '../../../support/pipeline-world.ts';
import { preparedCopy } from '../../../support/run-folder.ts';
import { FIRST_RUN, SECOND_RUN, soundDeliveries } from './demo-deliveries.ts';
import type { SpoiltDelivery } from './mutations.ts';
import type { SubjectRows } from './subject-rows.ts';

export interface Outcome {
  readonly code: number;
  readonly manifest: Manifest;
  readonly documents: ReadonlyMap<string, readonly Document[]>;
  /** By dataset, the parts of its history. */
  readonly points: ReadonlyMap<string, readonly (readonly SeriesLine[])[]>;
  readonly events: readonly LoggedEvent[];
}

/** The points of one subject in one part of a history. */
export interface SeriesLine {
  readonly key: string;
  readonly resolution: string;
  readonly t: readonly number[];
  readonly text: string;
}

/** Where the wrong delivery arrives: in a new installation, or in one that knows the subject. */
export type Moment = 'first run' | 'second run';

/** A few refused rows are enough to judge a subject by, because the small world has only a few rows of each. */
const OPTIONS = { domains, policy: { quality: { bad_rows_min_sample: 3 } } };

/** A folder after the first run of sound deliveries, of the caller's own. */
const folderAfterFirst = (): Promise<string> =>
  preparedCopy('held-world', async (folder) => {
    const world = openFileWorld(OPTIONS, folder);
    writeAll(world, await soundDeliveries(), 'earlier');
    const code = await world.run(FIRST_RUN);
    if (code !== 0)
      throw new Error(`the first run ended with ${code}: ${JSON.stringify(world.manifest().held_subjects)}`);
  });

const fileOf = (rows: SubjectRows, index: number, part: string): string =>
  `${index}-${[...rows.subject.values()]
    .join('-')
    .replaceAll(/[^\w-]+/g, '-')
    .slice(0, 80)}-${part}.ndjson`;

function writeAll(
  world: FileWorld,
  deliveries: readonly SubjectRows[],
  part: 'earlier' | 'later',
  table?: string,
): void {
  for (const [index, one] of deliveries.entries())
    if (table === undefined || one.table.name === table)
      world.write(one.table.name, { [fileOf(one, index, part)]: one[part] });
}

export interface Spoilt {
  readonly index: number;
  readonly delivery: SpoiltDelivery;
}

export interface Delivered {
  readonly moment: Moment;
  /** The raw table that gets later rows. */
  readonly table: string;
}

/** What a run publishes; sound deliveries if none is spoilt. `look`: called with the folder before it is removed. */
export async function outcomeOf(
  { moment, table }: Delivered,
  spoilt?: Spoilt,
  look?: (world: FileWorld, outcome: Outcome) => Promise<void>,
): Promise<Outcome> {
  const deliveries = await soundDeliveries();
  const world =
    moment === 'first run' ? openFileWorld(OPTIONS) : openFileWorld(OPTIONS, await folderAfterFirst());
  try {
    writeAll(world, deliveries, 'earlier');
    // Only what is built from this table is computed again.
    if (moment === 'second run') writeAll(world, deliveries, 'later', table);
    if (spoilt !== undefined) writeSpoilt(world, moment, spoilt, deliveries);
    const code = await world.run(moment === 'first run' ? FIRST_RUN : SECOND_RUN);
    const outcome = { code, ...publishedIn(world) };
    await look?.(world, outcome);
    return outcome;
  } finally {
    world.remove();
  }
}

function writeSpoilt(
  world: FileWorld,
  moment: Moment,
  { index, delivery }: Spoilt,
  deliveries: readonly SubjectRows[],
): void {
  const sound = deliveries[index];
  if (sound === undefined) throw new Error(`there is no delivery ${index}`);
  const part = moment === 'first run' ? 'earlier' : 'later';
  const textOf = (rows: readonly FileRow[] | string) => (typeof rows === 'string' ? rows : linesOf(rows));
  world.write(sound.table.name, { [fileOf(sound, index, part)]: textOf(delivery.own) });
  if (delivery.second !== undefined)
    world.writeSecond(sound.table.name, { [fileOf(sound, index, part)]: textOf(delivery.second) });
}

function publishedIn({ dir, manifest: read, documents }: FileWorld): Omit<Outcome, 'code'> {
  const manifest = read();
  const entries = Object.entries(manifest.datasets);
  return {
    manifest,
    documents: new Map(
      entries.map(([id, { sha256 }]) => [id, once(`${id} ${sha256}`, documentsRead, () => documents(id))]),
    ),
    points: new Map(
      entries.map(([id, { series = [] }]) => [id, series.map((part) => pointsOf(dir, id, part))]),
    ),
    events: publishedEvents(dir),
  };
}

/** Files are named by their contents, and worlds have most of them in common. */
const documentsRead = new Map<string, readonly Document[]>();
const pointsRead = new Map<string, readonly SeriesLine[]>();

function once<T>(name: string, known: Map<string, T>, read: () => T): T {
  const value = known.get(name) ?? read();
  known.set(name, value);
  return value;
}

const pointsOf = (dir: string, id: string, { resolution, sha256 }: SeriesPart): readonly SeriesLine[] =>
  once(`${id} ${sha256}`, pointsRead, () =>
    readFileSync(join(dir, 'snapshots', seriesPath(id, sha256)), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => {
        const { key, value } = JSON.parse(line) as { key: string; value: { t: readonly number[] } };
        return { key, resolution, t: value.t, text: `${resolution} ${line}` };
      }),
  );

let reaches: Promise<readonly (readonly Subject[])[]> | undefined;

/** The subject of a delivery, and all that rest on it by the links of the families. */
export async function subjectsOn(index: number): Promise<readonly Subject[]> {
  reaches ??= restingOnEach();
  return (await reaches)[index] ?? [];
}

async function restingOnEach(): Promise<readonly (readonly Subject[])[]> {
  const deliveries = await soundDeliveries();
  const holds = deliveries.map(({ table, subject }) => ({
    subject,
    tables: [],
    domain: domains.find(({ raw }) => raw.some(({ name }) => name === table.name))?.id ?? '',
    check: '',
    reason: '',
  }));
  const world = openFileWorld(OPTIONS, await folderAfterFirst());
  try {
    writeAll(world, deliveries, 'earlier');
    return await world.work(FIRST_RUN, async ({ warehouse, models }) => {
      const tables = new Set(models.models.map(({ name }) => name));
      const found = await reachesOf({ rows: (sql) => warehouse.rows(sql) }, holds, { domains, tables });
      return found.map(({ subjects }) => subjects);
    });
  } finally {
    world.remove();
  }
}
