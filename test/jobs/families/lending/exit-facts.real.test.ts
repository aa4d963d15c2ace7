import { afterAll, beforeAll, expect, test } from 'vitest';
import { lending } from '../../../../jobs/families/lending/domain.ts';
import { oracles } from '../../../../jobs/families/oracles/domain.ts';
import { pools } from '../../../../jobs/families/pools/domain.ts';
import { sources } from '../../../../jobs/families/sources/domain.ts';
import { type DomainWorld, openDomainWorld } from '../../../support/domain-world.ts';
import { describeRealData } from '../../../support/real-data.ts';

describeRealData('when suppliers could not leave', () => {
  let world: DomainWorld;
  beforeAll(async () => {
    world = await openDomainWorld(lending, [sources, oracles, pools]);
    await world.landExample('lending', 'aave-v3-usdt-hourly', 'aave-v2-usdc-hourly', 'aave-v3-usdc-hourly');
  });
  afterAll(() => world.close());

  test.each([
    ['v3 USDT', '0x23878914efe38d27c4d67ab83ed1b93a74d4086a', 171_070_271, '2025-08-15T02'],
    ['v2 USDC', '0xbcca60bb61934080951369a648fb03df4f96263c', 195_757_077, '2023-03-11T06'],
    ['v3 USDC', '0x98c23e9d8f34fefb1b7bd6a91b7ff122f4e16f5c', 6_565_954, '2023-03-11T04'],
  ])('%s: the least could be withdrawn', async (_, market, usd, hour) => {
    const [low] = await world.rows(
      `select withdrawable_usd, observed_at from obs.market_state where market_id = '${market}' order by withdrawable_usd limit 1`,
    );
    expect(Math.round(Number(low?.['withdrawable_usd']))).toBe(usd);
    // The last block before a full hour was read.
    const at = Math.round(Number(low?.['observed_at']) / 3_600) * 3_600_000;
    expect(new Date(at).toISOString().slice(0, 13)).toBe(hour);
  });

  test('v3 USDT: 97.5 % was lent at that hour, and more than 95 % for 70 hours', async () => {
    const rows = await world.rows(
      "select utilization from obs.market_state where market_id = '0x23878914efe38d27c4d67ab83ed1b93a74d4086a' order by withdrawable_usd",
    );
    const lent = rows.map(({ utilization }) => Number(utilization));
    expect(lent[0]).toBeCloseTo(0.97472, 5);
    expect(lent.filter((share) => share > 0.95)).toHaveLength(70);
  });
});
