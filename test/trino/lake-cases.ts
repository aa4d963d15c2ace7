// Failures of a warehouse on Trino: runs that end in the middle, statements whose outcome is unknown, and changes made by others.
import { expect, test } from 'vitest';
import { WarehouseBusyError } from '../../jobs/engine/errors.ts';
import type { TrinoWarehouse } from '../../jobs/engine/trino/warehouse.ts';
import { openScratchEngine } from '../support/case-duckdb.ts';
import { limitTable, readingTable } from '../support/model-folder.ts';
import { ALL, type ModelWorld, openModelWorld } from '../support/model-world.ts';
import type { LakeServer } from './lake-server.ts';

const DAILY = {
  'derived.daily.sql':
    '-- Days.\n-- kind: window   grain: meter, read_at   time: read_at\nselect meter, read_at, level from obs.reading where read_at < @end',
};
const READINGS = 'select meter, read_at, level from obs.reading order by read_at';

interface Lake {
  readonly lake: LakeServer;
  readonly world: ModelWorld;
}

/** Closes the warehouse and opens it as the next process would. */
async function reopened<T>(
  { lake, world }: Lake,
  check: (warehouse: TrinoWarehouse) => Promise<T>,
): Promise<T> {
  const db = await openScratchEngine();
  try {
    const warehouse = await lake.open(db);
    try {
      await warehouse.bindPolicy(limitTable, [{ name: 'high', highest: 9 }]);
      expect(await warehouse.prepare({ models: world.models(), raw: [readingTable] })).toEqual({
        created: [],
        changed: [],
      });
      return await check(warehouse);
    } finally {
      await warehouse.close();
    }
  } finally {
    await db.close();
  }
}

/** Passes everything on to Trino, but returns a failure for the first matching statement: instead of running it, or after it has run. */
function failingOnce(fits: RegExp, when: 'before' | 'after', inner: typeof fetch): typeof fetch {
  const failure = {
    error: { message: 'a node was lost', errorName: 'PAGE_TRANSPORT_TIMEOUT', errorType: 'INTERNAL_ERROR' },
  };
  let state: 'waiting' | 'failing' | 'over' = 'waiting';
  return async (address, init) => {
    if (state === 'waiting' && init?.method === 'POST' && fits.test(String(init.body))) state = 'failing';
    if (state !== 'failing') return inner(address, init);
    if (when === 'after') {
      const answer = await inner(address, init);
      const body = (await answer.json()) as { readonly nextUri?: string };
      if (body.nextUri !== undefined) return Response.json(body);
    }
    state = 'over';
    return Response.json(failure);
  };
}

const CASES: Readonly<Record<string, (lake: Lake) => Promise<void>>> = {
  'a file that was added by a run that ended before recording it is not added twice': async (own) => {
    const file = await own.world.land('a', [['m', 1, 1]]);
    await own.world.absorb([file]);
    await own.world.warehouse.close();
    await own.lake.sql(`update meta.absorbed set is_pending = true;
      update meta.table_state set is_writing = true, location = 'before' where name = 'obs.reading'`);
    await reopened(own, async (warehouse) => {
      expect(await warehouse.absorbed.list(['obs.reading'])).toHaveLength(1);
      const again = { raw: readingTable, files: [file], parameters: ALL };
      expect(await warehouse.absorb(own.world.model('obs.reading'), again)).toMatchObject({ files: 0 });
      expect(await warehouse.rows(READINGS)).toEqual([{ meter: 'm', read_at: 1, level: 1 }]);
    });
  },

  'a file that was not yet added is added by the next run': async (own) => {
    const file = await own.world.land('a', [['m', 1, 1]]);
    await own.world.warehouse.close();
    await own.lake.sql(`insert into meta.absorbed (model, file, first_time, batch, is_pending)
      values ('obs.reading', 'a.parquet', 1, 'obs.reading/never', true);
      update meta.table_state set is_writing = true where name = 'obs.reading'`);
    await reopened(own, async (warehouse) => {
      expect(await warehouse.absorbed.list(['obs.reading'])).toEqual([]);
      const absorption = { raw: readingTable, files: [file], parameters: ALL };
      expect(await warehouse.absorb(own.world.model('obs.reading'), absorption)).toMatchObject({ rows: 1 });
      expect(await warehouse.rows(READINGS)).toHaveLength(1);
    });
  },

  'a version changes with a change whose outcome was not seen': async (own) => {
    await own.world.absorb([await own.world.land('a', [['m', 1, 1]])]);
    const before = await own.world.warehouse.versions.of('obs.reading');
    await own.world.warehouse.close();
    await own.lake.sql(
      `update meta.table_state set is_writing = true, location = 'before' where name = 'obs.reading'`,
    );
    await reopened(own, async ({ versions }) => {
      expect(await versions.of('obs.reading')).not.toBe(before);
      expect(await versions.hasRows('obs.reading')).toBe(true);
    });
  },

  'a table that something else changed is refused, before a change and when the next run begins': async ({
    lake,
    world,
  }) => {
    await world.absorb([await world.land('a', [['m', 1, 1]])]);
    await lake.sql(
      `update iceberg_tables set metadata_location = metadata_location || 'x' where table_name = 'reading'`,
    );
    const refused = 'obs.reading of the warehouse was changed by something other';
    await expect(world.absorb([await world.land('b', [['m', 2, 2]])])).rejects.toThrow(refused);
    await world.warehouse.close();
    await expect(reopened({ lake, world }, async () => undefined)).rejects.toThrow(refused);
    await lake.sql(`delete from iceberg_tables where table_name = 'reading'`);
    await expect(reopened({ lake, world }, async () => undefined)).rejects.toThrow(
      'was dropped by something',
    );
    const db = await openScratchEngine();
    const rebuilt = await lake.open(db, { isRebuild: true });
    await rebuilt.bindPolicy(limitTable, []);
    const { created } = await rebuilt.prepare({ models: world.models(), raw: [readingTable] });
    expect(created).toHaveLength(2);
    expect(await rebuilt.rows(READINGS)).toEqual([]);
    await rebuilt.close();
    await db.close();
  },

  'two processes cannot have the warehouse at the same time': async (own) => {
    await expect(reopened(own, async () => undefined)).rejects.toThrow(WarehouseBusyError);
  },

  'a catalogue of another installation, a missing one and one of another kind are refused': async ({
    lake,
    world,
  }) => {
    await world.warehouse.close();
    const db = await openScratchEngine();
    const connection = { url: lake.trino.base, user: 'risk', password: '', source: 'test' };
    await expect(lake.open(db, { connection: { ...connection, catalog: 'nothing' } })).rejects.toThrow(
      'no catalogue',
    );
    await expect(lake.open(db, { connection: { ...connection, catalog: 'system' } })).rejects.toThrow(
      'system connector',
    );
    await lake.sql('drop schema meta cascade');
    await expect(lake.open(db)).rejects.toThrow('belongs to another installation');
    await lake.reset();
    await lake.sql(`insert into iceberg_tables values ('lake', 'obs', 'other', 's3://x/y', null, 'TABLE')`);
    await expect(lake.open(db)).rejects.toThrow('holds tables of something else');
    await db.close();
  },

  'files are compacted after many changes, and the version is unchanged': async ({ lake, world }) => {
    await world.absorb([await world.land('a', [['m', 1, 1]])]);
    await lake.sql(`update meta.table_state set commits = 49`);
    await world.warehouse.close();
    await reopened({ lake, world }, async (warehouse) => {
      const files = [await world.land('b', [['m', 2, 2]])];
      await warehouse.absorb(world.model('obs.reading'), { raw: readingTable, files, parameters: ALL });
      expect(await warehouse.rows(READINGS)).toHaveLength(2);
      const version = await warehouse.versions.of('obs.reading');
      const [state] = await lake.sql(
        `select commits, version from meta.table_state where name = 'obs.reading'`,
      );
      expect(state).toMatchObject({ commits: '0', version });
    });
    await reopened({ lake, world }, async (warehouse) => {
      expect(await warehouse.rows(READINGS)).toHaveLength(2);
    });
  },
};

const LOST = ['before', 'after'] as const;

export function lakeCases(lakeOf: () => LakeServer): void {
  test.each(Object.entries(CASES))('%s', async (_, check) => {
    const lake = lakeOf();
    await lake.reset();
    const world = await openModelWorld((db) => lake.open(db));
    try {
      await world.prepare(DAILY);
      await check({ lake, world });
    } finally {
      await world.close();
    }
  });

  test.each(LOST)(
    'a statement that fails because a node is lost %s its effect is done once',
    async (when) => {
      const lake = lakeOf();
      await lake.reset();
      const failing = failingOnce(/^merge into/, when, failingOnce(/add_files/, when, fetch));
      const world = await openModelWorld((db) =>
        lake.open(db, { effects: { fetch: failing, wait: async () => undefined } }),
      );
      try {
        await world.prepare(DAILY);
        const daily = world.model('derived.daily');
        await world.absorb([await world.land('a', [['m', 1, 1]])]);
        expect(await world.warehouse.replace(daily, ALL)).toBe(1);
        await world.absorb([await world.land('b', [['m', 2, 2]])]);
        expect(await world.warehouse.replace(daily, ALL)).toBe(2);
        expect(await world.rows('derived.daily order by read_at')).toHaveLength(2);
      } finally {
        await world.close();
      }
    },
  );
}
