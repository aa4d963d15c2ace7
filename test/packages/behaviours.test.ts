import { afterAll, beforeAll, expect, test } from 'vitest';
import { BEHAVIOURS, BehaviourWorld, expectAsListed, type PreparedBehaviour } from './behaviour-world.ts';
import { outcomeOf } from './behaviours.ts';

let world: BehaviourWorld;
let prepared: readonly PreparedBehaviour[];
beforeAll(async () => {
  world = await BehaviourWorld.start();
  prepared = world.prepare();
});
afterAll(() => world.stop());

test('there are at least forty behaviours, each with its own name', () => {
  expect(new Set(BEHAVIOURS.map(({ name }) => name)).size).toBe(BEHAVIOURS.length);
  expect(BEHAVIOURS.length).toBeGreaterThanOrEqual(40);
});

test.each(BEHAVIOURS.map(({ name }, index) => [name, index] as const))('%s', async (_, index) => {
  const one = prepared[index];
  if (one === undefined) throw new Error('It was not prepared.');
  expectAsListed(one, await outcomeOf(one.task));
});
