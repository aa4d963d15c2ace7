// What every warehouse must do with models that replace a window.
import { expect } from 'vitest';
import { EngineError } from '../../../jobs/engine/errors.ts';
import { materialize } from '../../../jobs/engine/materialize.ts';
import { DAY, type ModelWorld, span } from '../../support/model-world.ts';
import type { Cases } from './conformance-case.ts';

const DAILY = `-- Readings of one day.
-- kind: window   grain: meter, day   time: day   order: day, meter
select meter, read_at - read_at % 86400 as day, cast(count(*) as bigint) as n from obs.reading
where read_at >= @start and read_at < @end group by meter, read_at - read_at % 86400`;
const UNBOUND = DAILY.replace('where read_at >= @start and read_at < @end ', '');
const TOTAL = `-- Readings so far.
-- kind: window   grain: meter, day   time: day
select meter, cast(sum(n) as bigint) as n, @start as day, max(level) as highest
from (
  select meter, n, highest as level from derived.total where day = @start - 86400
  union all
  select meter, 1 as n, level from obs.reading where read_at >= @start and read_at < @end
) both_parts group by meter`;

const HOURLY = `-- Readings of one instant.
-- kind: window   grain: meter, read_at   time: day   by_hour: read_at   order: day, meter, read_at
select meter, read_at, read_at - read_at % 86400 as day, cast(max(level) as bigint) as level from obs.reading
where read_at >= @start and read_at < @end group by meter, read_at`;

const VALUES = `-- Values of every kind.
-- kind: window   grain: meter, day   time: day
select
  meter, read_at - read_at % 86400 as day, cast(count(*) as bigint) as n,
  concat(meter, '''s "text"', chr(10), chr(233), ' \\n') as text,
  cast(max(level) as bigint) + 9007199254740993 as large,
  cast(5e-324 as double) as tiny,
  cast(max(level) as double) / 3 as third,
  cast(concat('12345678901234567890.00000000000000000', cast(cast(max(level) as bigint) as varchar)) as decimal(38, 18)) as wide,
  max(level) > 4 as is_high,
  cast(null as varchar) as nothing,
  array_agg(cast(level as double) / 3 order by level) as levels,
  cast(row(max(level), concat(meter, ' ''')) as row(highest double, name varchar)) as highest,
  coalesce(array_agg(meter) filter (where level > 99), array[]) as none
from obs.reading where read_at >= @start and read_at < @end group by meter, read_at - read_at % 86400`;
const VALUES_COPY = `-- The same.
-- kind: full   grain: meter, day
select * from derived.value`;

const replace = (world: ModelWorld, from: number, to: number) =>
  world.warehouse.replace(world.model('derived.daily'), span(from, to));
const days = (world: ModelWorld) => world.rows('derived.daily order by day, meter');

export const WINDOW_CASES: Cases = {
  'its own days are recomputed and other days are left alone': async (world) => {
    await world.prepare({ 'derived.daily.sql': DAILY });
    await world.absorb([
      await world.land('a', [
        ['m', 1, 1],
        ['m', DAY + 1, 1],
        ['m', 2 * DAY, 1],
      ]),
    ]);
    expect(await replace(world, 0, 3 * DAY)).toBe(3);
    await world.absorb([
      await world.land(
        'b',
        [2, DAY + 2, 2 * DAY + 2].map((at) => ['m', at, 1] as const),
      ),
    ]);
    expect(await replace(world, DAY, 2 * DAY)).toBe(1);
    expect(await days(world)).toEqual([
      { meter: 'm', day: 0, n: 1 },
      { meter: 'm', day: DAY, n: 2 },
      { meter: 'm', day: 2 * DAY, n: 1 },
    ]);
  },

  'a model by the hour has the rows of all its hours, whichever of them have changed': async (world) => {
    await world.prepare({ 'derived.hourly.sql': HOURLY });
    const model = world.model('derived.hourly');
    const rows = async () =>
      (await world.rows('derived.hourly order by read_at, meter')).map(({ meter, read_at, level }) => [
        meter,
        read_at,
        level,
      ]);
    await world.absorb([
      await world.land('a', [
        ['m', 10, 1],
        ['m', 3_599, 2],
        ['m', 3_600, 3],
        ['n', 7_200, 4],
      ]),
    ]);
    expect(await world.warehouse.replace(model, span(0, DAY))).toBe(4);
    await world.absorb([
      await world.land('b', [
        ['m', 3_600, 9],
        ['m', 10_800, 5],
      ]),
    ]);
    expect(await world.warehouse.replace(model, span(0, DAY))).toBe(5);
    expect(await rows()).toEqual([
      ['m', 10, 1],
      ['m', 3_599, 2],
      ['m', 3_600, 9],
      ['n', 7_200, 4],
      ['m', 10_800, 5],
    ]);
    // Without its readings, an hour has no rows.
    await world.warehouse.replace(model, span(0, 7_200));
    expect((await rows()).map(([, at]) => at)).toEqual([10, 3_599, 3_600]);
  },

  'the start belongs to a window and the end does not': async (world) => {
    await world.prepare({ 'derived.daily.sql': UNBOUND });
    await world.absorb([
      await world.land('a', [
        ['m', 0, 1],
        ['m', DAY, 1],
        ['m', 2 * DAY, 1],
      ]),
    ]);
    expect(await replace(world, DAY, 2 * DAY)).toBe(1);
    expect((await days(world)).map((row) => row['day'])).toEqual([DAY]);
  },

  'the same rows come out however often it runs': async (world) => {
    await world.prepare({ 'derived.daily.sql': DAILY });
    await world.absorb([
      await world.land('a', [
        ['m', 1, 1],
        ['n', 1, 1],
      ]),
    ]);
    for (const _ of [1, 2, 3]) expect(await replace(world, 0, DAY)).toBe(2);
    expect(await days(world)).toHaveLength(2);
  },

  'rows outside the window are not written: they belong to another window': async (world) => {
    await world.prepare({ 'derived.daily.sql': UNBOUND });
    await world.absorb([
      await world.land('a', [
        ['m', 1, 1],
        ['m', DAY, 1],
      ]),
    ]);
    for (const start of [0, DAY]) await replace(world, start, start + DAY);
    expect(await days(world)).toHaveLength(2);
  },

  'rows that the model no longer returns are removed': async (world) => {
    const levels = (above: number) => DAILY.replace('< @end', `< @end and level > ${above}`);
    await world.prepare({ 'derived.daily.sql': levels(0) });
    await world.absorb([await world.land('a', [['m', 1, 1]])]);
    expect(await replace(world, 0, DAY)).toBe(1);
    const emptied = { ...world.model('derived.daily'), sql: levels(5) };
    expect(await world.warehouse.replace(emptied, span(0, DAY))).toBe(0);
    expect(await days(world)).toEqual([]);
  },

  'a model that continues from its own rows gets its types from itself, and can be recomputed': async (
    world,
  ) => {
    await world.prepare({ 'derived.total.sql': TOTAL });
    const types = await world.warehouse.describe('derived.total');
    expect(types?.map(({ name }) => name)).toEqual(['meter', 'n', 'day', 'highest']);
    await world.absorb([
      await world.land('a', [
        ['m', 1, 5],
        ['m', 2, 4],
        ['m', DAY, 1],
      ]),
    ]);
    const model = world.model('derived.total');
    for (const start of [0, DAY, DAY]) await world.warehouse.replace(model, span(start, start + DAY));
    expect(await world.rows('derived.total order by day')).toEqual([
      { meter: 'm', n: 2, day: 0, highest: 5 },
      { meter: 'm', n: 3, day: DAY, highest: 5 },
    ]);
    expect(await world.prepare({ 'derived.total.sql': TOTAL })).toEqual({ created: [], changed: [] });
  },

  'values of every kind are kept when some rows change and others do not': async (world) => {
    await world.prepare({ 'derived.value.sql': VALUES, 'derived.copy.sql': VALUES_COPY });
    const readings = [1, 2, 3, DAY + 1, 2].map((at, index) => [`m${at % 4}`, at, index + 1] as const);
    const counts: unknown[] = [];
    for (const [index, reading] of readings.entries()) {
      await world.absorb([await world.land(`f${index}`, [reading])]);
      for (const name of ['derived.value', 'derived.copy'])
        await materialize(world.warehouse, world.model(name), span(0, 2 * DAY));
      const rows = await world.rows('derived.value order by meter, day');
      expect(await world.rows('derived.copy order by meter, day')).toEqual(rows);
      for (const { meter, text } of rows) expect(text).toBe(`${meter}'s "text"\n\u00e9 \\n`);
      counts.push(rows.map(({ n }) => n));
    }
    expect(counts).toEqual([[1], [1, 1], [1, 1, 1], [1, 1, 1, 1], [1, 1, 2, 1]]);
    expect(await world.rows("derived.copy where meter = 'm2'")).toMatchObject([
      {
        tiny: 5e-324,
        third: 5 / 3,
        wide: '12345678901234567890.000000000000000005',
        large: '9007199254740998',
        is_high: true,
        nothing: null,
      },
    ]);
  },

  'a statement that fails leaves the rows of the window unchanged': async (world) => {
    const failing = DAILY.replace('cast(count(*) as bigint)', 'cast(sum(1 / (level - 2)) as bigint)');
    await world.prepare({ 'derived.daily.sql': failing });
    await world.absorb([await world.land('a', [['m', 1, 1]])]);
    await replace(world, 0, DAY);
    await world.absorb([await world.land('b', [['m', 2, 2]])]);
    await expect(replace(world, 0, DAY)).rejects.toThrow(EngineError);
    expect(await days(world)).toEqual([{ meter: 'm', day: 0, n: -1 }]);
  },
};
