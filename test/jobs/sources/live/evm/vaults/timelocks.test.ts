// The administration of a version 2 vault on a real node, from transactions to published changes: what its logs give is what its getters
// answer, and each change may be executed from the second of the block on that is published, not one second earlier.
import { type Hex, keccak256 } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeOnNode } from '../anvil.ts';
import { type Administration, TimelockWorld } from './administration.ts';

const KIND = 'TimelockedVault';
const ADAPTER = `0x${'55'.repeat(20)}` as const;
const OTHER = `0x${'66'.repeat(20)}` as const;
const ID_DATA: Hex = `0x${'1a'.repeat(96)}`;

let world: TimelockWorld;

const open = (): Promise<Administration> => world.vault(KIND);
const selectorOf = (own: Administration, name: string): Hex =>
  own.callOf(name, ...(name === 'addAdapter' ? [ADAPTER] : [0n])).slice(0, 10) as Hex;

async function actInEveryWay(own: Administration): Promise<void> {
  await own.set('increaseAbsoluteCap', ID_DATA, 1_000n);
  await own.set('increaseRelativeCap', ID_DATA, 10n ** 18n);
  await own.do('decreaseAbsoluteCap', ID_DATA, 400n);
  await own.do('decreaseRelativeCap', ID_DATA, 10n ** 17n);
  await own.set('addAdapter', OTHER);
  await own.set('removeAdapter', OTHER);
  await own.set('setPerformanceFee', 10n ** 17n);
  await own.do('setMaxRate', 63_419_583_967n);
  await own.do('setLiquidityAdapterAndData', ADAPTER, '0x12');
  await own.do('give', ADAPTER, 1_000n);
  await own.do('deallocate', ADAPTER, '0x', 300n);
  await own.do('forceDeallocate', ADAPTER, '0x', 200n, OTHER);
  await own.set('increaseTimelock', selectorOf(own, 'addAdapter'), 259_200n);
  await own.submit(own.callOf('addAdapter', ADAPTER));
  await own.submit(own.callOf('addAdapter', OTHER));
  await own.do('revoke', own.callOf('addAdapter', OTHER));
  await own.set('abdicate', selectorOf(own, 'setPerformanceFee'));
}

/** Of every call that was submitted: whether it waits, and until when. */
async function expectSameChanges(own: Administration): Promise<void> {
  const changes = await own.changes();
  for (const data of own.calls) {
    const second = Number(await own.ask<bigint>('executableAt', data));
    const row = changes.get(data);
    const isWaiting = row?.['status'] === 'pending' || row?.['status'] === 'executable';
    expect([isWaiting, isWaiting ? row?.['executable_at'] : 0], String(row?.['statement'])).toEqual([
      second > 0,
      second,
    ]);
  }
  expect(changes.size).toBe(own.calls.size);
  expect([...changes.values()].filter(({ status }) => status === 'revoked')).toHaveLength(1);
}

async function expectSameValues(own: Administration): Promise<void> {
  const id = keccak256(ID_DATA);
  const values = await own.values();
  const stated = {
    [`absolute_cap|${id}`]: await own.ask('absoluteCap', id),
    [`relative_cap|${id}`]: await own.ask('relativeCap', id),
    performance_fee: await own.ask('performanceFee'),
    max_rate: await own.ask('maxRate'),
    liquidity_adapter: (await own.ask<string>('liquidityAdapter')).toLowerCase(),
    [`duration|${selectorOf(own, 'addAdapter')}`]: await own.ask('timelock', selectorOf(own, 'addAdapter')),
  };
  for (const [key, value] of Object.entries(stated)) expect(values.get(key), key).toBe(String(value));
}

async function expectSameMovements(own: Administration): Promise<void> {
  const rows = await world.models.rows(
    `select on_chain_event, subject_address, json_extract_string(concat('{', members, '}'), '$.assets') as assets
     from obs.vault_log where on_chain_event in ('add_adapter', 'remove_adapter', 'deallocate', 'force_deallocate') order by place`,
  );
  expect(rows.map((row) => [row['on_chain_event'], row['subject_address'], row['assets']])).toEqual([
    ['add_adapter', OTHER, null],
    ['remove_adapter', OTHER, null],
    ['deallocate', ADAPTER, '300'],
    ['force_deallocate', ADAPTER, '200'],
  ]);
  expect([await own.ask('allocated', ADAPTER), await own.ask('adaptersLength')]).toEqual([500n, 0n]);
}

describeOnNode('timelocks on a real node', () => {
  beforeAll(async () => {
    world = await TimelockWorld.open();
  });
  afterAll(() => world?.close());

  it('every kind of action gives the rows that the getters confirm', async () => {
    const own = await open();
    await actInEveryWay(own);
    await expectSameChanges(own);
    await expectSameValues(own);
    await expectSameMovements(own);
  });

  describe('a change is executable from its second on', () => {
    const statusAt = async (own: Administration, data: Hex, now: number) =>
      (await own.changes(now)).get(data)?.['status'];

    it('whatever happens to its timelock since, and at no second before it', async () => {
      const own = await open();
      await own.set('increaseTimelock', selectorOf(own, 'addAdapter'), 259_200n);
      const add = own.callOf('addAdapter', ADAPTER);
      const second = (await own.submit(add)) + 259_200;
      await own.set('increaseTimelock', selectorOf(own, 'addAdapter'), 604_800n);
      expect((await own.changes()).get(add)).toMatchObject({ executable_at: second, timelock_s: 259_200 });
      for (const [now, status] of [
        [second - 1, 'pending'],
        [second, 'executable'],
        [second + 1, 'executable'],
      ] as const)
        expect(await statusAt(own, add, now), String(now - second)).toBe(status);
      expect(await own.execute(second - 1, 'addAdapter', ADAPTER)).toBe(false);
      expect(await own.execute(second, 'addAdapter', ADAPTER)).toBe(true);
      expect((await own.changes()).get(add)).toMatchObject({ status: 'executed', ended_at: second });
    });

    it('a shorter timelock after the one that it shortens, not its own; what it shortens after both', async () => {
      const own = await open();
      await own.set('increaseTimelock', selectorOf(own, 'addAdapter'), 259_200n);
      const decrease = ['decreaseTimelock', selectorOf(own, 'addAdapter'), 86_400n] as const;
      await own.set('increaseTimelock', own.callOf(...decrease).slice(0, 10), 1_000_000n);
      const submitted = await own.submit(own.callOf(...decrease));
      const [row] = [(await own.changes()).get(own.callOf(...decrease))];
      expect(row).toMatchObject({
        executable_at: submitted + 259_200,
        timelock_s: 259_200,
        new_value: '86400',
      });
      expect(await own.execute(submitted + 259_199, ...decrease)).toBe(false);
      expect(await own.execute(submitted + 259_200, ...decrease)).toBe(true);
      const add = own.callOf('addAdapter', ADAPTER);
      const again = await own.submit(add);
      expect((await own.changes()).get(add)).toMatchObject({ executable_at: again + 86_400 });
    });

    it('never once its function was given up, even if it was submitted before', async () => {
      const own = await open();
      await own.set('increaseTimelock', selectorOf(own, 'addAdapter'), 3_600n);
      const add = own.callOf('addAdapter', ADAPTER);
      const second = (await own.submit(add)) + 3_600;
      await own.set('abdicate', selectorOf(own, 'addAdapter'));
      for (const now of [second - 1, second, second + 1])
        expect(await statusAt(own, add, now)).toBe('blocked');
      expect(await own.execute(second + 1, 'addAdapter', ADAPTER)).toBe(false);
      expect((await own.changes()).get(add)).toMatchObject({ executable_at: second, ended_at: null });
    });
  });
});
