// What every warehouse must report about the state of its tables.
import { expect } from 'vitest';
import { materialize } from '../../../jobs/engine/materialize.ts';
import { ColumnValues } from '../../../jobs/incremental/column-values.ts';
import { type ModelWorld, ALL, span } from '../../support/model-world.ts';
import { limitTable } from '../../support/model-folder.ts';
import type { Cases } from './conformance-case.ts';

const KINDS = {
  'derived.all.sql':
    '-- All.\n-- kind: full   grain: meter, read_at\nselect meter, read_at, level from obs.reading',
  'derived.days.sql':
    '-- Days.\n-- kind: window   grain: meter, read_at   time: read_at\nselect meter, read_at, level from obs.reading where read_at < @end',
  'derived.last.sql':
    '-- Last.\n-- kind: merge   grain: meter\nselect meter, max_by(level, read_at) as level from obs.reading where read_at < @end group by meter',
};
const TABLES = ['derived.all', 'derived.days', 'derived.last'];

const versionsOf = (world: ModelWorld) =>
  Promise.all(TABLES.map((table) => world.warehouse.versions.of(table)));

async function compute(world: ModelWorld, window = ALL): Promise<readonly string[]> {
  for (const table of TABLES) await materialize(world.warehouse, world.model(table), window);
  return versionsOf(world);
}

export const VERSION_CASES: Cases = {
  'a model table has rows from when it gets some until they are gone; for other tables this is unknown':
    async (world) => {
      const { warehouse } = world;
      const filled = () => Promise.all(TABLES.map((table) => warehouse.versions.hasRows(table)));
      await world.prepare(KINDS);
      expect(await filled()).toEqual([false, false, false]);
      await compute(world);
      expect(await filled()).toEqual([false, false, false]);
      await world.absorb([await world.land('a', [['m', 5, 1]])]);
      expect(await warehouse.versions.hasRows('obs.reading')).toBe(true);
      await compute(world, span(0, 4));
      expect(await filled()).toEqual([true, false, false]);
      await compute(world);
      expect(await filled()).toEqual([true, true, true]);
      const failure = warehouse.transaction(async () => {
        await world.warehouse.replace(world.model('derived.days'), span(-9, 4));
        await world.prepare({ ...KINDS, 'derived.all.sql': `${KINDS['derived.all.sql']} where level > 9` });
        throw new Error('rolled back');
      });
      await expect(failure).rejects.toThrow();
      expect(await filled()).toEqual([true, true, true]);
      await world.prepare({ ...KINDS, 'derived.all.sql': `${KINDS['derived.all.sql']} where level > 9` });
      expect(await filled()).toEqual([false, true, true]);
      for (const other of ['policy.limits', 'landing.reading'])
        expect([other, await warehouse.versions.hasRows(other)]).toEqual([other, true]);
    },

  'a version changes with the rows of its table and only then': async (world) => {
    await world.prepare(KINDS);
    const empty = await versionsOf(world);
    expect(new Set(empty).size).toBe(TABLES.length);
    expect(await compute(world)).toEqual(empty);
    const reading = await world.warehouse.versions.of('obs.reading');
    const file = await world.land('a', [
      ['m', 1, 1],
      ['n', 2, 2],
    ]);
    await world.absorb([file]);
    expect(await world.warehouse.versions.of('obs.reading')).not.toBe(reading);
    const filled = await compute(world);
    for (const [index, version] of filled.entries()) expect(version).not.toBe(empty[index]);
    expect(await compute(world)).toEqual(filled);
    await world.absorb([await world.land('b', [['m', 3, 5]])]);
    const more = await compute(world);
    for (const [index, version] of more.entries()) expect(version).not.toBe(filled[index]);
  },

  'no version is used again, even when earlier rows return': async (world) => {
    await world.prepare(KINDS);
    await world.absorb([await world.land('a', [['m', 5, 1]])]);
    const seen = new Set<string>();
    for (const end of [10, 3, 10, 3]) {
      await materialize(world.warehouse, world.model('derived.days'), span(0, 10));
      await world.warehouse.transaction(async () => {
        await materialize(world.warehouse, world.model('derived.all'), ALL);
      });
      if (end === 3)
        await world.prepare({
          ...KINDS,
          'derived.days.sql': `${KINDS['derived.days.sql']} and ${end} = ${end + seen.size}`,
        });
      else await world.prepare(KINDS);
      const version = await world.warehouse.versions.of('derived.days');
      expect(seen.has(version)).toBe(false);
      seen.add(version);
    }
  },

  'a change that failed leaves the version unchanged': async (world) => {
    await world.prepare(KINDS);
    await world.absorb([await world.land('a', [['m', 5, 1]])]);
    const before = await versionsOf(world);
    const work = async () => {
      await compute(world);
      throw new Error('stop');
    };
    await expect(world.warehouse.transaction(work)).rejects.toThrow('stop');
    if (world.warehouse.capabilities.transactions) expect(await versionsOf(world)).toEqual(before);
    for (const [index, version] of (await compute(world)).entries()) expect(version).not.toBe(before[index]);
  },

  'the version of a policy table depends on its rows': async (world) => {
    const of = async (highest: number) => {
      await world.warehouse.bindPolicy(limitTable, [{ name: 'high', highest }]);
      return world.warehouse.versions.of(`policy.${limitTable.name}`);
    };
    const first = await of(1);
    expect(await of(2)).not.toBe(first);
    expect(await of(1)).toBe(first);
  },

  'the next value of a column is the lowest one at or after an instant': async (world) => {
    await world.prepare(KINDS);
    await world.absorb([
      await world.land('a', [
        ['m', 5, 1],
        ['m', 9, 1],
      ]),
    ]);
    const columns = new ColumnValues(world.warehouse);
    const next = (at: number, side: 'from' | 'above', column = 'read_at') =>
      columns.next({ table: 'obs.reading', column, expression: column }, { at, side });
    expect([
      await next(5, 'from'),
      await next(5, 'above'),
      await next(9, 'from'),
      await next(9, 'above'),
    ]).toEqual([5, 9, 9, null]);
    expect([await next(6, 'from'), await next(1, 'from'), await next(10, 'from')]).toEqual([9, 5, null]);
    expect(await next(1, 'from', 'nothing')).toBeUndefined();
    await world.absorb([await world.land('b', [['m', 12, 1]])]);
    expect([await next(9, 'above'), await next(10, 'from')]).toEqual([12, 12]);
  },

  'values that are queried together equal those queried one by one': async (world) => {
    await world.prepare(KINDS);
    await world.absorb([
      await world.land('a', [
        ['m', 5, 1],
        ['m', 9, 7],
      ]),
    ]);
    const columns = new ColumnValues(world.warehouse);
    const values = (column: string, expression = column) => ({ table: 'obs.reading', column, expression });
    const questions = [
      { values: values('read_at'), at: 6, side: 'from' },
      { values: values('read_at'), at: 9, side: 'above' },
      { values: values('read_at', '(read_at + 10)'), at: 16, side: 'above' },
      { values: values('level'), at: 1, side: 'above' },
      { values: values('nothing'), at: 1, side: 'from' },
    ] as const;
    const answers = () =>
      Promise.all(questions.map(({ values: of, ...direction }) => columns.next(of, direction)));
    await columns.announce(questions);
    expect(await answers()).toEqual([9, null, 19, 7, undefined]);
    await world.absorb([await world.land('b', [['m', 8, 3]])]);
    expect(await answers()).toEqual([8, null, 18, 3, undefined]);
    await columns.announce(questions);
    await world.absorb([await world.land('c', [['m', 7, 2]])]);
    expect(await answers()).toEqual([7, null, 17, 2, undefined]);
  },

  'the distinct values of a column are known if there are few': async (world) => {
    await world.prepare(KINDS);
    const columns = new ColumnValues(world.warehouse);
    const values = (column = 'level') =>
      columns.values({ table: 'obs.reading', column, expression: `0 - ${column}` });
    expect(await values()).toEqual([]);
    await world.absorb([
      await world.land('a', [
        ['m', 5, 1],
        ['m', 9, 2],
        ['n', 9, 2],
      ]),
    ]);
    expect((await values())?.toSorted()).toEqual([-1, -2]);
    expect(await values('nothing')).toBeUndefined();
    const many = Array.from({ length: 100 }, (_, index) => ['m', index + 10, index] as const);
    await world.absorb([await world.land('b', many)]);
    expect(await values()).toBeNull();
  },
};
