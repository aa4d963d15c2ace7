// Raw logs of every governance event of a vault against the arguments that they were written with, and every way in which a log can fail to
// fit its declaration.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeLog } from '../../../jobs/lending/decode-log.ts';
import { VAULT_EVENTS, type VaultEvent } from '../../../jobs/lending/vault-abi.ts';
import { keccak256 } from '../../support/keccak.ts';
import { encodeLog, word } from './encode-log.ts';

const A = `0x${'a1'.repeat(20)}`;
const B = `0x${'b2'.repeat(20)}`;
const MARKET = `0x${'3c'.repeat(32)}`;
const OTHER = `0x${'4d'.repeat(32)}`;
const MOST = (1n << 256n) - 1n;

const eventOf = (action: string): VaultEvent => {
  const found = VAULT_EVENTS.find((one) => one.action === action);
  if (found === undefined) throw new Error(`no event ${action}`);
  return found;
};

describe('the declared events', () => {
  test('the hash is the one that is known of other contracts', () => {
    expect(keccak256('')).toBe('0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470');
    expect(keccak256('Transfer(address,address,uint256)')).toBe(
      '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
    );
    expect(keccak256('a'.repeat(200))).not.toBe(keccak256('a'.repeat(199)));
  });

  test.each(VAULT_EVENTS.map((one) => [one.signature, one] as const))(
    '%s has its topic',
    (signature, one) => {
      expect(signature).toMatch(/^[A-Z]\w+\([a-z0-9,[\]]*\)$/);
      expect(one.topic0).toBe(keccak256(signature));
      expect(one.arguments.every(({ name, type }) => /^[a-z_]+$/.test(name) && type !== undefined)).toBe(
        true,
      );
    },
  );

  test('actions and topics are told apart, and the seven kinds of governance are there', () => {
    expect(new Set(VAULT_EVENTS.map(({ action }) => action)).size).toBe(VAULT_EVENTS.length);
    expect(new Set(VAULT_EVENTS.map(({ topic0 }) => topic0)).size).toBe(VAULT_EVENTS.length);
    const kinds = new Set(VAULT_EVENTS.flatMap(({ kind }) => kind ?? []));
    expect([...kinds].sort()).toEqual(['allocator', 'cap', 'fee', 'guardian', 'owner', 'queue', 'timelock']);
  });
});

describe('a log that fits', () => {
  test.each([
    ['set_cap', [A, MARKET, MOST], { caller: A, market_id: MARKET, new_cap: MOST.toString() }],
    ['submit_cap', [A, MARKET, 0n], { caller: A, market_id: MARKET, pending_cap: '0' }],
    ['set_fee', [A, 10n ** 17n], { caller: A, new_fee: '100000000000000000' }],
    ['set_fee_recipient', [B], { new_fee_recipient: B }],
    ['set_curator', [B], { new_curator: B }],
    ['set_guardian', [A, B], { caller: A, new_guardian: B }],
    ['set_is_allocator', [B, true], { allocator: B, new_is_allocator: true }],
    ['set_is_allocator', [B, false], { allocator: B, new_is_allocator: false }],
    ['set_timelock', [A, 86_400n], { caller: A, new_timelock: '86400' }],
    ['submit_timelock', [7n], { pending_timelock: '7' }],
    ['set_supply_queue', [A, [MARKET, OTHER]], { caller: A, new_supply_queue: [MARKET, OTHER] }],
    ['set_withdraw_queue', [A, []], { caller: A, new_withdraw_queue: [] }],
    [
      'reallocate_supply',
      [A, MARKET, 5n, 6n],
      { caller: A, market_id: MARKET, supplied_assets: '5', supplied_shares: '6' },
    ],
    [
      'reallocate_withdraw',
      [A, MARKET, 5n, 6n],
      { caller: A, market_id: MARKET, withdrawn_assets: '5', withdrawn_shares: '6' },
    ],
    ['transfer_ownership', [A, B], { old_owner: A, new_owner: B }],
    ['start_ownership_transfer', [A, B], { old_owner: A, pending_owner: B }],
    ['update_lost_assets', [MOST], { new_lost_assets: MOST.toString() }],
    ['revoke_pending_guardian', [A], { caller: A }],
  ] as const)('%s gives its arguments', (action, values, expected) => {
    const decoded = decodeLog(encodeLog(eventOf(action), values));
    expect(decoded.event?.action).toBe(action);
    expect(Object.fromEntries(decoded.values)).toEqual(expected);
    expect(decoded).toMatchObject({ surplus_topics: 0, surplus_bytes: 0, overflowing_words: 0 });
  });

  test('any amount of 256 bits comes back in digits', () => {
    fc.assert(
      fc.property(fc.bigInt(0n, MOST), (amount) => {
        const { values } = decodeLog(encodeLog(eventOf('set_fee'), [A, amount]));
        expect(values.get('new_fee')).toBe(amount.toString());
      }),
    );
  });
});

describe('a log that does not fit', () => {
  const cap = encodeLog(eventOf('set_cap'), [A, MARKET, 1n]);
  const queue = encodeLog(eventOf('set_supply_queue'), [A, [MARKET]]);

  test.each([
    ['a topic is missing', { ...cap, topics: cap.topics.slice(0, 2) }, { surplus_topics: -1 }],
    ['a topic is too many', { ...cap, topics: [...cap.topics, MARKET] }, { surplus_topics: 1 }],
    ['data is empty', { ...cap, data: '0x' }, { surplus_bytes: -32 }],
    ['data is cut short', { ...cap, data: cap.data.slice(0, -2) }, { surplus_bytes: -1 }],
    [
      'an amount has a byte more than 256 bits',
      { ...cap, data: `0x01${cap.data.slice(2)}` },
      { surplus_bytes: 1 },
    ],
    ['a list is cut short', { ...queue, data: queue.data.slice(0, -64) }, { surplus_bytes: -32 }],
    [
      'a list has more than it says',
      { ...queue, data: `${queue.data}${word(MARKET)}` },
      { surplus_bytes: 32 },
    ],
    [
      'a list begins elsewhere',
      { ...queue, data: `0x${word(64n)}${queue.data.slice(66)}` },
      { surplus_bytes: expect.any(Number) },
    ],
    [
      'an address has more than 160 bits',
      { ...cap, topics: [cap.topics[0] ?? '', MARKET, MARKET] },
      { overflowing_words: 1 },
    ],
    [
      'a truth value is 2',
      { ...encodeLog(eventOf('set_is_allocator'), [A, true]), data: `0x${word(2n)}` },
      { overflowing_words: 1 },
    ],
  ])('%s', (_, log, expected) => {
    const decoded = decodeLog(log);
    expect(decoded).toMatchObject(expected);
    expect(decoded.values.size).toBe(0);
    const { surplus_topics, surplus_bytes, overflowing_words } = decoded;
    expect([surplus_topics, surplus_bytes, overflowing_words]).not.toEqual([0, 0, 0]);
  });

  test('a list that says it is longer than any block is short of as much, and no memory is taken for it', () => {
    const { surplus_bytes } = decodeLog({ ...queue, data: `0x${word(32n)}${word(MOST)}` });
    expect(surplus_bytes).toBeLessThan(-1_000_000);
  });

  test('an event that is not known here has no arguments and is no misfit', () => {
    const decoded = decodeLog({ topics: [keccak256('Transfer(address,address,uint256)')], data: '0x00' });
    expect(decoded).toMatchObject({ event: null, surplus_topics: 0, surplus_bytes: 0, overflowing_words: 0 });
  });

  test('no text makes it throw', () => {
    const text = fc.oneof(fc.string(), fc.stringMatching(/^0x[0-9a-g]{0,70}$/));
    fc.assert(
      fc.property(
        fc.constantFrom(...VAULT_EVENTS),
        fc.array(text, { maxLength: 3 }),
        text,
        (one, topics, data) => {
          const { surplus_topics, surplus_bytes, values } = decodeLog({
            topics: [one.topic0, ...topics],
            data,
          });
          expect(Number.isInteger(surplus_topics) && Number.isInteger(surplus_bytes)).toBe(true);
          if (!/^0x([0-9a-f]{2})*$/.test(data)) expect(values.size).toBe(0);
        },
      ),
    );
  });

  test('no bytes make it throw', () => {
    const bytes = fc.stringMatching(/^([0-9a-f]{2}){0,200}$/);
    const topics = fc.array(fc.stringMatching(/^0x[0-9a-f]{64}$/), { maxLength: 3 });
    const first = fc.constantFrom(...VAULT_EVENTS.map(({ topic0 }) => topic0));
    fc.assert(
      fc.property(first, topics, bytes, (topic0, others, data) => {
        const decoded = decodeLog({ topics: [topic0, ...others], data: `0x${data}` });
        expect(decoded.event?.topic0).toBe(topic0);
      }),
    );
  });
});
