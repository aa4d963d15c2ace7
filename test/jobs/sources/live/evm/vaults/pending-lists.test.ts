// Random administration of a version 2 vault on a real node: after every action, the published list of what waits, what the product reads from
// the contract, and the contract's own word on every call that was ever submitted are the same.
import type { Hex } from 'viem';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { SubmittedCalls } from '../../../../../../jobs/sources/live/evm/vaults/submitted-calls.ts';
import { COUNTS } from '../../../../../reliability/counts.ts';
import { seededRandom } from '../../../../../support/seeded-random.ts';
import { describeOnNode } from '../anvil.ts';
import { type Administration, TimelockWorld } from './administration.ts';

const KIND = 'morpho_v2';
const ACTIONS = COUNTS.timelockActions;
/** A new vault after so many, because calls cannot be submitted any more once their functions are given up. */
const OF_ONE_VAULT = 50;
const WAITS = [0n, 60n, 3_600n, 86_400n];

type Call = readonly [string, ...unknown[]];
const addressOf = (digit: number): Hex => `0x${String(digit).repeat(40)}`;

describeOnNode('pending changes after random actions', () => {
  let world: TimelockWorld;
  beforeAll(async () => {
    world = await TimelockWorld.open();
  });
  afterAll(() => world?.close());

  /** Calls of every form: with words, with bytes, with the selector of another function. */
  function callsOf(own: Administration): readonly Call[] {
    const selector = (name: string, ...args: unknown[]) => own.callOf(name, ...args).slice(0, 10);
    const add = selector('addAdapter', addressOf(1));
    const fee = selector('setPerformanceFee', 0n);
    return [
      ...[1, 2, 3].map((digit): Call => ['addAdapter', addressOf(digit)]),
      ['removeAdapter', addressOf(1)],
      ...[1n, 2n].map((value): Call => ['setPerformanceFee', value]),
      ...[1n, 2n].map((value): Call => ['increaseAbsoluteCap', '0x1234', value]),
      ['increaseRelativeCap', `0x${'1a'.repeat(96)}`, 10n ** 18n],
      ...WAITS.slice(1).map((wait): Call => ['increaseTimelock', add, wait]),
      ...WAITS.map((wait): Call => ['decreaseTimelock', add, wait]),
      ['increaseTimelock', fee, 3_600n],
      ['abdicate', fee],
    ];
  }

  /** What the contract refuses changes nothing. */
  async function act(own: Administration, calls: readonly Call[], random: () => number): Promise<void> {
    const call = calls[Math.floor(random() * calls.length)] as Call;
    const data = own.callOf(...call);
    const actions = [
      () => own.submit(data).then(Boolean, () => false),
      () => own.isDone(...call),
      () => own.isDone('revoke', data),
      () => world.node.client.increaseTime({ seconds: Math.ceil(random() * 100_000) }),
    ];
    await actions[Math.floor(random() * actions.length)]?.();
  }

  const waitingIn = async (own: Administration): Promise<ReadonlyMap<string, number>> => {
    const all = [...own.calls];
    const seconds = await Promise.all(all.map((data) => own.ask<bigint>('executableAt', data)));
    return new Map(all.flatMap((data, at) => (seconds[at] ? [[data, Number(seconds[at])]] : [])));
  };

  async function expectSame(
    own: Administration,
    before: SubmittedCalls,
    name: string,
  ): Promise<SubmittedCalls> {
    const waiting = await waitingIn(own);
    const published = [...(await own.changes()).values()]
      .filter(({ status }) => status === 'pending' || status === 'executable' || status === 'blocked')
      .map((row) => [String(row['change_key']), row['executable_at']] as const);
    expect(new Map(published), name).toEqual(waiting);
    const stated = await own.stated({ kind: KIND }, before);
    const entries = [...waiting].map(([data, second]) => `${own.vault}|${data}@${second}`);
    expect(stated.text, name).toBe([...entries, `since|${own.vault}@0`].sort().join(' '));
    expect(await own.disputes(stated), name).toEqual([]);
    return stated.submitted;
  }

  it(`after each of ${ACTIONS}, by what was known before and from the start`, {
    timeout: 60_000 + ACTIONS * 3_000,
  }, async () => {
    for (let done = 0; done < ACTIONS; done += OF_ONE_VAULT) {
      const random = seededRandom(done + 1);
      const own = await world.vault('TimelockedVault');
      const calls = callsOf(own);
      let known: SubmittedCalls = {};
      for (let at = done; at < Math.min(done + OF_ONE_VAULT, ACTIONS); at++) {
        await act(own, calls, random);
        known = await expectSame(own, random() < 0.9 ? known : {}, `action ${at}`);
      }
    }
  });

  it('a log that was not read is found, whichever it is', { timeout: 120_000 }, async () => {
    const own = await world.vault('TimelockedVault');
    await own.set('increaseTimelock', own.callOf('addAdapter', addressOf(1)).slice(0, 10), 3_600n);
    for (const digit of [1, 2, 3]) await own.submit(own.callOf('addAdapter', addressOf(digit)));
    await own.do('revoke', own.callOf('addAdapter', addressOf(2)));
    await world.node.client.increaseTime({ seconds: 4_000 });
    await own.do('addAdapter', addressOf(3));
    const stated = await own.stated({ kind: KIND });
    const logs = await own.logs();
    const found: unknown[] = [];
    for (const log of logs) {
      await own.compute(logs.filter((one) => one !== log));
      if ((await own.disputes(stated)).length > 0) found.push(log['on_chain_event']);
    }
    // The call that still waits was submitted; the others were accepted or revoked.
    expect(found).toEqual(['accept', 'submit', 'revoke', 'accept']);
  });
});
