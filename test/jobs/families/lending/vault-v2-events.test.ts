// Logs of Morpho's version 2 vaults and adapters, written by viem from the contracts' own declarations, against what they are decoded to.
import fc from 'fast-check';
import { encodeAbiParameters, encodeEventTopics, encodeFunctionData, type Hex, parseAbi } from 'viem';
import { describe, expect, test } from 'vitest';
import { decodeLog, KNOWN_EVENTS } from '../../../../jobs/families/lending/decode-log.ts';
import { decodedLogs } from '../../../../jobs/families/lending/decode-logs.ts';
import { EULER_EVENTS } from '../../../../jobs/families/lending/vault-abi.ts';
import { TIMELOCKED_SELECTORS } from '../../../../jobs/families/lending/vault-calls.ts';
import { keccak256 } from '../../../../platform/base/contract-abi.ts';

const VAULT = `0x${'aa'.repeat(20)}`;
const ADAPTER: Hex = `0x${'55'.repeat(20)}`;
const CALLER: Hex = `0x${'cc'.repeat(20)}`;
const ID: Hex = `0x${'3c'.repeat(32)}`;

const EVENTS = parseAbi([
  'event Submit(bytes4 indexed selector, bytes data, uint256 executableAt)',
  'event Accept(bytes4 indexed selector, bytes data)',
  'event Revoke(address indexed sender, bytes4 indexed selector, bytes data)',
  'event Allocate(address indexed sender, address indexed adapter, uint256 assets, bytes32[] ids, int256 change)',
  'event ForceDeallocate(address indexed sender, address adapter, uint256 assets, address indexed onBehalf, bytes32[] ids, uint256 penaltyAssets)',
  'event SetLiquidityAdapterAndData(address indexed sender, address indexed newLiquidityAdapter, bytes indexed newLiquidityData)',
  'event DecreaseAbsoluteCap(address indexed sender, bytes32 indexed id, bytes idData, uint256 newAbsoluteCap)',
  'event SetIsSentinel(address indexed account, bool newIsSentinel)',
  'event IncreaseTimelock(bytes4 indexed selector, uint256 newDuration)',
  'event BurnShares(bytes32 indexed marketId, uint256 supplyShares)',
]);
const CALLS = parseAbi([
  'function addAdapter(address account)',
  'function increaseAbsoluteCap(bytes idData, uint256 newAbsoluteCap)',
  'function decreaseTimelock(bytes4 selector, uint256 newDuration)',
  'function burnShares(bytes32 marketId)',
]);
const ADD_ADAPTER = encodeFunctionData({ abi: CALLS, functionName: 'addAdapter', args: [ADAPTER] });

type EventName = (typeof EVENTS)[number]['name'];

function logOf(eventName: EventName, args: { readonly [name: string]: unknown }) {
  const event = EVENTS.find(({ name }) => name === eventName);
  const inData = (event?.inputs ?? []).filter((input) => !('indexed' in input && input.indexed));
  return {
    topics: encodeEventTopics({ abi: EVENTS, eventName, args: args as never }) as Hex[],
    data: encodeAbiParameters(inData, inData.map(({ name }) => args[name ?? '']) as never),
  };
}

/** The columns that a log is decoded to on its way to landing. */
async function landed(log: ReturnType<typeof logOf>) {
  const [topic0, topic1 = null, topic2 = null, topic3 = null] = log.topics;
  const given = {
    vault_address: VAULT,
    topic0,
    topic1,
    topic2,
    topic3,
    data: log.data,
    sender_address: null,
  };
  const columns = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, [value ?? null]]));
  const filled = await decodedLogs.fill({ count: 1, columns }, new Uint8Array());
  const row = Object.fromEntries(Object.entries(filled).map(([name, values]) => [name, values[0]]));
  expect([row['surplus_topics'], row['surplus_bytes'], row['overflowing_words']]).toEqual([0, 0, 0]);
  return { ...row, members: JSON.parse(`{${row['members']}}`) };
}

describe('a submitted call', () => {
  test('is explained with its key, function and arguments', async () => {
    const row = await landed(
      logOf('Submit', { selector: '0x60d54d41', data: ADD_ADAPTER, executableAt: 1_700_259_200n }),
    );
    expect(row).toMatchObject({ on_chain_event: 'submit', subject_address: ADAPTER });
    expect(row.members).toEqual({
      ...{ selector: '0x60d54d41', data: ADD_ADAPTER, executable_at: '1700259200' },
      ...{ function: 'addAdapter', arguments: { adapter: ADAPTER } },
    });
    expect(keccak256(ADD_ADAPTER).slice(0, 10)).toBe('0xb532965a');
  });

  test('of a cap is about the id of the cap', async () => {
    const idData: Hex = `0x${'12'.repeat(40)}`;
    const data = encodeFunctionData({ abi: CALLS, functionName: 'increaseAbsoluteCap', args: [idData, 5n] });
    const row = await landed(logOf('Accept', { selector: data.slice(0, 10), data }));
    expect(row).toMatchObject({ on_chain_event: 'accept', subject_address: keccak256(idData) });
    expect(row.members).toMatchObject({
      function: 'increaseAbsoluteCap',
      arguments: { idData, newAbsoluteCap: '5' },
    });
  });

  test.each([
    ['decreaseTimelock', ['0x60d54d41', 86_400n], null, { selector: '0x60d54d41', newDuration: '86400' }],
    ['burnShares', [ID], ID, { marketId: ID }],
  ] as const)('%s', async (functionName, args, subject, expected) => {
    const data = encodeFunctionData({ abi: CALLS, functionName, args: args as never });
    const row = await landed(logOf('Revoke', { sender: CALLER, selector: data.slice(0, 10), data }));
    expect(row).toMatchObject({ on_chain_event: 'revoke', caller_address: CALLER, subject_address: subject });
    expect(row.members).toMatchObject({ function: functionName, arguments: expected });
  });

  test.each([
    ['is not known', '0x12345678'],
    ['is shorter than its selector', '0x60'],
    ['is cut short', ADD_ADAPTER.slice(0, -2) as Hex],
    ['is empty', '0x'],
  ] as const)('that %s keeps its data without a function', async (_, data) => {
    const row = await landed(logOf('Submit', { selector: '0x12345678', data, executableAt: 1n }));
    expect(row).toMatchObject({ on_chain_event: 'submit', subject_address: null });
    expect(row.members).toMatchObject({ data, function: null, arguments: {} });
  });

  test('may be any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        const data: Hex = `0x${Buffer.from(bytes).toString('hex')}`;
        const { values, surplus_bytes } = decodeLog(
          logOf('Submit', { selector: '0x60d54d41', data, executableAt: 1n }),
        );
        expect([values.get('data'), surplus_bytes]).toEqual([data, 0]);
      }),
    );
  });
});

describe('other logs', () => {
  test.each([
    [
      'Allocate',
      { sender: CALLER, adapter: ADAPTER, assets: 7n, ids: [ID, ID], change: -3n },
      { on_chain_event: 'allocate', caller_address: CALLER, subject_address: ADAPTER },
      { adapter: ADAPTER, assets: '7', cap_ids: [ID, ID], change: '-3' },
    ],
    [
      'ForceDeallocate',
      { sender: CALLER, adapter: ADAPTER, assets: 7n, onBehalf: CALLER, ids: [], penaltyAssets: 1n },
      { on_chain_event: 'force_deallocate', caller_address: CALLER, subject_address: ADAPTER },
      { penalty_assets: '1', cap_ids: [] },
    ],
    [
      'SetLiquidityAdapterAndData',
      { sender: CALLER, newLiquidityAdapter: ADAPTER, newLiquidityData: '0x1234' },
      { on_chain_event: 'set_liquidity_adapter', governance_kind: 'queue', change_value: `"${ADAPTER}"` },
      { liquidity_data_hash: keccak256('0x1234') },
    ],
    [
      'DecreaseAbsoluteCap',
      { sender: CALLER, id: ID, idData: '0x1234', newAbsoluteCap: 9n },
      { on_chain_event: 'decrease_absolute_cap', subject_address: ID, change_key: `absolute_cap|${ID}` },
      { id_data: '0x1234', new_absolute_cap: '9' },
    ],
    [
      'SetIsSentinel',
      { account: CALLER, newIsSentinel: true },
      { on_chain_event: 'set_is_sentinel', governance_kind: 'guardian' },
      { sentinel: CALLER, new_is_sentinel: true },
    ],
    [
      'IncreaseTimelock',
      { selector: '0x60d54d41', newDuration: 604_800n },
      { on_chain_event: 'increase_timelock', change_key: 'duration|0x60d54d41', subject_address: VAULT },
      { new_duration: '604800' },
    ],
    [
      'BurnShares',
      { marketId: ID, supplyShares: 4n },
      { on_chain_event: 'burn_shares', subject_address: ID },
      { supply_shares: '4' },
    ],
  ] as const)('%s', async (name, args, columns, members) => {
    const row = await landed(logOf(name, args));
    expect(row).toMatchObject(columns);
    expect(row.members).toMatchObject(members);
  });

  test('do not fit if bytes are missing, are too many or are elsewhere', () => {
    const log = logOf('Submit', { selector: '0x60d54d41', data: ADD_ADAPTER, executableAt: 1n });
    const surplus = (data: string) => decodeLog({ ...log, data }).surplus_bytes;
    expect(surplus(`${log.data}00`)).toBe(1);
    expect(surplus(log.data.slice(0, -64))).toBe(-32);
    expect(surplus('0x')).toBeLessThan(0);
    expect(surplus(`0x${'0'.repeat(62)}60${log.data.slice(66)}`)).toBeLessThan(0);
    const selector = `0x60d54d41${'0'.repeat(55)}1`;
    expect(decodeLog({ ...log, topics: [log.topics[0] ?? '', selector] }).overflowing_words).toBe(1);
  });
});

/** First four bytes as the sources of the contracts give them. */
const TOPICS = {
  submit: '8b18afeb',
  accept: '29aa42fc',
  revoke: '70521cf6',
  allocate: '2bc7948a',
  deallocate: 'd602b36f',
  force_deallocate: 'b98216be',
  set_liquidity_adapter: '9deb43d7',
  increase_absolute_cap: '7368d59e',
  decrease_absolute_cap: 'bc2ffe81',
  increase_relative_cap: '2a343b9a',
  decrease_relative_cap: 'cedce6ff',
  add_adapter: '8f125a24',
  remove_adapter: '34f33faa',
  increase_timelock: 'ed380a7a',
  decrease_timelock: '488e0bfa',
  abdicate: 'a8480b13',
  set_max_rate: '75fef0e2',
  set_performance_fee: '8b940a95',
  set_management_fee: 'd87632b1',
  set_performance_fee_recipient: 'e59cc3d4',
  set_management_fee_recipient: '7f1dd9b7',
  set_owner: '167d3e9c',
  set_is_sentinel: '8da69db4',
  set_force_deallocate_penalty: '1e29a0bf',
  set_receive_shares_gate: '004237eb',
  set_send_shares_gate: '43a3573c',
  set_receive_assets_gate: '6b530281',
  set_send_assets_gate: '34c1885f',
  set_adapter_registry: '7c5f71ef',
  allocate_in_adapter: '67bd2993',
  deallocate_in_adapter: 'c3505702',
  burn_shares: '82234a83',
  accrue_interest_and_fees: '4dec04e7',
  accrue_interest: 'f66f28b4',
  update_last_total_assets: '15c027cc',
  deposit: 'dcbc1c05',
  withdraw: 'fbde797d',
} as const;

const SELECTORS = {
  setIsAllocator: 'b192a84a',
  setReceiveSharesGate: '2cb19f98',
  setSendSharesGate: 'c21ad028',
  setReceiveAssetsGate: '04dbf0ce',
  setSendAssetsGate: '871c979c',
  setAdapterRegistry: '5b34b823',
  addAdapter: '60d54d41',
  removeAdapter: '585cd34b',
  increaseTimelock: '47966291',
  decreaseTimelock: '5c1a1a4f',
  abdicate: 'b2e32848',
  setPerformanceFee: '70897b23',
  setManagementFee: 'fe56e232',
  setPerformanceFeeRecipient: '6a5f1aa2',
  setManagementFeeRecipient: '9faae464',
  increaseAbsoluteCap: 'f6f98fd5',
  increaseRelativeCap: '2438525b',
  setForceDeallocatePenalty: '3e9d2ac7',
  setSkimRecipient: '2b30997b',
  burnShares: '3b2de5ac',
};

describe('declarations', () => {
  test.each(Object.entries(TOPICS))('%s has its topic', (action, start) => {
    const found = KNOWN_EVENTS.filter((one) => one.action === action).map(({ topic0 }) =>
      topic0.slice(2, 10),
    );
    expect(found).toEqual([start]);
  });

  test('of calls have their selectors', () => {
    const computed = [...TIMELOCKED_SELECTORS].map(([name, selector]) => [name, selector.slice(2)]);
    expect(Object.fromEntries(computed)).toEqual(SELECTORS);
  });

  test('of events are distinct', () => {
    const ofMorpho = KNOWN_EVENTS.filter((one) => !EULER_EVENTS.includes(one));
    expect(new Set(ofMorpho.map(({ action }) => action)).size).toBe(ofMorpho.length);
    expect(new Set(KNOWN_EVENTS.map(({ topic0 }) => topic0)).size).toBe(KNOWN_EVENTS.length);
  });
});
