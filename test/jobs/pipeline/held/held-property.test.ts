// What the worlds of held-property.slow.test.ts cover.
import { expect, test } from 'vitest';
import { rawTables, soundDeliveries } from './demo-deliveries.ts';
import { MUTATIONS } from './mutations.ts';

test('there are at least twenty ways in which a delivery can be wrong', () =>
  expect(new Set(MUTATIONS.map(({ name }) => name)).size).toBeGreaterThanOrEqual(20));

test('every raw table that anything is computed from is delivered', async () => {
  const delivered = new Set((await soundDeliveries()).map(({ table }) => table.name));
  const inputs = rawTables.filter(({ isAboutSources }) => isAboutSources !== true).map(({ name }) => name);
  expect([...delivered].toSorted()).toEqual(inputs.toSorted());
});
