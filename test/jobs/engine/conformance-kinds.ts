// What every warehouse must do with models of kind view, full and merge.
import { expect } from 'vitest';
import { EngineError } from '../../../jobs/engine/errors.ts';
import { materialize } from '../../../jobs/engine/materialize.ts';
import { ALL, type ModelWorld, span } from '../../support/model-world.ts';
import type { Cases } from './conformance-case.ts';

const FULL =
  '-- All.\n-- kind: full   grain: meter, read_at   order: read_at desc\nselect * from obs.reading';
const VIEW =
  '-- Now.\n-- kind: view   grain: meter\nselect meter, max(read_at) as at from obs.reading where read_at < @end group by meter';
const MERGE =
  '-- Last.\n-- kind: merge   grain: meter\nselect meter, max_by(level, read_at) as level from obs.reading where read_at >= @start and read_at < @end group by meter';

const absorb = async (world: ModelWorld, name: string, rows: Parameters<ModelWorld['land']>[1]) =>
  world.absorb([await world.land(name, rows)]);

export const KIND_CASES: Cases = {
  'full replaces everything': async (world) => {
    await world.prepare({ 'derived.all.sql': FULL });
    const model = world.model('derived.all');
    await absorb(world, 'a', [
      ['m', 1, 1],
      ['n', 2, 2],
    ]);
    expect(await materialize(world.warehouse, model, ALL)).toBe(2);
    await absorb(world, 'b', [['m', 3, 3]]);
    for (const _ of [1, 2]) expect(await materialize(world.warehouse, model, ALL)).toBe(3);
    const times = (await world.rows('derived.all')).map((row) => row['read_at']);
    expect(times.toSorted()).toEqual([1, 2, 3]);
  },

  'a full model that fails leaves its table unchanged': async (world) => {
    await world.prepare({
      'derived.all.sql':
        '-- All.\n-- kind: full   grain: meter\nselect meter, cast(1 / (level - 2) as bigint) as v from obs.reading',
    });
    const model = world.model('derived.all');
    await absorb(world, 'a', [['m', 1, 1]]);
    await materialize(world.warehouse, model, ALL);
    await absorb(world, 'b', [['m', 2, 2]]);
    await expect(materialize(world.warehouse, model, ALL)).rejects.toThrow(EngineError);
    expect(await world.rows('derived.all')).toEqual([{ meter: 'm', v: -1 }]);
  },

  'a view computes when it is read, as of the last window': async (world) => {
    await world.prepare({ 'derived.seen.sql': VIEW });
    const model = world.model('derived.seen');
    await absorb(world, 'a', [['m', 1, 1]]);
    expect(await materialize(world.warehouse, model, span(0, 3))).toBe(0);
    await absorb(world, 'b', [
      ['m', 2, 2],
      ['m', 3, 3],
    ]);
    expect(await world.rows('derived.seen')).toEqual([{ meter: 'm', at: 2 }]);
    await materialize(world.warehouse, model, span(3, 4));
    expect(await world.rows('derived.seen')).toEqual([{ meter: 'm', at: 3 }]);
  },

  'merge replaces by grain and keeps the rest, however often it runs': async (world) => {
    await world.prepare({ 'derived.last.sql': MERGE });
    const model = world.model('derived.last');
    await absorb(world, 'a', [
      ['m', 1, 1],
      ['n', 2, 2],
    ]);
    expect(await materialize(world.warehouse, model, span(0, 3))).toBe(2);
    await absorb(world, 'b', [['m', 3, 3]]);
    for (const _ of [1, 2]) expect(await materialize(world.warehouse, model, span(3, 4))).toBe(1);
    expect(await world.rows('derived.last order by meter')).toEqual([
      { meter: 'm', level: 3 },
      { meter: 'n', level: 2 },
    ]);
  },

  'merge treats nulls in the grain as equal': async (world) => {
    const sql = MERGE.replace('select meter,', "select nullif(meter, 'none') as meter,").replace(
      'group by meter',
      "group by nullif(meter, 'none')",
    );
    await world.prepare({ 'derived.last.sql': sql });
    const model = world.model('derived.last');
    await absorb(world, 'a', [
      ['none', 1, 1],
      ['m', 1, 5],
    ]);
    await materialize(world.warehouse, model, span(0, 2));
    await absorb(world, 'b', [['none', 2, 2]]);
    await materialize(world.warehouse, model, span(2, 3));
    expect(await world.rows('derived.last order by level')).toEqual([
      { meter: null, level: 2 },
      { meter: 'm', level: 5 },
    ]);
  },

  'a merge that fails leaves its table unchanged': async (world) => {
    await world.prepare({
      'derived.last.sql': MERGE.replace('max_by(level, read_at)', 'cast(sum(1 / (level - 2)) as bigint)'),
    });
    const model = world.model('derived.last');
    await absorb(world, 'a', [['m', 1, 1]]);
    await materialize(world.warehouse, model, ALL);
    await absorb(world, 'b', [['m', 2, 2]]);
    await expect(materialize(world.warehouse, model, ALL)).rejects.toThrow(EngineError);
    expect(await world.rows('derived.last')).toEqual([{ meter: 'm', level: -1 }]);
  },
};
