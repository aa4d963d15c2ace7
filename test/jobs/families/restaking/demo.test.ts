import fc from 'fast-check';
import { expect, test } from 'vitest';
import { restakingDemoSources } from '../../../../jobs/sources/demo/restaking.ts';
import { expectSameRows, rowsOf } from '../../sources/demo/cuts.ts';
import { STARTED_AT, settings } from '../../sources/demo/expand-rows.ts';

const DAY = 86_400;
const [source] = restakingDemoSources(settings({ days: 3 }));
const ALL = { from: -1, to: STARTED_AT };

test('it says that it is simulated', () => {
  expect(source?.facts).toMatchObject({ kind: 'simulated', name: expect.stringContaining('simulated') });
});

test('every protocol is seen every six hours of the nine days before today and of today', async () => {
  const rows = await rowsOf(source, ALL);
  const today = STARTED_AT - (STARTED_AT % DAY);
  const names = new Set(rows.map(({ protocol }) => protocol));
  expect(names.size).toBe(8);
  const count = 9 * 4 + Math.floor((STARTED_AT - today) / 21_600) + 1;
  for (const name of names) {
    expect(rows.filter(({ protocol }) => protocol === name).map(({ observed_at }) => observed_at)).toEqual(
      Array.from({ length: count }, (_, index) => today - 9 * DAY + index * 21_600),
    );
  }
});

test('only the base protocol reports pods and strategies; shares of a reward are all of it', async () => {
  const rows = (await rowsOf(source, ALL)).slice(0, 8);
  const telling = (field: string) =>
    rows.filter((row) => row[field] !== null).map(({ protocol }) => protocol);
  expect(telling('deployed_pods')).toEqual(['EigenLayer']);
  expect(telling('strategy_count')).toEqual(['EigenLayer']);
  for (const { staker_rewards, protocol_fees, node_operator_fees } of rows) {
    expect(Number(staker_rewards) + Number(protocol_fees) + Number(node_operator_fees)).toBeCloseTo(1, 12);
  }
});

test('any cut of time gives the same rows, another seed gives others', async () => {
  const cuts = fc.array(fc.integer({ min: STARTED_AT - 20 * DAY, max: STARTED_AT }), { maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(cuts, (instants) => expectSameRows(source, ALL, instants)),
    { numRuns: 40, seed: 3 },
  );
  const [other] = restakingDemoSources(settings({ days: 3, seed: 2 }));
  expect(await rowsOf(other, ALL)).not.toEqual(await rowsOf(source, ALL));
});
