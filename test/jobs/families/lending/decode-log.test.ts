// Raw logs of every governance event of a vault against the arguments that they were written with, and every way in which a log can fail to
// fit its declaration.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeLog, KNOWN_EVENTS } from '../../../../jobs/families/lending/decode-log.ts';
import { EULER_EVENTS, VAULT_EVENTS, type VaultEvent } from '../../../../jobs/families/lending/vault-abi.ts';
import { encodeLog, word } from './encode-log.ts';

const A = `0x${'a1'.repeat(20)}`;
const B = `0x${'b2'.repeat(20)}`;
const MARKET = `0x${'3c'.repeat(32)}`;
const OTHER = `0x${'4d'.repeat(32)}`;
const MAX_AMOUNT = (1n << 256n) - 1n;
/** Topic of ERC-20 transfers. */
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

const eventOf = (action: string): VaultEvent => {
  const found = VAULT_EVENTS.find((one) => one.action === action);
  if (found === undefined) throw new Error(`no event ${action}`);
  return found;
};

/** As block explorers and the contracts' own tests give them. */
const TOPICS = [
  ['set_cap', '0xe86b6d3313d3098f4c5f689c935de8fde876a597c185def2cedab85efedac686'],
  ['set_fee', '0x01fe2943baee27f47add82886c2200f910c749c461c9b63c5fe83901a53bdb49'],
  ['set_fee_recipient', '0x2e979f80fe4d43055c584cf4a8467c55875ea36728fc37176c05acd784eb7a73'],
  ['set_curator', '0xbd0a63c12948fbc9194a5839019f99c9d71db924e5c70018265bc778b8f1a506'],
  ['set_guardian', '0xcb11cc8aade2f5a556749d1b2380d108a16fac3431e6a5d5ce12ef9de0bd76e3'],
  ['set_is_allocator', '0x74dc60cbc81a9472d04ad1d20e151d369c41104d655ed3f2f3091166a502cd8d'],
  ['set_timelock', '0xd28e9b90ee9b37c5936ff84392d71f29ff18117d7e76bcee60615262a90a3f75'],
  ['set_supply_queue', '0x6ce31538fc7fba95714ddc8a275a09252b4b1fb8f33d2550aa58a5f62ad934de'],
  ['set_withdraw_queue', '0xe0c2db6b54586be6d7d49943139fccf0dd315ba63e55364a76c73cd8fdba724d'],
  ['update_lost_assets', '0x548669ea9bcc24888e6d74a69c9865fa98d795686853b8aa3eb87814261bbb71'],
  ['set_skim_recipient', '0x2e7908865670e21b9779422cadf5f1cba271a62bb95c71eaaf615c0a1c48ebee'],
  ['transfer_ownership', '0x8be0079c531659141344cd1fd0a4f28419497f9722a3daafe3b4186f6b6457e0'],
  ['reallocate_supply', '0x89bf199df65bf65155e3e0a8abc4ad4a1be606220c8295840dba2ab5656c1f6d'],
  ['reallocate_withdraw', '0xdd8bf5226dff861316e0fa7863fdb7dc7b87c614eb29a135f524eb79d5a1189a'],
  ['submit_cap', '0xe851bb5856808a50efd748be463b8f35bcfb5ec74c5bfde776fe0a4d2a26db27'],
  ['submit_guardian', '0x7633313af54753bce8a149927263b1a55eba857ba4ef1d13c6aee25d384d3c4b'],
  ['submit_timelock', '0xb3aa0ade2442acf51d06713c2d1a5a3ec0373cce969d42b53f4689f97bccf380'],
  ['submit_market_removal', '0x3240fc70754c5a2b4dab10bf7081a00024bfc8491581ee3d355360ec0dd91f16'],
  ['start_ownership_transfer', '0x38d16b8cac22d99fc7c124b9cd0de2d3fa1faef420bfe791d8c362d765e22700'],
  ['revoke_pending_cap', '0x1026ceca5ed3747eb5edec555732d4a6f901ce1a875ecf981064628cadde1120'],
  ['revoke_pending_guardian', '0xc40a085ccfa20f5fd518ade5c3a77a7ecbdfbb4c75efcdca6146a8e3c841d663'],
  ['revoke_pending_timelock', '0x921828337692c347c634c5d2aacbc7b756014674bd236f3cc2058d8e284a951b'],
  ['revoke_pending_market_removal', '0xcbeb8ecdaa5a3c133e62219b63bfc35bce3fda13065d2bed32e3b7dde60a59f4'],
] as const;

describe('the declared events', () => {
  test.each(TOPICS)('%s has its topic', (action, topic0) => {
    expect(eventOf(action).topic0).toBe(topic0);
  });

  test('every action and topic is distinct, and the seven kinds of governance are there', () => {
    expect(VAULT_EVENTS.map(({ action }) => action).sort()).toEqual(TOPICS.map(([action]) => action).sort());
    expect(new Set(VAULT_EVENTS.map(({ action }) => action)).size).toBe(VAULT_EVENTS.length);
    expect(new Set(VAULT_EVENTS.map(({ topic0 }) => topic0)).size).toBe(VAULT_EVENTS.length);
    const kinds = new Set(VAULT_EVENTS.flatMap(({ kind }) => kind ?? []));
    expect([...kinds].sort()).toEqual(['allocator', 'cap', 'fee', 'guardian', 'owner', 'queue', 'timelock']);
  });
});

describe('events of Euler Earn', () => {
  const ofEuler = (action: string) => EULER_EVENTS.find((one) => one.action === action) as VaultEvent;

  test('have their topics, which are those of no other event', () => {
    expect(ofEuler('submit_cap').topic0).toMatch(/^0x7bfc4886/);
    expect(ofEuler('set_cap').topic0).toMatch(/^0x10dbbfa9/);
    expect(new Set(KNOWN_EVENTS.map(({ topic0 }) => topic0)).size).toBe(KNOWN_EVENTS.length);
  });

  test('have the same arguments, with a vault in place of a market', () => {
    const decoded = (action: string, values: Parameters<typeof encodeLog>[1]) =>
      Object.fromEntries(decodeLog(encodeLog(ofEuler(action), values)).values);
    expect(decoded('submit_cap', [A, B, 5n])).toEqual({ caller: A, market_id: B, pending_cap: '5' });
    expect(decoded('set_cap', [A, B, 5n])).toEqual({ caller: A, market_id: B, new_cap: '5' });
    expect(decoded('submit_market_removal', [A, B])).toEqual({ caller: A, market_id: B });
    expect(decoded('set_withdraw_queue', [A, [A, B]])).toEqual({ caller: A, new_withdraw_queue: [A, B] });
  });
});

describe('a log that fits', () => {
  test.each([
    ['set_cap', [A, MARKET, MAX_AMOUNT], { caller: A, market_id: MARKET, new_cap: MAX_AMOUNT.toString() }],
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
    ['update_lost_assets', [MAX_AMOUNT], { new_lost_assets: MAX_AMOUNT.toString() }],
    ['revoke_pending_guardian', [A], { caller: A }],
  ] as const)('%s gives its arguments', (action, values, expected) => {
    const decoded = decodeLog(encodeLog(eventOf(action), values));
    expect(decoded.event?.action).toBe(action);
    expect(Object.fromEntries(decoded.values)).toEqual(expected);
    expect(decoded).toMatchObject({ surplus_topics: 0, surplus_bytes: 0, overflowing_words: 0 });
  });

  test('any amount of 256 bits comes back in digits', () => {
    fc.assert(
      fc.property(fc.bigInt(0n, MAX_AMOUNT), (amount) => {
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
    const { surplus_bytes } = decodeLog({ ...queue, data: `0x${word(32n)}${word(MAX_AMOUNT)}` });
    expect(surplus_bytes).toBeLessThan(-1_000_000);
  });

  test('an event that is not known here has no arguments and is no misfit', () => {
    const decoded = decodeLog({ topics: [TRANSFER], data: '0x00' });
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
