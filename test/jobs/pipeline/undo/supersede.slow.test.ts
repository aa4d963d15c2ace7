// A source is landed again after a mistake in its mapping, or left out: what readers see afterwards is what an installation shows that never
// made the mistake.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { printEvents } from '../../../../jobs/commands/events.ts';
import { rebuild, runOnce } from '../../../../jobs/commands/work.ts';
import { readLanding } from '../../../../jobs/ingest/read-landing.ts';
import { verifyLanding } from '../../../../jobs/ingest/receipts/verify.ts';
import { withSupersession } from '../../../../jobs/pipeline/undo/supersede.ts';
import { eventsFound } from '../../../../jobs/pipeline/undo/superseded-events.ts';
import { nodeDisk } from '../../../../platform/storage/disk.ts';
import { inFolder } from '../../../support/in-folder.ts';
import { inWorld, publishedEvents, publishedManifest } from '../../../support/pipeline-world.ts';
import { buoys } from '../../../support/sample-family/domain.ts';
import {
  type BuoyFiles,
  DAY,
  type Fields,
  filesOf,
  NOW,
  openBuoyFiles,
  printed,
  type Reading,
  RIGHT,
  seenIn,
  standingEvents,
  TEN_TIMES,
} from './buoy-files.ts';

const READINGS: readonly Reading[] = [
  ['a', NOW - 3 * DAY, 0.9],
  ['a', NOW - 2 * DAY, 8],
  ['a', NOW - 2 * DAY + 60, 8.5],
  ['b', NOW - DAY, 1],
  ['b', NOW - DAY + 1, 'x'],
];
const EVENT = `oracle.feed.invalid|a|${NOW - 2 * DAY + 60}`;

let world: BuoyFiles;
beforeEach(() => {
  world = openBuoyFiles();
});
afterEach(() => world.remove());

/** What an installation shows that had this mapping from the start. */
async function neverMistaken(
  sources: { readonly [source: string]: Fields },
  files: { readonly [name: string]: readonly Reading[] },
  nows: readonly number[],
) {
  const other = openBuoyFiles();
  try {
    for (const [name, readings] of Object.entries(files)) other.write(name, readings);
    other.map(sources);
    for (const now of nows) await other.run(now);
    return seenIn(other.dir);
  } finally {
    other.remove();
  }
}

async function mistaken(fields: Fields = TEN_TIMES): Promise<void> {
  world.write('sea.csv', READINGS);
  world.map({ sea: fields });
  await world.run(NOW);
  world.map({ sea: RIGHT });
}

describe('reland', () => {
  test('corrects rows, datasets and events, keeps the old files, and names the old batch and its successor', async () => {
    await mistaken();
    expect(standingEvents(world.dir).keys).toEqual([
      `oracle.feed.invalid|a|${NOW - 3 * DAY}`,
      `oracle.feed.invalid|a|${NOW - 2 * DAY}`,
      EVENT,
      `oracle.feed.invalid|b|${NOW - DAY}`,
    ]);
    const before = await filesOf(join(world.dir, 'landing'));
    expect(await world.supersede(NOW + 60, {})).toEqual([
      'sea: 4 rows added, 4 superseded, 0 unchanged, 1 refused',
    ]);
    expect(standingEvents(world.dir)).toEqual({ keys: [EVENT], retractions: 3 });
    expect(seenIn(world.dir)).toEqual(await neverMistaken({ sea: RIGHT }, { 'sea.csv': READINGS }, [NOW]));
    const after = await filesOf(join(world.dir, 'landing'));
    for (const [path, content] of before)
      if (!path.includes('catalogue')) expect(after.get(path)).toBe(content);
    const landing = await readLanding({ disk: nodeDisk, dir: world.dir });
    const [change] = landing.supersessions();
    expect(change?.supersession).toMatchObject({
      kind: 'reland',
      batches: [landing.superseded('buoy_reading')[0]?.batch],
      successors: [landing.receipts('buoy_reading')[0]?.batch],
      range: { from: null, to: null },
    });
    expect(await verifyLanding({ disk: nodeDisk, dir: world.dir })).toEqual([]);
  });

  test('a retraction repeats its event, says why, and comes once', async () => {
    await mistaken();
    await world.supersede(NOW + 60, {});
    const events = publishedEvents(world.dir);
    const retractions = events.filter(({ value }) => 'retracts_event_id' in value);
    for (const { value } of retractions) {
      const { retracts_event_id } = value as unknown as { retracts_event_id: string };
      const first = events.find(({ value: { event_id } }) => event_id === retracts_event_id)?.value;
      expect(value).toMatchObject({
        type: first?.type,
        subject_id: first?.subject_id,
        severity: first?.severity,
        data: {
          ...first?.data,
          retracts_event_id,
          retraction: { reason: 'superseded', source_id: 'sea', change: 'reland' },
        },
      });
    }
    const lines: string[] = [];
    await printEvents(
      { snapshots: inFolder(join(world.dir, 'snapshots')), print: (line) => lines.push(line) },
      { type: null, subject: null, from: null, to: null, json: false },
    );
    expect(lines.filter((line) => / {2}retracts [0-9A-Z]{26}$/.test(line))).toHaveLength(retractions.length);
    expect(lines).toHaveLength(events.length);
    await world.run(NOW + 120);
    await world.run(NOW + 180);
    await world.work(NOW + 240, (context) => rebuild(context));
    await world.run(NOW + 300);
    expect(publishedEvents(world.dir)).toEqual(events);
  });

  test('the end of the change is reported once', async () => {
    await mistaken();
    const log = join(world.dir, 'log.ndjson');
    rmSync(log);
    await world.supersede(NOW + 60, {});
    const steps = readFileSync(log, 'utf8').trim().split('\n');
    expect(steps.filter((line) => line.includes('reland done'))).toHaveLength(1);
    expect(steps.at(-1)).toContain('reland done');
  });

  test('a dry run says the same and writes nothing', async () => {
    await mistaken();
    const before = await filesOf(world.dir, /config\.json$/);
    expect(await world.supersede(NOW + 60, { isDryRun: true })).toEqual([
      'sea: 4 rows added, 4 superseded, 0 unchanged, 1 refused',
      'Nothing was written.',
    ]);
    const after = await filesOf(world.dir, /config\.json$/);
    expect([...after.keys()]).toEqual([...before.keys()]);
    expect(after).toEqual(before);
  });

  test('rows that the old mapping refused land, and rows that the new one refuses are in quarantine', async () => {
    await mistaken({ ...RIGHT, read_at: { from: 'at', time: 'iso8601' } });
    expect(publishedManifest(world.dir).datasets['buoys']?.rows ?? 0).toBe(0);
    expect(await world.supersede(NOW + 60, {})).toEqual([
      'sea: 4 rows added, 0 superseded, 0 unchanged, 1 refused',
    ]);
    expect(seenIn(world.dir)).toEqual(await neverMistaken({ sea: RIGHT }, { 'sea.csv': READINGS }, [NOW]));
    const rows = await world.work(NOW + 60, ({ ingest }) => Array.fromAsync(ingest.listQuarantine()));
    expect(rows.map(({ raw, redriven_by }) => [raw, redriven_by])).toEqual([
      [`b,${NOW - DAY + 1},x,7`, null],
    ]);
  });

  test('under the same mapping nothing is different, and nothing is written', async () => {
    world.write('sea.csv', READINGS);
    world.map({ sea: RIGHT });
    await world.run(NOW);
    const before = await filesOf(join(world.dir, 'landing'));
    expect(await world.supersede(NOW + 60, {})).toEqual([
      'sea: 0 rows added, 0 superseded, 4 unchanged, 1 refused',
      'Nothing is different: nothing was changed.',
    ]);
    expect(await filesOf(join(world.dir, 'landing'))).toEqual(before);
  });

  test('a mistake the other way round is undone too: an event that was retracted is announced again', async () => {
    world.write('sea.csv', READINGS);
    world.map({ sea: RIGHT });
    await world.run(NOW);
    world.map({ sea: { ...RIGHT, height_m: { from: 'height', scale: 0.1 } } });
    await world.supersede(NOW + 60, {});
    expect(standingEvents(world.dir)).toEqual({ keys: [], retractions: 1 });
    world.map({ sea: RIGHT });
    await world.supersede(NOW + 120, {});
    expect(standingEvents(world.dir)).toEqual({ keys: [EVENT], retractions: 1 });
    world.map({ sea: { ...RIGHT, height_m: { from: 'height', scale: 0.1 } } });
    await world.supersede(NOW + 180, {});
    expect(standingEvents(world.dir)).toEqual({ keys: [], retractions: 2 });
    world.map({ sea: RIGHT });
    await world.supersede(NOW + 240, {});
    await world.run(NOW + 300);
    expect(standingEvents(world.dir)).toEqual({ keys: [EVENT], retractions: 2 });
  });

  test('times that were wrong by a factor leave nothing at the wrong days', async () => {
    await mistaken({ ...RIGHT, read_at: { from: 'at', scale: 0.98 } });
    await world.supersede(NOW + 60, {});
    expect(seenIn(world.dir)).toEqual(await neverMistaken({ sea: RIGHT }, { 'sea.csv': READINGS }, [NOW]));
    const days = await world.work(NOW + 60, ({ warehouse }) =>
      warehouse.rows('select min(day) as day from derived.buoy_day'),
    );
    expect(days).toEqual([{ day: NOW - 3 * DAY - ((NOW - 3 * DAY) % DAY) }]);
  });

  test('an unknown source is refused with the nearest name, a source without configuration with the command to drop it', async () => {
    await mistaken();
    await expect(world.supersede(NOW + 60, { source: 'see' })).rejects.toThrow(
      'there is no source see; give for example sea',
    );
    world.write('lake.csv', READINGS);
    world.map({ lake: RIGHT });
    await expect(world.supersede(NOW + 60, {})).rejects.toThrow(
      /source sea has landed rows but is not configured.*npm run jobs -- drop --source sea --config/,
    );
  });
});

describe('a source that cannot be read', () => {
  test.each([
    ['is gone', (file: string) => rmSync(file), /sea\*\.csv: no file matches/],
    ['is empty', (file: string) => writeFileSync(file, ''), /sea\.csv: the file is empty/],
    ['has no such column', (file: string) => writeFileSync(file, 'name,at\na,1\n'), /no column "height"/],
    [
      'has fewer rows',
      (file: string) => writeFileSync(file, `name,at,height,other\na,${NOW - DAY},1,7\n`),
      /4 rows landed from it, but it delivers only 1 record now\. Nothing was changed/,
    ],
  ])('whose file %s changes nothing', async (_, harm, message) => {
    await mistaken();
    const before = await filesOf(join(world.dir, 'landing'));
    harm(join(world.dir, 'inputs/sea.csv'));
    await expect(world.supersede(NOW + 60, {})).rejects.toThrow(message);
    expect(await filesOf(join(world.dir, 'landing'))).toEqual(before);
    expect(existsSync(join(world.dir, 'tmp/draft/buoy_reading'))).toBe(false);
  });

  test('one of several files that is gone is named', async () => {
    world.write('sea-1.csv', READINGS.slice(0, 2));
    world.write('sea-2.csv', READINGS.slice(2));
    world.map({ sea: TEN_TIMES });
    await world.run(NOW);
    world.map({ sea: RIGHT });
    rmSync(join(world.dir, 'inputs/sea-1.csv'));
    await expect(world.supersede(NOW + 60, {})).rejects.toThrow(
      /sea-1\.csv: source sea: 2 rows landed from it, and it is no longer delivered/,
    );
    expect(await world.supersede(NOW + 60, { range: { from: NOW - 2 * DAY + 60, to: null } })).toEqual([
      'sea: 2 rows added, 2 superseded, 0 unchanged, 1 refused',
    ]);
  });
});

describe('a range of time', () => {
  test('lands only rows of that time again', async () => {
    await mistaken();
    const range = { from: NOW - 2 * DAY, to: NOW - DAY };
    expect(await world.supersede(NOW + 60, { range })).toEqual([
      'sea: 2 rows added, 2 superseded, 2 unchanged, 0 refused',
    ]);
    const rows = await world.work(NOW + 60, ({ warehouse }) =>
      warehouse.rows('select buoy, read_at, height_m from obs.buoy_reading order by 2'),
    );
    expect(rows.map(({ height_m }) => height_m)).toEqual([9, 8, 8.5, 10]);
    expect(await world.supersede(NOW + 120, {})).toEqual([
      'sea: 2 rows added, 2 superseded, 2 unchanged, 1 refused',
    ]);
    expect(seenIn(world.dir)).toEqual(await neverMistaken({ sea: RIGHT }, { 'sea.csv': READINGS }, [NOW]));
  });

  test('without rows changes nothing', async () => {
    await mistaken();
    const range = { from: NOW - 10 * DAY, to: NOW - 9 * DAY };
    expect(await world.supersede(NOW + 60, { kind: 'drop', range })).toEqual([
      'sea: 0 rows added, 0 superseded, 0 unchanged, 0 refused',
      'Nothing is different: nothing was changed.',
    ]);
  });
});

describe('drop', () => {
  test('leaves the rows and their events out, a run does not bring them back, and reland does', async () => {
    world.write('sea.csv', READINGS);
    world.write('lake.csv', [['c', NOW - DAY, 9]]);
    world.map({ sea: RIGHT, lake: RIGHT });
    await world.run(NOW);
    expect(await world.supersede(NOW + 60, { kind: 'drop', isDryRun: true })).toEqual([
      'sea: 0 rows added, 4 superseded, 0 unchanged, 0 refused',
      'Nothing was written.',
    ]);
    await world.supersede(NOW + 60, { kind: 'drop' });
    const without = await neverMistaken({ lake: RIGHT }, { 'lake.csv': [['c', NOW - DAY, 9]] }, [NOW]);
    expect(seenIn(world.dir)).toEqual(without);
    await world.run(NOW + 120);
    expect(standingEvents(world.dir)).toEqual({ keys: without.events, retractions: 1 });
    expect(await world.supersede(NOW + 180, {})).toEqual([
      'sea: 4 rows added, 0 superseded, 0 unchanged, 1 refused',
    ]);
    expect(standingEvents(world.dir).keys).toEqual([EVENT, `oracle.feed.invalid|c|${NOW - DAY}`]);
  });

  test('of a range keeps the other rows and the refused ones', async () => {
    world.write('sea.csv', READINGS);
    world.map({ sea: RIGHT });
    await world.run(NOW);
    await world.supersede(NOW + 60, { kind: 'drop', range: { from: NOW - 2 * DAY, to: null } });
    const rows = await world.work(NOW + 120, ({ warehouse }) =>
      warehouse.rows('select read_at from obs.buoy_reading'),
    );
    expect(rows).toEqual([{ read_at: NOW - 3 * DAY }]);
    const refused = await world.work(NOW + 60, ({ ingest }) => Array.fromAsync(ingest.listQuarantine()));
    expect(refused).toHaveLength(1);
    expect(standingEvents(world.dir)).toEqual({ keys: [], retractions: 1 });
    await world.run(NOW + 120);
    expect(await verifyLanding({ disk: nodeDisk, dir: world.dir })).toEqual([]);
  });

  test('works for a source that is no longer configured', async () => {
    await mistaken();
    world.write('lake.csv', [['c', NOW - DAY, 9]]);
    world.map({ lake: RIGHT });
    await world.supersede(NOW + 60, { kind: 'drop' });
    expect(standingEvents(world.dir).keys).toEqual([]);
  });
});

describe('afterwards', () => {
  test('a rebuild, a compaction, a redrive and another file give what an installation shows that was never mistaken', async () => {
    await mistaken();
    await world.supersede(NOW + 60, {});
    world.write('sea-2.csv', [['a', NOW - 60, 9]]);
    await world.run(NOW + 120);
    await world.run(NOW + DAY);
    await world.run(NOW + 2 * DAY);
    const files = { 'sea.csv': READINGS, 'sea-2.csv': [['a', NOW - 60, 9] as const] };
    const seen = await neverMistaken({ sea: RIGHT }, files, [NOW + 120, NOW + DAY, NOW + 2 * DAY]);
    expect(seenIn(world.dir)).toEqual(seen);
    await inWorld(
      world.dir,
      {
        config: JSON.parse(readFileSync(join(world.dir, 'config.json'), 'utf8')),
        now: NOW + 2 * DAY,
        domains: [buoys],
        isRebuild: true,
      },
      rebuild,
    );
    expect(seenIn(world.dir)).toEqual(seen);
    await world.work(NOW + 2 * DAY, async ({ ingest }) => {
      await ingest.redrive({
        table: buoys.raw[0] as never,
        context: { interval: { from: NOW, to: NOW }, fetchedAt: NOW },
      });
    });
    expect(await verifyLanding({ disk: nodeDisk, dir: world.dir })).toEqual([]);
  });

  test('rows of another source that were refused because they contradicted the wrong ones land', async () => {
    world.write('sea.csv', READINGS);
    world.write('lake.csv', [...READINGS.slice(0, 2), ['c', NOW - 60, 3]]);
    world.map({ sea: TEN_TIMES, lake: RIGHT });
    await world.run(NOW);
    world.map({ sea: RIGHT, lake: RIGHT });
    await world.supersede(NOW + 60, {});
    const files = { 'sea.csv': READINGS, 'lake.csv': [...READINGS.slice(0, 2), ['c', NOW - 60, 3] as const] };
    expect(seenIn(world.dir)).toEqual(await neverMistaken({ sea: RIGHT, lake: RIGHT }, files, [NOW]));
    const waiting = await world.work(NOW + 60, ({ ingest }) => Array.fromAsync(ingest.listQuarantine()));
    expect(waiting.filter(({ redriven_by, source }) => redriven_by === null && source === 'lake')).toEqual(
      [],
    );
  });

  test('a run says that rows landed with another mapping and names the command, until they are landed again', async () => {
    const said = () =>
      readFileSync(join(world.dir, 'log.ndjson'), 'utf8').match(/4 rows landed with another mapping/g)
        ?.length ?? 0;
    await mistaken();
    expect(said()).toBe(0);
    await world.run(NOW + 60);
    expect(said()).toBe(1);
    expect(readFileSync(join(world.dir, 'log.ndjson'), 'utf8')).toContain(
      `To land them again: npm run jobs -- reland --source sea --config ${world.dir}/config.json --data-dir ${world.dir}`,
    );
    await world.supersede(NOW + 120, {});
    await world.run(NOW + 180);
    expect(said()).toBe(1);
  });
});

test('a change that was committed before a crash is finished by the next run: events are retracted and added once', async () => {
  await mistaken();
  await world.work(NOW + 60, async (context) => {
    await withSupersession(
      context,
      { kind: 'reland', source: 'sea', range: { from: null, to: null }, now: NOW },
      async (change) => {
        const segments = publishedManifest(world.dir).events.segments;
        const reach = { tables: change.tables, from: change.from, now: NOW };
        await change.commit(await eventsFound(context, { segments: () => segments }, reach));
      },
    );
  });
  await world.run(NOW + 120);
  await world.run(NOW + 180);
  expect(standingEvents(world.dir)).toEqual({ keys: [EVENT], retractions: 3 });
  const { datasets } = await neverMistaken({ sea: RIGHT }, { 'sea.csv': READINGS }, [NOW + 180]);
  expect(seenIn(world.dir).datasets).toEqual(datasets);
});

test('an event is not retracted because the rules have changed since', async () => {
  world.write('sea.csv', [['a', NOW - DAY, 9]]);
  world.write('lake.csv', [['c', NOW - DAY, 1]]);
  world.map({ sea: RIGHT, lake: TEN_TIMES });
  await world.run(NOW);
  expect(standingEvents(world.dir).keys).toHaveLength(2);
  await world.work(NOW + 60, async (context) => {
    // A rule under which no wave is high enough.
    const events = context.models.events.map((query) =>
      query.type === 'oracle.feed.invalid' ? { ...query, sql: query.sql.replace('> 8', '> 50') } : query,
    );
    await printed({ ...context, models: { ...context.models, events } }, { kind: 'drop', source: 'lake' });
  });
  expect(standingEvents(world.dir)).toEqual({
    keys: [`oracle.feed.invalid|a|${NOW - DAY}`, `oracle.feed.invalid|c|${NOW - DAY}`].sort(),
    retractions: 0,
  });
});

test('a second process is refused while one works on the folder', async () => {
  await mistaken();
  await world.work(NOW + 60, async (context) => {
    await expect(world.supersede(NOW + 60, {})).rejects.toThrow('Another instance is working on');
    await runOnce(context, null);
  });
});
