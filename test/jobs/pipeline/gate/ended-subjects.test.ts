// A subject that a source is expected to deliver, and of which it has delivered nothing for half of what a table is observed over, is named,
// although its few rows show no cadence.
import { expect, onTestFinished, test } from 'vitest';
import { openFileWorld } from '../../../support/file-world.ts';
import { neededFor } from '../../../support/needed-models.ts';

const NOW = Date.UTC(2026, 2, 10, 9) / 1000;
const DAY = 86_400;
const HALF_REACH = 4 * DAY;

const state = (protocol: string, observed_at: number) => ({
  protocol,
  observed_at,
  total_restaked_native: 1_000,
  total_restaked_usd: 3e6,
  registered_node_operators: 10,
});
const steady = Array.from({ length: 41 }, (_, n) => state('EigenLayer', NOW - n * 6 * 3_600));

/** What the gate of the newest records says of `renzo`, whose only row has this age. */
async function wordsOf(age: number, expects: { readonly subjects?: readonly string[] }): Promise<string[]> {
  const world = openFileWorld({ domains: neededFor({ datasets: ['restaking-latest'] }) });
  onTestFinished(() => world.remove());
  world.write('restaking_state', { 'a.ndjson': [...steady, state('Renzo', NOW - age)] });
  world.expect('restaking_state', expects);
  await world.run(NOW);
  return world.words('restaking-latest').filter((words) => words.includes('renzo'));
}

test.each([
  [HALF_REACH, []],
  [HALF_REACH + 1, ['2026-03-06T08:59:59Z']],
  [9 * DAY, ['2026-03-01T09:00:00Z']],
])('with its only row %i seconds old', async (age, since) => {
  const words = since.map(
    (at) => `restaking-state has delivered no row of restaking_state of renzo since ${at}`,
  );
  expect([...new Set(await wordsOf(age, { subjects: ['eigenlayer', 'renzo'] }))]).toEqual(words);
});

test('nothing is said of a subject that the source does not have to deliver', async () => {
  expect(await wordsOf(9 * DAY, { subjects: ['eigenlayer'] })).toEqual([]);
});
