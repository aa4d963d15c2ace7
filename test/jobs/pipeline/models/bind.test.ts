import { afterEach, beforeEach, expect, test } from 'vitest';
import { bindPolicy } from '../../../../jobs/pipeline/models/bind.ts';
import { limitTable } from '../../../support/model-folder.ts';
import { type ModelWorld, openModelWorld } from '../../../support/model-world.ts';

let world: ModelWorld;
beforeEach(async () => {
  world = await openModelWorld();
});
afterEach(() => world.close());

test('policy rows are bound with their types, and no rows are typed too', async () => {
  await bindPolicy(world.engine, limitTable, [
    ['a', 1],
    [null, null],
  ]);
  expect(await world.rows('landing.limits')).toEqual([
    { name: 'a', highest: 1 },
    { name: null, highest: null },
  ]);
  await bindPolicy(world.engine, limitTable, []);
  const types = await world.engine.rows(
    "select data_type from information_schema.columns where table_name = 'limits'",
  );
  expect(types).toEqual([{ data_type: 'VARCHAR' }, { data_type: 'DOUBLE' }]);
  await expect(bindPolicy(world.engine, limitTable, [['a']])).rejects.toThrow(
    'policy table limits: a row has 1 values for 2 columns',
  );
});
