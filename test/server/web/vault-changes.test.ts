// Announced changes of a vault, against a small model of the contract and worked examples.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { pendingChanges, type VaultAct } from '../../../server/web/browser/vault-changes.ts';

const DAY = 86_400;

/** The `n`th act of a vault, a block and 12 seconds after the one before it. */
const act = (n: number, on_chain_event: string, more: Partial<VaultAct> = {}): VaultAct => ({
  ...{ chain: 'ethereum', vault_address: '0xv', on_chain_event, governance_kind: null },
  ...{ subject_address: null, block_number: 100 + n, log_index: 0, timestamp: 1_000 + 12 * n },
  ...{ final_at: null, retracted_at: null, params: {} },
  ...more,
});
const about = (market: string, more: Partial<VaultAct> = {}) => ({ subject_address: market, ...more });
const pending = (acts: readonly VaultAct[], timelock_s: number | null = DAY) =>
  pendingChanges(acts, timelock_s).map(({ act: one }) => one.block_number - 100);

test.each([
  ['submit_cap', 'set_cap'],
  ['submit_cap', 'revoke_pending_cap'],
  ['submit_guardian', 'set_guardian'],
  ['submit_guardian', 'revoke_pending_guardian'],
  ['submit_timelock', 'set_timelock'],
  ['submit_timelock', 'revoke_pending_timelock'],
  ['submit_market_removal', 'revoke_pending_market_removal'],
  ['start_ownership_transfer', 'transfer_ownership'],
])('%s is pending until %s, and an earlier one does not end it', (announced, end) => {
  const [first, second] = [act(1, announced, about('m')), act(2, end, about('m'))];
  expect(pending([first])).toEqual([1]);
  expect(pending([first, second])).toEqual([]);
  expect(pending([second, first])).toEqual([]);
  expect(pending([act(1, end, about('m')), act(2, announced, about('m'))])).toEqual([2]);
});

test('of several announcements of one change only the last is pending; changes of other kinds do not end it', () => {
  expect(pending([act(1, 'submit_timelock'), act(2, 'submit_timelock')])).toEqual([2]);
  expect(pending([act(1, 'submit_timelock'), act(2, 'set_guardian'), act(3, 'set_cap', about('m'))])).toEqual(
    [1],
  );
});

test('acts of one block follow each other by the position of their logs', () => {
  const at = (log_index: number) => ({ ...about('m'), block_number: 101, log_index });
  expect(pending([act(1, 'submit_cap', at(4)), act(1, 'set_cap', at(5))])).toEqual([]);
  expect(pending([act(1, 'submit_cap', at(5)), act(1, 'set_cap', at(4))])).toEqual([1]);
  expect(pending([act(1, 'submit_cap', at(4)), act(1, 'set_cap', at(4))])).toEqual([1]);
});

test('caps and removals are about one market; what happens to another one does not end them', () => {
  for (const [announced, end] of [
    ['submit_cap', 'set_cap'],
    ['submit_market_removal', 'revoke_pending_market_removal'],
  ] as const) {
    expect(pending([act(1, announced, about('m')), act(2, end, about('other'))])).toEqual([1]);
    expect(pending([act(1, announced, about('m')), act(2, announced, about('other'))])).toEqual([2, 1]);
  }
});

test('a market is removed by the queue without it, and by no queue whose markets are not known', () => {
  const removal = act(1, 'submit_market_removal', about('0xm'));
  const queue = (params: VaultAct['params']) => act(2, 'set_withdraw_queue', { params });
  expect(pending([removal, queue({ new_withdraw_queue: ['0xa', '0xm'] })])).toEqual([1]);
  expect(pending([removal, queue({ new_withdraw_queue: ['0xa', '0xmm'] })])).toEqual([]);
  expect(pending([removal, queue({ new_withdraw_queue: [] })])).toEqual([]);
  expect(pending([removal, queue({})])).toEqual([1]);
  const unnamed = act(1, 'submit_market_removal');
  expect(pending([unnamed, queue({ new_withdraw_queue: [] })])).toEqual([1]);
});

test('an act that a reorganisation removed neither announces nor ends anything', () => {
  const removed = { retracted_at: 2_000 };
  expect(pending([act(1, 'submit_timelock', removed)])).toEqual([]);
  expect(pending([act(1, 'submit_timelock'), act(2, 'set_timelock', removed)])).toEqual([1]);
});

test('a change is possible after the present timelock; the transfer of a vault waits for its receiver only', () => {
  const acts = [act(1, 'submit_timelock'), act(2, 'start_ownership_transfer')];
  const possible = (timelock_s: number | null) =>
    pendingChanges(acts, timelock_s).map(({ possible_at }) => possible_at);
  expect(possible(DAY)).toEqual([1_024, 1_012 + DAY]);
  expect(possible(0)).toEqual([1_024, 1_012]);
  expect(possible(null)).toEqual([1_024, undefined]);
});

const CAP_ACTS = ['submit_cap', 'set_cap', 'revoke_pending_cap'] as const;

test('pending caps are those of a contract that keeps one for each market, whatever the order in which acts are delivered', () => {
  const history = fc.array(
    fc.record({ event: fc.constantFrom(...CAP_ACTS), market: fc.constantFrom('a', 'b') }),
    {
      maxLength: 12,
    },
  );
  fc.assert(
    fc.property(history, fc.infiniteStream(fc.nat()), (all, order) => {
      const slots = new Map<string, number>();
      all.forEach(({ event, market }, index) => {
        if (event === 'submit_cap') slots.set(market, index);
        else slots.delete(market);
      });
      const acts = all.map(({ event, market }, index) => act(index, event, about(market)));
      const delivered = acts
        .map((one) => ({ one, turn: order.next().value ?? 0 }))
        .toSorted((x, y) => x.turn - y.turn)
        .map(({ one }) => one);
      expect(pending(delivered)).toEqual([...slots.values()].toSorted((x, y) => y - x));
    }),
  );
});
