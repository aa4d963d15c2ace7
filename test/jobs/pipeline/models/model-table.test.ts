import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { materialize } from '../../../../jobs/pipeline/models/materialize.ts';
import type { Model } from '../../../../jobs/pipeline/models/model.ts';
import { READING_SQL } from '../../../support/model-folder.ts';
import { ALL, type ModelWorld, openModelWorld } from '../../../support/model-world.ts';

let world: ModelWorld;
beforeEach(async () => {
  world = await openModelWorld();
});
afterEach(() => world.close());

describe('a model that changes', () => {
  const full = (more: string) => ({
    'derived.all.sql': `-- All.\n-- kind: full   grain: meter\nselect meter${more} from obs.reading`,
  });
  const names = (list: readonly Model[]) => list.map(({ name }) => name);

  test('is created once, kept while only its comments change, and made anew when its SQL does', async () => {
    expect(names((await world.prepare(full(''))).created)).toEqual(['obs.reading', 'derived.all']);
    await world.absorbFiles([await world.folder.land(world.engine, 'a', [['m', 1, 1]])]);
    await materialize(world.engine, world.model('derived.all'), ALL);
    expect(await world.prepare(full(' /* only a comment */'))).toEqual({ created: [], changed: [] });
    expect(await world.rows('derived.all')).toEqual([{ meter: 'm' }]);
    expect(names((await world.prepare(full(', level'))).changed)).toEqual(['derived.all']);
    expect(await world.rows('derived.all')).toEqual([]);
  });

  test('takes those that read its columns along', async () => {
    await world.prepare({
      ...full(', level as v'),
      'out.all.sql': '-- All.\n-- kind: full   grain: meter\nselect * from derived.all',
    });
    const { changed } = await world.prepare(full(', cast(level as bigint) as v'));
    expect(names(changed)).toEqual(['derived.all', 'out.all']);
  });

  test('of kind append forgets its files, so that all are absorbed again', async () => {
    await world.prepare({});
    const file = await world.folder.land(world.engine, 'a', [['m', 1, 1]]);
    await world.absorbFiles([file]);
    expect(
      names(
        (
          await world.prepare({
            'obs.reading.sql': READING_SQL.replace('level from', 'level * 2 as level from'),
          })
        ).changed,
      ),
    ).toEqual(['obs.reading']);
    await world.absorbFiles([file]);
    expect(await world.rows('obs.reading')).toEqual([{ meter: 'm', read_at: 1, level: 2 }]);
  });

  test('from a table into a view and back is made anew', async () => {
    await world.prepare(full(''));
    const view = { 'derived.all.sql': full('')['derived.all.sql'].replace('kind: full', 'kind: view') };
    expect(names((await world.prepare(view)).changed)).toEqual(['derived.all']);
    expect(names((await world.prepare(full(''))).changed)).toEqual(['derived.all']);
    expect(await materialize(world.engine, world.model('derived.all'), ALL)).toBe(0);
  });

  test('into SQL that cannot run is refused by name', async () => {
    await expect(world.prepare(full(', nothing_like_it'))).rejects.toThrow(
      /jobs\/meters\/derived\.all\.sql: .*"nothing_like_it" not found/,
    );
  });

  test('to a header with a column it does not have is refused by name', async () => {
    const wrong = world.prepare({
      'derived.all.sql': '-- All.\n-- kind: full   grain: metre\nselect meter from obs.reading',
    });
    await expect(wrong).rejects.toThrow(
      'jobs/meters/derived.all.sql: its header names metre, which is not among its columns: meter',
    );
  });
});
