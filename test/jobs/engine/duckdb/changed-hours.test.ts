// Of a model by the hour, rows of unchanged hours stay where they are: writing them again costs more than finding out that they are the same.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type ModelWorld, openModelWorld, span } from '../../../support/model-world.ts';

const HOURLY = `-- Readings of one instant.
-- kind: window   grain: meter, read_at   time: read_at   by_hour: read_at   order: meter, read_at
select meter, read_at, level from obs.reading where read_at >= @start and read_at < @end`;

let world: ModelWorld;
beforeEach(async () => {
  world = await openModelWorld();
});
afterEach(() => world.close());

test('only the rows of hours that have changed are written again', async () => {
  await world.prepare({ 'derived.hourly.sql': HOURLY });
  const model = world.model('derived.hourly');
  const places = async () => {
    const rows = await world.rows('(select rowid as place, read_at from derived.hourly) r order by read_at');
    return new Map(rows.map((row) => [Number(row['read_at']), Number(row['place'])]));
  };
  const first = [10, 20, 3_599, 3_600, 7_199, 7_200].map((at) => ['m', at, 1] as const);
  await world.absorb([await world.land('a', first)]);
  await world.warehouse.replace(model, span(0, 86_400));
  const before = await places();
  await world.absorb([await world.land('b', [['n', 3_700, 2]])]);
  await world.warehouse.replace(model, span(0, 86_400));
  const after = await places();
  const moved = [...before.keys()].filter((at) => before.get(at) !== after.get(at));
  expect(moved).toEqual([3_600, 7_199]);
  expect([...after.keys()]).toEqual([10, 20, 3_599, 3_600, 3_700, 7_199, 7_200]);
});

test('rows without an instant are replaced like those of an hour', async () => {
  await world.prepare({
    'derived.hourly.sql': `-- Readings of one day, and when they were high.
-- kind: window   grain: meter, read_at   time: read_at   by_hour: high_at   order: meter, read_at
select meter, read_at, level, case when level > 5 then read_at end as high_at from obs.reading
where read_at >= @start and read_at < @end`,
  });
  const model = world.model('derived.hourly');
  const rows = async () => {
    await world.warehouse.replace(model, span(0, 86_400));
    const all = await world.rows('derived.hourly order by read_at');
    return all.map((row) => [Number(row['read_at']), Number(row['level'])]);
  };
  await world.absorb([
    await world.land('a', [
      ['m', 10, 1],
      ['m', 3_700, 9],
    ]),
  ]);
  expect(await rows()).toEqual([
    [10, 1],
    [3_700, 9],
  ]);
  await world.absorb([
    await world.land('b', [
      ['n', 20, 2],
      ['n', 3_800, 8],
    ]),
  ]);
  expect(await rows()).toEqual([
    [10, 1],
    [20, 2],
    [3_700, 9],
    [3_800, 8],
  ]);
});
