// Contracts that contracts create: counted where blocks come with traces, and named as missing where they do not.
import { afterAll, expect, test } from 'vitest';
import { networkA } from '../../../../jobs/families/network-a/domain.ts';
import { openDomainWorld } from '../../../support/domain-world.ts';

const DAY = 1_704_067_200;
const now = DAY + 3_600;
const world = await openDomainWorld(networkA);
afterAll(() => world.close());

test('contracts of factories are a named gap of the networks whose blocks come without traces', async () => {
  const block = (network: string, number: number, created_contracts: number | null) => ({
    ...{
      network,
      block_number: number,
      observed_at: DAY + number * 12,
      transaction_count: 3,
      created_contracts,
    },
  });
  await world.landRows('network_a_block', [
    ...[block('traced', 1, 4), block('traced', 2, 0)],
    ...[block('untraced', 1, 4), block('untraced', 2, null)],
  ]);
  const window = { start: DAY, end: now + 1, now };
  await world.compute(window);
  const found = (await world.audit(window)).filter(({ table }) => table === 'derived.network_a_block_day');
  expect(found.flatMap(({ rows }) => rows.map(({ reason }) => reason))).toEqual([
    'untraced: contracts made by factories are not counted on 1 day, because blocks came without traces',
  ]);
});
