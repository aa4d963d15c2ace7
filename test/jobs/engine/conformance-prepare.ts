// What every warehouse must do with the tables of models, and with rows of the configuration.
import { expect } from 'vitest';
import type { ModelTable } from '../../../jobs/engine/model.ts';
import { limitTable, READING_SQL } from '../../support/model-folder.ts';
import { ALL } from '../../support/model-world.ts';
import type { Cases } from './conformance-case.ts';

const full = (more: string) => ({
  'derived.all.sql': `-- All.\n-- kind: full   grain: meter\nselect meter${more} from obs.reading`,
});
const names = (models: readonly ModelTable[]) => models.map(({ name }) => name);

export const PREPARE_CASES: Cases = {
  'a table is created once, kept while only comments change, and rebuilt when the SQL does': async (
    world,
  ) => {
    expect(names((await world.prepare(full(''))).created)).toEqual(['obs.reading', 'derived.all']);
    await world.absorb([await world.land('a', [['m', 1, 1]])]);
    await world.warehouse.rebuild(world.model('derived.all'), ALL);
    expect(await world.prepare(full(' /* only a comment */'))).toEqual({ created: [], changed: [] });
    expect(await world.rows('derived.all')).toEqual([{ meter: 'm' }]);
    const before = await world.warehouse.definitions();
    expect(names((await world.prepare(full(', level'))).changed)).toEqual(['derived.all']);
    expect(await world.rows('derived.all')).toEqual([]);
    expect(await world.warehouse.definitions()).not.toEqual(before);
  },

  'models that read changed columns change with them': async (world) => {
    await world.prepare({
      ...full(', level as v'),
      'out.all.sql': '-- All.\n-- kind: full   grain: meter\nselect * from derived.all',
    });
    const { changed } = await world.prepare(full(', cast(level as bigint) as v'));
    expect(names(changed)).toEqual(['derived.all', 'out.all']);
  },

  'an append model that changes forgets its files, so that all are absorbed again': async (world) => {
    await world.prepare({});
    const file = await world.land('a', [['m', 1, 1]]);
    await world.absorb([file]);
    const twice = READING_SQL.replace('level from', 'level * 2 as level from');
    expect(names((await world.prepare({ 'obs.reading.sql': twice })).changed)).toEqual(['obs.reading']);
    await world.absorb([file]);
    expect(await world.rows('obs.reading')).toEqual([{ meter: 'm', read_at: 1, level: 2 }]);
  },

  'a table becomes a view and a table again': async (world) => {
    await world.prepare(full(''));
    const view = { 'derived.all.sql': full('')['derived.all.sql'].replace('kind: full', 'kind: view') };
    expect(names((await world.prepare(view)).changed)).toEqual(['derived.all']);
    expect(names((await world.prepare(full(''))).changed)).toEqual(['derived.all']);
    expect(await world.warehouse.rebuild(world.model('derived.all'), ALL)).toBe(0);
  },

  'SQL that cannot run is refused by name': async (world) => {
    await expect(world.prepare(full(', nothing_like_it'))).rejects.toThrow(
      /jobs\/families\/meters\/derived\.all\.sql: .*"?nothing_like_it/,
    );
  },

  'a header with an unknown column is refused by name': async (world) => {
    const wrong = world.prepare({
      'derived.all.sql': '-- All.\n-- kind: full   grain: metre\nselect meter from obs.reading',
    });
    await expect(wrong).rejects.toThrow(
      'jobs/families/meters/derived.all.sql: Its header names metre, which is not among its columns: meter',
    );
  },

  'models that cannot be prepared leave the existing ones unchanged': async (world) => {
    await world.prepare(full(''));
    await expect(world.prepare(full(', nothing_like_it'))).rejects.toThrow();
    expect(await world.prepare(full(''))).toEqual({ created: [], changed: [] });
  },

  'policy rows are bound with their types, even if there are none': async (world) => {
    const { warehouse, rows } = world;
    await world.prepare({});
    const types = await warehouse.describe('policy.limits');
    expect(types?.map(({ name }) => name)).toEqual(['name', 'highest']);
    await warehouse.bindPolicy(limitTable, [{ name: 'a', highest: 1 }, {}]);
    expect(await rows('policy.limits')).toEqual([
      { name: 'a', highest: 1 },
      { name: null, highest: null },
    ]);
    await warehouse.bindPolicy(limitTable, []);
    expect(await rows('policy.limits')).toEqual([]);
    expect(await warehouse.describe('policy.limits')).toEqual(types);
    await expect(warehouse.bindPolicy(limitTable, [{ nane: 'a' }])).rejects.toThrow(
      'Policy table limits: a row has nane, which is not a column of this table',
    );
  },
};
