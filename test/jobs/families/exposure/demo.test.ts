import { expect, test } from 'vitest';
import { exposureDemoSources } from '../../../../jobs/sources/demo/exposure.ts';
import { rowsOf, testPromises } from '../../sources/demo/cuts.ts';
import { STARTED_AT, settings } from '../../sources/demo/expand-rows.ts';

const sources = exposureDemoSources(settings());
const ALL = { from: -1, to: STARTED_AT };

testPromises((changed) => exposureDemoSources(changed).slice(0, 1));

test('no vault and no asset has more than the whole, and two have less', async () => {
  const totals = new Map<string, number>();
  const add = (holder: string, share: number) => totals.set(holder, (totals.get(holder) ?? 0) + share);
  for (const { vault_address, observed_at, value_usd, vault_total_usd } of await rowsOf(sources[0], ALL))
    add(`${vault_address} ${observed_at}`, Number(value_usd) / Number(vault_total_usd));
  for (const { symbol, observed_at, share } of await rowsOf(sources[1], ALL))
    add(`${symbol} ${observed_at}`, Number(share));
  expect(Math.max(...totals.values())).toBeCloseTo(1, 9);
  expect(Math.min(...totals.values())).toBeGreaterThan(0.05);
  expect([...totals.values()].filter((total) => total < 0.999).length).toBeGreaterThan(50);
});

test('what backs an asset is reported every week', async () => {
  const times = new Set((await rowsOf(sources[1], ALL)).map(({ observed_at }) => Number(observed_at)));
  const [first = 0, second = 0] = [...times];
  expect(second - first).toBe(7 * 86_400);
});
