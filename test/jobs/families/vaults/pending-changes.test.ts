// Delayed changes after every one of a thousand random actions: those that wait are those of a model that keeps all submitted calls, each with
// the second from which anyone may execute it, and blocked once its function was given up.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CaseRow } from '../../../support/case-file.ts';
import { neededFor } from '../../../support/needed-models.ts';
import { seededRandom } from '../../../support/seeded-random.ts';
import { NOW, openPathModels, type PathModels } from '../oracle-paths/path-models.ts';

const SEQUENCES = 40;
const ACTIONS = 25;
const DAY = 86_400;
/** Each action happens in a slot of its own. */
const SLOT = DAY;
const START = NOW - ACTIONS * SLOT;
const CALLS = ['0x60d54d41aa', '0x60d54d41bb', '0xb192a84aaa', '0x47966291aa', '0x5c1a1a4faa'];

let models: PathModels;
beforeAll(async () => {
  models = await openPathModels(neededFor({ tables: ['derived.vault_change'] }));
});
afterAll(() => models.close());

interface Action {
  readonly event: 'submit' | 'accept' | 'revoke' | 'abdicate';
  readonly contract: 'vault' | 'adapter';
  readonly data: string;
  readonly at: number;
  readonly executableAt: number;
  /** The block was replaced: the log no longer counts. */
  readonly isRemoved: boolean;
}

const selectorOf = ({ data }: Action): string => data.slice(0, 10);

/** Actions as the contract admits them: what is pending cannot be submitted again, and only that can end. */
function actionsOf(seed: number): readonly Action[] {
  const random = seededRandom(seed);
  const pending = new Set<string>();
  const actions: Action[] = [];
  while (actions.length < ACTIONS) {
    const at = START + actions.length * SLOT + Math.floor(random() * (SLOT - 120));
    const contract = random() < 0.7 ? ('vault' as const) : ('adapter' as const);
    const data = CALLS[Math.floor(random() * CALLS.length)] ?? '';
    const key = `${contract} ${data}`;
    const isPending = pending.has(key);
    const isGivenUp = random() < 0.05;
    const ending = random() < 0.5 ? ('accept' as const) : ('revoke' as const);
    const isRemoved = random() < 0.15;
    const executableAt = at + Math.floor(random() * 30 * DAY);
    const event = isGivenUp ? ('abdicate' as const) : isPending ? ending : ('submit' as const);
    actions.push({ event, contract, data, at, executableAt, isRemoved });
    if (isRemoved || isGivenUp) continue;
    if (isPending) pending.delete(key);
    else pending.add(key);
  }
  return actions;
}

/** The calls that wait, with the second from which they can be executed, or blocked. */
function waitingAfter(actions: readonly Action[]): readonly string[] {
  const pending = new Map<string, Action>();
  const givenUp = new Set<string>();
  for (const action of actions.filter(({ isRemoved }) => !isRemoved)) {
    const { event, contract, data } = action;
    if (event === 'abdicate') givenUp.add(`${contract} ${selectorOf(action)}`);
    else if (event === 'submit') pending.set(`${contract} ${data}`, action);
    else pending.delete(`${contract} ${data}`);
  }
  return [...pending]
    .map(([key, action]) => {
      const isBlocked = givenUp.has(`${action.contract} ${selectorOf(action)}`);
      return `${key} ${action.executableAt}${isBlocked ? ' blocked' : ''}`;
    })
    .sort();
}

const membersOf = (action: Action): string => {
  const { event, data, executableAt } = action;
  const selector = `"selector":"${selectorOf(action)}"`;
  if (event === 'abdicate') return selector;
  return `${selector},"data":"${data}"${event === 'submit' ? `,"executable_at":"${executableAt}"` : ''}`;
};

function rowsOf(vault: string, actions: readonly Action[]): readonly CaseRow[] {
  return actions.flatMap((action, index): CaseRow[] => {
    const { event, contract, at, isRemoved } = action;
    const row: CaseRow = {
      ...{
        chain: 'ethereum',
        vault_address: vault,
        is_recognised: true,
        is_removed: false,
        source_id: 'test',
      },
      contract_address: contract === 'vault' ? null : `${vault}-adapter`,
      ...{ block_number: 1_000 + index, block_hash: `0xblock-${index}`, block_timestamp: at },
      ...{ tx_hash: `0x${vault}-${index}`, log_index: 0, place: (1_000 + index) * 100_000 },
      ...{ standing: 'standing', on_chain_event: event, members: membersOf(action) },
    };
    return isRemoved ? [row, { ...row, standing: 'removed', is_removed: true, removed_at: at + 60 }] : [row];
  });
}

const WAITING = `select
    vault_address,
    concat(
      case when contract_address = vault_address then 'vault ' else 'adapter ' end, change_key, ' ', cast(executable_at as varchar),
      case when abdicated_at is null then '' else ' blocked' end
    ) as waiting
  from derived.vault_change where is_current and ending is null`;

test(`are those of the model after each of ${SEQUENCES * ACTIONS} actions`, async () => {
  const sequences = Array.from({ length: SEQUENCES }, (_, seed) => actionsOf(seed + 1));
  await models.fill(
    'obs.vault_log',
    sequences.flatMap((actions, index) => rowsOf(`v${index}`, actions)),
  );
  let blocked = 0;
  for (let step = 1; step <= ACTIONS; step++) {
    await models.compute(['derived.vault_change'], START + step * SLOT - 1);
    const found = await models.rows(WAITING);
    const byVault = Map.groupBy(found, (row) => String(row['vault_address']));
    const expected = sequences.map((actions) => waitingAfter(actions.slice(0, step)));
    blocked += expected.flat().filter((one) => one.endsWith('blocked')).length;
    expect(
      sequences.map((_, index) =>
        (byVault.get(`v${index}`) ?? []).map((row) => String(row['waiting'])).sort(),
      ),
      `after ${step} actions`,
    ).toEqual(expected);
  }
  expect(blocked).toBeGreaterThan(20);
});
