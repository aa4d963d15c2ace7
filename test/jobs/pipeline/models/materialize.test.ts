import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { materialize, notAbsorbed } from '../../../../jobs/pipeline/models/materialize.ts';
import { prepareTables } from '../../../../jobs/pipeline/models/model-table.ts';
import { readingTable } from '../../../support/model-folder.ts';
import { ALL, DAY, type ModelWorld, openModelWorld, span } from '../../../support/model-world.ts';

let world: ModelWorld;
beforeEach(async () => {
  world = await openModelWorld();
});
afterEach(() => world.close());

describe('append', () => {
  beforeEach(() => world.prepare({}));

  test('absorbs the rows of new files in order, and says which time they span', async () => {
    const file = await world.folder.land(world.engine, 'a', [
      ['M2', 20, 1],
      ['m1', 30, 2],
      ['m1', 10, 3],
    ]);
    expect(await world.absorbFiles([file])).toEqual({ files: 1, rows: 3, firstTime: 10, lastTime: 30 });
    expect(await world.rows('obs.reading')).toEqual([
      { meter: 'm1', read_at: 10, level: 3 },
      { meter: 'm1', read_at: 30, level: 2 },
      { meter: 'm2', read_at: 20, level: 1 },
    ]);
  });

  test('a file is absorbed once, whatever folder it is in', async () => {
    const a = await world.folder.land(world.engine, 'a', [['m', 1, 1]]);
    const b = await world.folder.land(world.engine, 'b', [['m', 2, 2]]);
    await world.absorbFiles([a]);
    expect(
      await notAbsorbed(world.engine, world.model('obs.reading'), [a, b, '/elsewhere/a.parquet']),
    ).toEqual([b]);
    expect(await world.absorbFiles([a, b])).toEqual({ files: 1, rows: 1, firstTime: 2, lastTime: 2 });
    expect(await world.absorbFiles([a, b])).toEqual({ files: 0, rows: 0, firstTime: null, lastTime: null });
    expect(await world.rows('obs.reading')).toHaveLength(2);
  });

  test('a file without rows that the model keeps is absorbed too', async () => {
    const file = await world.folder.land(world.engine, 'late', [['m', 101 * DAY, 1]]);
    expect(await world.absorbFiles([file])).toEqual({ files: 1, rows: 0, firstTime: null, lastTime: null });
    expect(await notAbsorbed(world.engine, world.model('obs.reading'), [file])).toEqual([]);
  });

  test('rows that share a grain are refused with their key, and neither rows nor files are kept', async () => {
    const file = await world.folder.land(world.engine, 'a', [
      ['M', 7, 1],
      ['m', 7, 2],
    ]);
    await expect(world.absorbFiles([file])).rejects.toThrow(
      'jobs/meters/obs.reading.sql: rows share one meter, read_at: [{"meter":"m","read_at":7}]',
    );
    expect(await world.rows('obs.reading')).toEqual([]);
    expect(await notAbsorbed(world.engine, world.model('obs.reading'), [file])).toEqual([file]);
  });

  test('a damaged file takes its whole batch back', async () => {
    const good = await world.folder.land(world.engine, 'a', [['m', 1, 1]]);
    await expect(world.absorbFiles([good, `${world.folder.dir}/not-there.parquet`])).rejects.toThrow(
      'not-there',
    );
    expect(await world.absorbFiles([good])).toMatchObject({ rows: 1 });
  });

  test('it is not computed like other models', async () => {
    await expect(materialize(world.engine, world.model('obs.reading'), ALL)).rejects.toThrow(
      'it absorbs landed files',
    );
  });
});

describe('window', () => {
  const DAILY = `-- Readings of one day.
-- kind: window   grain: meter, day   time: day   order: day, meter
select meter, read_at - read_at % 86400 as day, cast(count(*) as bigint) as n from obs.reading
where read_at >= @start and read_at < @end group by meter, read_at - read_at % 86400`;

  test('computes its own days again and leaves the others alone', async () => {
    await world.prepare({ 'derived.daily.sql': DAILY });
    await world.absorbFiles([
      await world.folder.land(world.engine, 'a', [
        ['m', 1, 1],
        ['m', DAY + 1, 1],
        ['m', 2 * DAY, 1],
      ]),
    ]);
    expect(await materialize(world.engine, world.model('derived.daily'), span(0, 3 * DAY))).toBe(3);
    await world.engine.execute('update derived.daily set n = 100');
    await world.absorbFiles([await world.folder.land(world.engine, 'b', [['m', DAY + 2, 1]])]);
    expect(await materialize(world.engine, world.model('derived.daily'), span(DAY, 2 * DAY))).toBe(1);
    expect(await world.rows('derived.daily')).toEqual(
      expect.arrayContaining([
        { meter: 'm', day: 0, n: 100 },
        { meter: 'm', day: DAY, n: 2 },
        { meter: 'm', day: 2 * DAY, n: 100 },
      ]),
    );
  });

  test('gives the same rows however often it runs', async () => {
    await world.prepare({ 'derived.daily.sql': DAILY });
    await world.absorbFiles([
      await world.folder.land(world.engine, 'a', [
        ['m', 1, 1],
        ['n', 1, 1],
      ]),
    ]);
    for (const _ of [1, 2, 3]) await materialize(world.engine, world.model('derived.daily'), span(0, DAY));
    expect(await world.rows('derived.daily')).toHaveLength(2);
  });

  test('rows outside the window are not written: they belong to another one', async () => {
    await world.prepare({
      'derived.daily.sql': DAILY.replace('where read_at >= @start and read_at < @end ', ''),
    });
    await world.absorbFiles([
      await world.folder.land(world.engine, 'a', [
        ['m', 1, 1],
        ['m', DAY, 1],
      ]),
    ]);
    for (const start of [0, DAY])
      await materialize(world.engine, world.model('derived.daily'), span(start, start + DAY));
    expect(await world.rows('derived.daily')).toHaveLength(2);
  });

  test('a model that carries on from its own rows gets its types from itself, and may be computed again', async () => {
    await world.prepare({
      'derived.total.sql': `-- Readings so far.
-- kind: window   grain: meter, day   time: day
select meter, cast(sum(n) as bigint) as n, @start as day, max(level) as highest
from (
  select meter, n, highest as level from derived.total where day = @start - 86400
  union all
  select meter, 1 as n, level from obs.reading where read_at >= @start and read_at < @end
) both_parts group by meter`,
    });
    expect(
      await world.engine.rows(
        "select column_name, data_type from information_schema.columns where table_name = 'total'",
      ),
    ).toEqual([
      { column_name: 'meter', data_type: 'VARCHAR' },
      { column_name: 'n', data_type: 'BIGINT' },
      { column_name: 'day', data_type: 'BIGINT' },
      { column_name: 'highest', data_type: 'DOUBLE' },
    ]);
    await world.absorbFiles([
      await world.folder.land(world.engine, 'a', [
        ['m', 1, 5],
        ['m', 2, 4],
        ['m', DAY, 1],
      ]),
    ]);
    for (const start of [0, DAY, DAY])
      await materialize(world.engine, world.model('derived.total'), span(start, start + DAY));
    expect(await world.rows('derived.total')).toEqual([
      { meter: 'm', n: 2, day: 0, highest: 5 },
      { meter: 'm', n: 3, day: DAY, highest: 5 },
    ]);
    expect(
      (await prepareTables(world.engine, { models: world.models(), raw: [readingTable] })).changed,
    ).toEqual([]);
  });
});

test('full replaces everything, view computes when read, merge replaces by grain', async () => {
  await world.prepare({
    'derived.all.sql':
      '-- All.\n-- kind: full   grain: meter, read_at   order: read_at desc\nselect * from obs.reading',
    'derived.seen.sql':
      '-- Now.\n-- kind: view   grain: meter\nselect meter, max(read_at) as at from obs.reading where read_at < @end group by meter',
    'derived.last.sql':
      '-- Last.\n-- kind: merge   grain: meter\nselect meter, max_by(level, read_at) as level from obs.reading where read_at >= @start and read_at < @end group by meter',
  });
  await world.absorbFiles([
    await world.folder.land(world.engine, 'a', [
      ['m', 1, 1],
      ['n', 2, 2],
    ]),
  ]);
  for (const one of world.models().filter(({ layer }) => layer === 'derived'))
    await materialize(world.engine, one, span(0, 3));
  await world.absorbFiles([await world.folder.land(world.engine, 'b', [['m', 3, 3]])]);
  expect(await world.rows('derived.seen order by meter')).toEqual([
    { meter: 'm', at: 1 },
    { meter: 'n', at: 2 },
  ]);
  expect(await materialize(world.engine, world.model('derived.all'), span(3, 4))).toBe(3);
  expect(await materialize(world.engine, world.model('derived.last'), span(3, 4))).toBe(1);
  await materialize(world.engine, world.model('derived.seen'), span(3, 4));
  expect((await world.rows('derived.all')).map((row) => row['read_at'])).toEqual([3, 2, 1]);
  expect(await world.rows('derived.seen order by meter')).toEqual([
    { meter: 'm', at: 3 },
    { meter: 'n', at: 2 },
  ]);
  expect(await world.rows('derived.last order by meter')).toEqual([
    { meter: 'm', level: 3 },
    { meter: 'n', level: 2 },
  ]);
});

test('a model that fails leaves its table as it was', async () => {
  await world.prepare({
    'derived.all.sql':
      '-- All.\n-- kind: full   grain: meter\nselect meter, cast(1 / (level - 2) as bigint) as v from obs.reading',
  });
  await world.absorbFiles([await world.folder.land(world.engine, 'a', [['m', 1, 1]])]);
  await materialize(world.engine, world.model('derived.all'), ALL);
  await world.absorbFiles([await world.folder.land(world.engine, 'b', [['m', 2, 2]])]);
  await expect(materialize(world.engine, world.model('derived.all'), ALL)).rejects.toThrow(
    /in the statement: insert into derived.all/,
  );
  expect(await world.rows('derived.all')).toEqual([{ meter: 'm', v: -1 }]);
});
