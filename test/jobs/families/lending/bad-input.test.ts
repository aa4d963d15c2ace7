// What is wrong with lending rows is refused with its reason, or kept and named: nothing is lost, and nothing wrong becomes a number.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { lending, lendingMarkets, lendingVaults } from '../../../../jobs/families/lending/domain.ts';
import { VAULT_EVENTS } from '../../../../jobs/families/lending/vault-abi.ts';
import { oracles } from '../../../../jobs/families/oracles/domain.ts';
import { pools } from '../../../../jobs/families/pools/domain.ts';
import { sources } from '../../../../jobs/families/sources/domain.ts';
import type { Json } from '../../../../platform/base/json.ts';
import { type DomainWorld, openDomainWorld } from '../../../support/domain-world.ts';
import { encodeLog, word } from './encode-log.ts';

const DAY = 86_400;
const START = 20_000 * DAY;
const NOW = START + DAY - 1;
const A = `0x${'a1'.repeat(20)}`;
const MARKET = `0x${'3c'.repeat(32)}`;

let world: DomainWorld;
beforeAll(async () => {
  world = await openDomainWorld(lending, [sources, oracles, pools]);
});
afterAll(() => world.close());

const setCap = VAULT_EVENTS.find(({ action }) => action === 'set_cap') ?? VAULT_EVENTS[0];
if (setCap === undefined) throw new Error('no events');
const cap = encodeLog(setCap, [A, MARKET, 1n]);

let logs = 0;
function logRow(change: { readonly [field: string]: Json }) {
  logs += 1;
  return {
    chain: 'ethereum',
    vault_address: A,
    block_number: 5,
    block_timestamp: START,
    tx_hash: `0x${logs.toString(16).padStart(64, '0')}`,
    log_index: 1,
    topic0: cap.topics[0] ?? '',
    topic1: cap.topics[1] ?? '',
    topic2: cap.topics[2] ?? '',
    data: cap.data,
    ...change,
  };
}

describe('logs of vaults', () => {
  test.each([
    ['a topic is missing', { topic2: null }, 'surplus_topics: negative'],
    ['a topic is too many', { topic3: MARKET }, 'surplus_topics: more than 0'],
    ['no topic at all', { topic0: null }, 'topic0: missing'],
    [
      'a topic of 31 bytes',
      { topic1: `0x${'0'.repeat(62)}` },
      'topic1: must be a hash of 32 bytes (`0x` and 64 hexadecimal digits), for example `0x7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b`',
    ],
    ['data is cut short', { data: cap.data.slice(0, -2) }, 'surplus_bytes: negative'],
    ['data without an amount', { data: '0x' }, 'surplus_bytes: negative'],
    ['an amount of 2^256', { data: `0x01${word(0n)}` }, 'surplus_bytes: more than 0'],
    [
      'half a byte',
      { data: '0x1' },
      'data: must be `0x` and two hexadecimal digits for each byte, for example `0x7b2f`',
    ],
    ['an address of more than 160 bits', { topic1: MARKET }, 'overflowing_words: more than 0'],
    ['a log index below 0', { log_index: -1 }, 'log_index: negative'],
  ])('%s: quarantined with its reason', async (_, change, reason) => {
    const receipt = await world.landRows('vault_log', [logRow(change)]);
    expect(receipt).toMatchObject({
      rows_in: 1,
      rows_landed: 0,
      rows_quarantined: 1,
      reasons: { [reason]: 1 },
    });
  });

  test('a log of no governance is kept, named, and makes no event', async () => {
    const topic0 = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
    expect(await world.landRows('vault_log', [logRow({ topic0 })])).toMatchObject({ rows_landed: 1 });
    const rows = await world.rows(
      `select on_chain_event, is_recognised from obs.vault_log where on_chain_event = 'unrecognised'`,
    );
    expect(rows).toEqual([{ on_chain_event: 'unrecognised', is_recognised: false }]);
    await world.compute({ start: START, end: NOW + 1, now: NOW });
    expect(await world.rows('select * from derived.vault_event')).toEqual([]);
  });

  test('letters in any case are one address', async () => {
    const row = logRow({ vault_address: '0xABCDEF', data: cap.data.toUpperCase().replace('0X', '0x') });
    expect(await world.landRows('vault_log', [row])).toMatchObject({ rows_landed: 1 });
    expect(
      await world.landRows('vault_log', [{ ...row, vault_address: '0xabcdef', data: cap.data }]),
    ).toMatchObject({
      rows_landed: 0,
      rows_deduplicated: 1,
    });
  });

  test('a vault whose registry row is missing is published with what its logs say', async () => {
    await world.compute({ start: START, end: NOW + 1, now: NOW });
    expect(await world.document(lendingVaults, 'ethereum|0xabcdef')).toMatchObject({
      has_metadata: false,
      protocol: null,
      name: null,
      events: 1,
      governance_kinds: ['cap'],
    });
  });
});

const state = (market_id: string, change: { readonly [field: string]: Json }) => ({
  chain: 'ethereum',
  market_id,
  observed_at: START + 10,
  ...change,
});

describe('states of markets', () => {
  test.each([
    ['a negative utilisation', { utilization: -0.1 }, 'utilization: negative'],
    ['a negative supply', { supplied_usd: -5 }, 'supplied_usd: negative'],
    ['a utilisation of text', { utilization: 'high' }, 'utilization: not a number'],
    ['no instant', { observed_at: null }, 'observed_at: missing'],
    ['an instant of 0', { observed_at: 0 }, 'observed_at: less than 1'],
  ])('%s is quarantined', async (_, change, reason) => {
    const receipt = await world.landRows('market_state', [state('bad', change)]);
    expect(receipt).toMatchObject({ rows_quarantined: 1, reasons: { [reason]: 1 } });
  });

  test('two different states of one instant contradict each other', async () => {
    const receipt = await world.landRows('market_state', [
      state('twice', { supplied_usd: 1 }),
      state('twice', { supplied_usd: 2 }),
    ]);
    expect(receipt).toMatchObject({ rows_landed: 1, rows_quarantined: 1 });
  });

  test('a supply of 0 is no utilisation of 0, more than all is kept, and both are flagged', async () => {
    await world.landRows('market_state', [
      state('empty', { supplied_usd: 0, borrowed_usd: 0 }),
      state('debt', { supplied_usd: 0, borrowed_usd: 3 }),
      state('above', { supplied_usd: 100, borrowed_usd: 104 }),
    ]);
    await world.compute({ start: START, end: NOW + 1, now: NOW });
    const published = async (id: string) => world.document(lendingMarkets, `ethereum|${id}`);
    expect(await published('empty')).toMatchObject({
      utilization: null,
      supplied_usd: 0,
      state_flags: ['empty'],
      state_status: 'stale',
    });
    expect(await published('debt')).toMatchObject({
      utilization: null,
      state_flags: ['debt_without_supply'],
    });
    expect(await published('above')).toMatchObject({
      utilization: 1.04,
      withdrawable_usd: 0,
      state_flags: ['utilization_above_one'],
      has_metadata: false,
    });
    expect(await published('nowhere')).toBeNull();
  });
});
