import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { networkA, networkAStatistics } from '../../../../jobs/families/network-a/domain.ts';
import type { NetworkAStatistics } from '../../../../schemas/network-a.ts';
import { type DomainWorld, openDomainWorld } from '../../../support/domain-world.ts';
import { describeRealData, realData } from '../../../support/real-data.ts';
import { DAY, dayOf, span } from './days.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

interface ValidatorDay {
  readonly date: string;
  readonly validators: number;
  readonly supply: number;
  readonly staked_amount: number;
  readonly apr: number | null;
}

describeRealData('validators from 2023 to 2025', () => {
  let world: DomainWorld;
  const validatorDays = (): readonly ValidatorDay[] =>
    JSON.parse(readFileSync(realData('network-a/validators-daily.json'), 'utf8'));
  beforeAll(async () => {
    world = await openDomainWorld(networkA);
    await world.landExample('network-a', 'ethereum-validators');
  });
  afterAll(() => world.close());

  async function week(lastDay: string): Promise<readonly NetworkAStatistics[]> {
    const now = dayOf(lastDay) + DAY - 1;
    await world.compute(span(now + 1 - 9 * DAY, now));
    return (await world.document(networkAStatistics, 'ethereum')) as readonly NetworkAStatistics[];
  }

  function expectedWeek(lastDay: string) {
    const days = new Map(validatorDays().map((day) => [dayOf(day.date), day]));
    return [0, 1, 2, 3, 4, 5, 6].flatMap((back) => {
      const timestamp = dayOf(lastDay) - back * DAY;
      const [today, before] = [days.get(timestamp), days.get(timestamp - DAY)];
      if (today === undefined) return [];
      const { validators, supply, staked_amount, apr } = today;
      const reward = apr === null ? null : (staked_amount * apr) / 100 / 365 / validators;
      return [
        expect.objectContaining({
          timestamp,
          num_validators: validators,
          total_supply: supply,
          total_stake: staked_amount,
          avg_stake: expect.closeTo(staked_amount / validators, 8),
          daily_supply_change: before === undefined ? null : supply - before.supply,
          avg_validator_reward: reward === null ? null : expect.closeTo(reward, 8),
        }),
      ];
    });
  }

  test.each(['2024-03-17', '2023-05-27', '2023-06-05', '2025-12-31'])(
    'are right in the week up to %s, across new fields and unknown rates',
    async (lastDay) => {
      const expected = expectedWeek(lastDay);
      expect(expected).toHaveLength(7);
      expect(await week(lastDay)).toEqual(expected);
    },
  );

  test('leave a gap where days are missing, and no supply change after it', async () => {
    const records = await week('2024-01-25');
    expect(records).toHaveLength(5);
    expect(records).toEqual(expectedWeek('2024-01-25'));
    const afterGap = records.find(({ timestamp }) => timestamp === dayOf('2024-01-22'));
    expect(afterGap?.daily_supply_change).toBeNull();
  });

  test('keep the churn under its old name and its new one', async () => {
    const rows =
      await world.rows(`select cast(count(entry_churn) as bigint) as entries, cast(count(exit_churn) as bigint) as exits
      from obs.network_a_stake group by observed_at < ${dayOf('2024-03-14')} order by 1`);
    expect(rows).toEqual([
      { entries: 296, exits: 296 },
      { entries: 654, exits: 654 },
    ]);
  });
});
