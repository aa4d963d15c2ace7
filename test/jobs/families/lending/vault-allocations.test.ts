// A thousand transactions of version 2 vaults, with logs in the order in which the contract emits them: deposits, withdrawals, forced
// withdrawals and bundles move the liquidity adapter in the name of the depositor, and only what an allocator decides is an allocation.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CaseRow } from '../../../support/case-file.ts';
import { seededRandom } from '../../../support/seeded-random.ts';
import { NOW, openPathModels, type PathModels } from '../oracle-paths/path-models.ts';

const TRANSACTIONS = 1_000;
const AT = NOW - 50_000;

let models: PathModels;
beforeAll(async () => {
  models = await openPathModels();
});
afterAll(() => models.close());

interface Log {
  readonly event: string;
  readonly caller: string | null;
  /** An allocator decided on it. */
  readonly isDecision?: boolean;
}

/** What one call of a vault emits. `hasLiquidity`: it has a liquidity adapter; `isIdleShort`: its own balance does not suffice. */
function callOf(random: () => number, hasLiquidity: boolean): readonly Log[] {
  const user = `0xuser${Math.floor(random() * 3)}`;
  const isIdleShort = random() < 0.6;
  const deposit: readonly Log[] = [
    { event: 'deposit', caller: user },
    ...(hasLiquidity ? [{ event: 'allocate', caller: user }] : []),
  ];
  const withdrawal: readonly Log[] = [
    ...(hasLiquidity && isIdleShort ? [{ event: 'deallocate', caller: user }] : []),
    { event: 'withdraw', caller: user },
  ];
  const decision = (event: string): readonly Log[] => [{ event, caller: '0xallocator', isDecision: true }];
  const calls: readonly (() => readonly Log[])[] = [
    () => deposit,
    () => deposit,
    () => withdrawal,
    () => [{ event: 'deallocate', caller: user }, ...withdrawal, { event: 'force_deallocate', caller: user }],
    () => decision('allocate'),
    () => decision('deallocate'),
  ];
  return calls[Math.floor(random() * calls.length)]?.() ?? [];
}

test(`of ${TRANSACTIONS} transactions, every decision is a notice, and no deposit or withdrawal is one`, async () => {
  const random = seededRandom(5);
  const expected: string[] = [];
  const rows = Array.from({ length: TRANSACTIONS }, (_, index): readonly CaseRow[] => {
    const hasLiquidity = random() < 0.8;
    const calls = Array.from({ length: random() < 0.3 ? 3 : 1 }, () => callOf(random, hasLiquidity));
    return calls.flat().map(({ event, caller, isDecision = false }, log_index) => {
      if (isDecision) expected.push(`0xt${index} ${log_index}`);
      return {
        ...{ chain: 'ethereum', vault_address: `0xv${index % 7}`, contract_address: null, source_id: 'test' },
        ...{
          block_number: 100 + index,
          block_hash: `0xb${index}`,
          block_timestamp: AT + index,
          tx_hash: `0xt${index}`,
        },
        ...{
          log_index,
          place: (100 + index) * 100_000 + log_index,
          on_chain_event: event,
          caller_address: caller,
        },
        ...{ subject_address: '0xadapter', members: '', standing: 'standing', is_removed: false },
        is_recognised: !['deposit', 'withdraw'].includes(event),
      };
    });
  }).flat();
  await models.fill('obs.vault_log', rows);
  await models.compute(['derived.vault_event', 'derived.vault_notice']);
  const found = await models.rows(
    `select concat(tx_hash, ' ', cast(log_index as varchar)) as log from derived.vault_notice where event_type = 'vault.allocation.changed'`,
  );
  expect(expected.length).toBeGreaterThan(300);
  expect(found.map(({ log }) => String(log)).sort()).toEqual(expected.sort());
});
