// A warehouse with unchanged rows runs few statements: each costs the CPU time of a small query.
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { DuckDb } from '../../../../jobs/engine/duckdb/session.ts';
import { DuckDbWarehouse } from '../../../../jobs/engine/duckdb/warehouse.ts';
import { materialize } from '../../../../jobs/engine/materialize.ts';
import type { StateTable } from '../../../../jobs/engine/warehouse.ts';
import { ALL, type ModelWorld, openModelWorld } from '../../../support/model-world.ts';

const NOTES: StateTable = {
  name: 'meta.note',
  columns: [
    { name: 'name', type: 'VARCHAR' },
    { name: 'day', type: 'BIGINT' },
  ],
};
const KINDS = {
  'derived.all.sql':
    '-- All.\n-- kind: full   grain: meter, read_at\nselect meter, read_at, level from obs.reading',
  'derived.last.sql':
    '-- Last.\n-- kind: full   grain: meter\nselect meter, max_by(level, read_at) as level from derived.all group by meter',
};

const statements: string[] = [];

/** Notes every statement that is run on it. */
const noted = (db: DuckDb): DuckDb =>
  new Proxy(db, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      if (name !== 'execute' && name !== 'rows' && name !== 'append') return member.bind(target);
      return (sql: string, ...rest: unknown[]) => {
        statements.push(sql);
        return Reflect.apply(member, target, [sql, ...rest]);
      };
    },
  });

let world: ModelWorld;
beforeEach(async () => {
  world = await openModelWorld(async (db) => new DuckDbWarehouse(noted(db)));
  await world.prepare(KINDS);
});
afterEach(() => world.close());

async function ran(work: () => Promise<unknown>): Promise<number> {
  statements.length = 0;
  await work();
  return statements.length;
}

test('small state is written by two statements, whatever its values', async () => {
  const { state } = world.warehouse;
  const read = () => state.rows('select name, day from meta.note order by name');
  await state.prepare(NOTES);
  expect(await ran(() => state.replace(NOTES, [{ name: 'a', day: 1 }]))).toBe(2);
  expect(await ran(() => state.replace(NOTES, []))).toBe(1);
  expect(await read()).toEqual([]);
  await expect(state.replace(NOTES, [{ name: 'a', day: 0.5 }])).rejects.toThrow('BIGINT');
  await state.replace(NOTES, [{ name: "it's", day: null }]);
  expect(await read()).toEqual([{ name: "it's", day: null }]);
});

test('which files are absorbed is known without a query', async () => {
  const file = await world.land('a', [['m', 5, 1]]);
  await world.absorb([file]);
  const { absorbed } = world.warehouse;
  expect(await ran(() => world.absorb([file]))).toBe(0);
  expect(await ran(() => absorbed.firstTime('unsettled'))).toBe(0);
  expect([await ran(() => absorbed.settle()), await ran(() => absorbed.settle())]).toEqual([1, 0]);
});

test('models that are written in one transaction write their versions once', async () => {
  const { warehouse } = world;
  const compute = () =>
    warehouse.transaction(async () => {
      for (const model of world.models().filter(({ kind }) => kind === 'full'))
        await materialize(warehouse, model, ALL);
    });
  await compute();
  await world.absorb([await world.land('a', [['m', 5, 1]])]);
  expect(await ran(compute)).toBe(3);
  expect(statements.filter((sql) => sql.includes('meta.version'))).toHaveLength(1);
  await world.absorb([await world.land('b', [['m', 6, 2]])]);
  await compute();
  expect(await world.rows('derived.last')).toEqual([{ meter: 'm', level: 2 }]);
  const failure = warehouse.transaction(async () => {
    await world.absorb([await world.land('c', [['m', 7, 3]])]);
    for (const model of world.models().filter(({ kind }) => kind === 'full'))
      await materialize(warehouse, model, ALL);
    throw new Error('rolled back');
  });
  await expect(failure).rejects.toThrow('rolled back');
  expect(await world.rows('derived.last')).toEqual([{ meter: 'm', level: 2 }]);
  await world.absorb([await world.land('d', [['m', 7, 3]])]);
  await compute();
  expect(await world.rows('derived.last')).toEqual([{ meter: 'm', level: 3 }]);
});
