// Timelocks of a version 1 vault of Morpho and of a vault of Euler Earn on a real node: what loosens waits, what tightens does not.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeOnNode } from '../anvil.ts';
import { type Administration, TimelockWorld } from './administration.ts';

const DAY = 86_400;

describeOnNode('timelocks of caps on a real node', () => {
  let world: TimelockWorld;
  beforeAll(async () => {
    world = await TimelockWorld.open();
  });
  afterAll(() => world?.close());

  const KINDS = [
    { contract: 'TimelockedFirstVault', kind: 'morpho_v1_1', held: `0x${'5a'.padStart(64, '0')}` },
    { contract: 'TimelockedEulerVault', kind: 'euler_earn', held: `0x${'5a'.padStart(40, '0')}` },
  ] as const;

  /** A vault with a cap of 100, whose waiting changes its own logs give. */
  async function open(contract: string): Promise<Administration> {
    const own = await world.vault(contract, [BigInt(DAY)]);
    const submitted = await own.do('submitCap', 100n);
    expect(await own.execute(submitted + DAY, 'acceptCap')).toBe(true);
    return own;
  }

  const statuses = async (own: Administration, now?: number): Promise<readonly unknown[]> => {
    await own.changes(now);
    return world.models
      .rows('select status from out.vault_change order by block_number')
      .then((rows) => rows.map(({ status }) => status));
  };

  it.each(KINDS)(
    '$kind: a higher cap waits for its second, and not one second less',
    async ({ contract, kind, held }) => {
      const own = await open(contract);
      expect((await own.stated({ kind, held: [held] })).text).toBe('none');
      const second = (await own.do('submitCap', 200n)) + DAY;
      for (const [now, status] of [
        [second - 1, 'pending'],
        [second, 'executable'],
        [second + 1, 'executable'],
      ] as const)
        expect(await statuses(own, now), String(now - second)).toEqual(['executed', status]);
      expect((await own.changes()).get(`cap|${held}`)).toMatchObject({
        ...{ change: 'cap', market_id: held, old_value: '100', new_value: '200' },
        ...{ executable_at: second, timelock_s: DAY },
      });
      const stated = await own.stated({ kind, held: [held] });
      expect(stated.text).toBe(`cap|${held}@${second}`);
      expect(await own.disputes(stated, [held])).toEqual([]);
      expect(await own.execute(second - 1, 'acceptCap')).toBe(false);
      expect(await own.execute(second, 'acceptCap')).toBe(true);
      expect(await statuses(own)).toEqual(['executed', 'executed']);
      expect(await own.ask('cap')).toBe(200n);
      // What the contract stated before the block of its end.
      expect(await own.disputes(stated, [held])).toEqual([]);
      const after = await own.stated({ kind, held: [held] });
      expect([after.text, await own.disputes(after, [held])]).toEqual(['none', []]);
    },
  );

  it.each(KINDS)(
    '$kind: a lower cap and a longer timelock take effect at once',
    async ({ contract, held }) => {
      const own = await open(contract);
      await own.do('submitCap', 50n);
      await own.do('submitTimelock', BigInt(2 * DAY));
      expect(await statuses(own)).toEqual(['executed']);
      expect((await own.values()).get(`cap|${held}`)).toBe('50');
      // From then on a change waits for the longer one.
      const second = (await own.do('submitCap', 60n)) + 2 * DAY;
      expect((await own.changes()).get(`cap|${held}`)).toMatchObject({
        executable_at: second,
        timelock_s: 2 * DAY,
      });
      expect(await own.execute(second - 1, 'acceptCap')).toBe(false);
      expect(await own.execute(second, 'acceptCap')).toBe(true);
    },
  );

  it.each(KINDS)('$kind: revoked twice is revoked once', async ({ contract }) => {
    const own = await open(contract);
    await own.do('submitCap', 200n);
    const revoked = await own.do('revokePendingCap');
    await own.do('revokePendingCap');
    await own.changes();
    const rows = await world.models.rows(
      'select status, ended_at from out.vault_change order by block_number',
    );
    expect(rows.map(({ status }) => status)).toEqual(['executed', 'revoked']);
    expect(rows[1]).toMatchObject({ ended_at: revoked });
  });

  it.each(KINDS)('$kind: a shorter timelock waits for the present one', async ({ contract }) => {
    const own = await open(contract);
    const second = (await own.do('submitTimelock', BigInt(DAY / 2))) + DAY;
    expect((await own.changes()).get('timelock')).toMatchObject({
      executable_at: second,
      new_value: String(DAY / 2),
    });
    expect(await own.execute(second - 1, 'acceptTimelock')).toBe(false);
    expect(await own.execute(second, 'acceptTimelock')).toBe(true);
    expect(await statuses(own)).toEqual(['executed', 'executed']);
  });
});
