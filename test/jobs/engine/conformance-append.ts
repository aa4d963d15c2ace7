// What every warehouse must do with landed files.
import { expect } from 'vitest';
import { materialize } from '../../../jobs/engine/materialize.ts';
import type { LandedHashes } from '../../../jobs/engine/warehouse.ts';
import { ALL, DAY, type ModelWorld } from '../../support/model-world.ts';
import type { Cases } from './conformance-case.ts';

const NOTHING = { files: 0, rows: 0, firstTime: null, lastTime: null };
const READING = 'obs.reading';

/** Landed files that pass `good` checks and then fail. */
const failingAfter = (good: number): LandedHashes => {
  let checks = 0;
  return {
    sha256Of: () => 'f00d',
    rowsOf: () => 1,
    check: async () => {
      checks += 1;
      if (checks > good) throw new Error('the file is not what landed');
    },
  };
};

const prepared = (check: (world: ModelWorld) => Promise<void>) => async (world: ModelWorld) => {
  await world.prepare({});
  await check(world);
};

const cases: Cases = {
  'rows of new files arrive in order, with the time that they span': async (world) => {
    const file = await world.land('a', [
      ['M2', 20, 1],
      ['m1', 30, 2],
      ['m1', 10, 3],
    ]);
    expect(await world.absorb([file])).toEqual({ files: 1, rows: 3, firstTime: 10, lastTime: 30 });
    expect(await world.rows(`${READING} order by meter, read_at`)).toEqual([
      { meter: 'm1', read_at: 10, level: 3 },
      { meter: 'm1', read_at: 30, level: 2 },
      { meter: 'm2', read_at: 20, level: 1 },
    ]);
  },

  'a file is absorbed once, whatever folder it is in': async (world) => {
    const a = await world.land('a', [['m', 1, 1]]);
    const b = await world.land('b', [['m', 2, 2]]);
    await world.absorb([a]);
    const { absorbed } = world.warehouse;
    expect((await absorbed.list([READING])).map(({ file }) => file)).toEqual(['a.parquet']);
    expect(await world.absorb([a, b])).toEqual({ files: 1, rows: 1, firstTime: 2, lastTime: 2 });
    expect(await world.absorb([a, b])).toEqual(NOTHING);
    expect(await world.rows(READING)).toHaveLength(2);
  },

  'without files there is nothing to do': async (world) => {
    expect(await world.absorb([])).toEqual(NOTHING);
  },

  'a file without rows that the model keeps is absorbed too': async (world) => {
    const file = await world.land('late', [['m', 101 * DAY, 1]]);
    expect(await world.absorb([file])).toEqual({ ...NOTHING, files: 1 });
    expect(await world.warehouse.absorbed.list([READING])).toHaveLength(1);
  },

  'rows that share a grain are refused with their key, and neither rows nor files are kept': async (
    world,
  ) => {
    const file = await world.land('a', [
      ['M', 7, 1],
      ['m', 7, 2],
    ]);
    await expect(world.absorb([file])).rejects.toThrow(
      'jobs/families/meters/obs.reading.sql: several rows share one meter, read_at: [{"meter":"m","read_at":7}]',
    );
    expect(await world.rows(READING)).toEqual([]);
    expect(await world.warehouse.absorbed.list([READING])).toEqual([]);
  },

  'batches that are absorbed in one transaction are counted each by itself': async (world) => {
    const [early, late, again] = [
      await world.land('a', [
        ['m', 1, 1],
        ['m', 2, 2],
      ]),
      await world.land('b', [
        ['m', 5, 1],
        ['n', 6, 2],
        ['n', 7, 2],
      ]),
      await world.land('c', [
        ['M', 9, 1],
        ['m', 9, 2],
      ]),
    ];
    await world.warehouse.transaction(async () => {
      expect(await world.absorb([early])).toEqual({ files: 1, rows: 2, firstTime: 1, lastTime: 2 });
      expect(await world.absorb([late])).toEqual({ files: 1, rows: 3, firstTime: 5, lastTime: 7 });
    });
    const work = world.warehouse.transaction(async () => {
      await world.absorb([await world.land('d', [['m', 8, 1]])]);
      await world.absorb([again]);
    });
    await expect(work).rejects.toThrow('several rows share one meter, read_at: [{"meter":"m","read_at":9}]');
  },

  'a missing file undoes its whole batch': async (world) => {
    const good = await world.land('a', [['m', 1, 1]]);
    await expect(world.absorb([good, `${world.folder.dir}/not-there.parquet`])).rejects.toThrow('not-there');
    expect(await world.absorb([good])).toMatchObject({ rows: 1 });
  },

  'a file that changed before or while it was read leaves nothing, and is absorbed once after it is restored':
    async (world) => {
      const file = await world.land('a', [['m', 1, 1]]);
      for (const good of [0, 1]) {
        await expect(world.absorb([file], failingAfter(good))).rejects.toThrow('not what landed');
        expect(await world.rows(READING)).toEqual([]);
      }
      await world.absorb([file], failingAfter(2));
      expect(await world.rows(READING)).toHaveLength(1);
      expect(await world.warehouse.absorbed.list([READING])).toEqual([
        { model: READING, file: 'a.parquet', sha256: 'f00d' },
      ]);
    },

  'a compacted file replaces its parts if those were absorbed': async (world) => {
    const files = [await world.land('a', [['m', 5, 1]]), await world.land('b', [['m', 2, 2]])];
    await world.absorb(files);
    const { absorbed } = world.warehouse;
    const ab = { file: 'ab.parquet', sha256: 'cafe', replaces: ['a.parquet', 'b.parquet'] };
    await absorbed.adopt(READING, ab);
    await absorbed.adopt(READING, { file: 'xy.parquet', sha256: null, replaces: ['x.parquet', 'y.parquet'] });
    expect(await absorbed.list([READING])).toEqual([{ model: READING, file: 'ab.parquet', sha256: 'cafe' }]);
    expect(await absorbed.firstTime('unsettled')).toBe(2);
    expect(await world.absorb(['/somewhere/ab.parquet'])).toEqual(NOTHING);
  },

  'a cleared model has no rows and no files, and absorbs the files that still count again': async (world) => {
    const a = await world.land('a', [['m', 5, 1]]);
    const b = await world.land('b', [['m', 6, 2]]);
    await world.absorb([a, b]);
    const before = await world.warehouse.versions.of(READING);
    await world.warehouse.clear(world.model(READING));
    expect(await world.rows(READING)).toEqual([]);
    expect(await world.warehouse.absorbed.list([READING])).toEqual([]);
    expect(await world.warehouse.absorbed.firstTime('all')).toBe(null);
    expect(await world.warehouse.versions.hasRows(READING)).toBe(false);
    expect(await world.warehouse.versions.of(READING)).not.toBe(before);
    expect(await world.absorb([b])).toEqual({ files: 1, rows: 1, firstTime: 6, lastTime: 6 });
    expect(await world.rows(READING)).toEqual([{ meter: 'm', read_at: 6, level: 2 }]);
    expect(await world.warehouse.absorbed.firstTime('unsettled')).toBe(6);
  },

  'what is absorbed is unsettled until it is settled': async (world) => {
    const { absorbed } = world.warehouse;
    expect([await absorbed.firstTime('all'), await absorbed.list([])]).toEqual([null, []]);
    await world.absorb([await world.land('a', [['m', 50, 1]])]);
    expect(await absorbed.lateModels(50)).toEqual([]);
    expect(await absorbed.lateModels(51)).toEqual([READING]);
    await absorbed.settle();
    expect(await absorbed.lateModels(51)).toEqual([]);
    expect(await absorbed.firstTime('unsettled')).toBe(null);
    await world.absorb([await world.land('b', [['m', 60, 1]])]);
    expect([await absorbed.firstTime('unsettled'), await absorbed.firstTime('all')]).toEqual([60, 50]);
  },

  'an append model is not computed like other models': async (world) => {
    await expect(materialize(world.warehouse, world.model(READING), ALL)).rejects.toThrow(
      'it absorbs landed files',
    );
  },
};

export const APPEND_CASES: Cases = Object.fromEntries(
  Object.entries(cases).map(([name, check]) => [name, prepared(check)]),
);
