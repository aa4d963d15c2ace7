import fc from 'fast-check';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import {
  networkA,
  networkAStatistics,
  networkATransactions,
} from '../../../../jobs/families/network-a/domain.ts';
import { networkADemoSources } from '../../../../jobs/sources/demo/network-a.ts';
import { canonicalJson } from '../../../../platform/storage/canonical.ts';
import { COUNTS } from '../../../reliability/counts.ts';
import { type DomainWorld, openDomainWorld } from '../../../support/domain-world.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

const DAY = 86_400;
const STARTED_AT = 1_767_258_000;
const FIRST_DAY = STARTED_AT - (STARTED_AT % DAY) - 9 * DAY;
const settings = { seed: 7, feeds: 0, days: 30, incidents: false, startedAt: STARTED_AT };

let world: DomainWorld;
beforeAll(async () => {
  world = await openDomainWorld(networkA);
  for (const source of networkADemoSources(settings))
    for await (const delivery of source.deliveries({ from: 0, to: STARTED_AT }))
      await world.land(source.table, delivery);
});
afterAll(() => world.close());

const published = async () =>
  canonicalJson([
    await world.document(networkATransactions, 'ethereum'),
    await world.document(networkAStatistics, 'ethereum'),
  ]);

const windows = (cuts: readonly number[]) =>
  [...new Set(cuts)]
    .sort((a, b) => a - b)
    .map((now, index, all) => {
      const before = index === 0 ? FIRST_DAY : (all[index - 1] ?? 0) + 1;
      return { start: before - (before % DAY), end: now + 1, now };
    });

test('the same records come out however time is walked', async () => {
  await world.compute({ start: FIRST_DAY, end: STARTED_AT + 1, now: STARTED_AT });
  const inOnePass = await published();
  const cut = fc.integer({ min: FIRST_DAY, max: STARTED_AT });
  await fc.assert(
    fc.asyncProperty(fc.array(cut, { maxLength: 5 }), async (cuts) => {
      for (const model of ['block', 'transaction', 'type', 'stake', 'mempool'])
        await world.rows(`delete from derived.network_a_${model}_day`);
      for (const window of windows([...cuts, STARTED_AT])) await world.compute(window);
      expect(await published()).toBe(inOnePass);
    }),
    { numRuns: COUNTS.walks(6) },
  );
});

test('every day of the demo week is whole but the one that runs', async () => {
  await world.compute({ start: FIRST_DAY, end: STARTED_AT + 1, now: STARTED_AT });
  const rows = await world.rows(
    'select is_partial, is_running from derived.network_a_completeness order by day',
  );
  expect(rows).toEqual([
    ...Array.from({ length: 6 }, () => ({ is_partial: false, is_running: false })),
    { is_partial: true, is_running: true },
  ]);
});

test('the demo world knows every figure of every record', async () => {
  await world.compute({ start: FIRST_DAY, end: STARTED_AT + 1, now: STARTED_AT });
  const text = await published();
  expect(text).not.toContain('null');
  expect(text.match(/"tx_type":[01234]\b/g)?.length).toBe(7 * 5);
});
