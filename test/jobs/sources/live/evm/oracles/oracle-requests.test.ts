// How many requests the oracles of a thousand markets cost in a day, answered by a chain that counts: prices every quarter of an hour, legs
// and codes once.
import { expect, test } from 'vitest';
import type { Ask } from '../../../../../../jobs/sources/live/evm/contract-call.ts';
import {
  type OraclesState,
  readOracles,
} from '../../../../../../jobs/sources/live/evm/oracles/oracle-readings.ts';
import type { Rpc } from '../../../../../../jobs/sources/live/evm/rpc.ts';
import { encodeFields } from '../../../../../../platform/base/abi-codec.ts';
import { contractFunction } from '../../../../../../platform/base/contract-abi.ts';

const MARKETS = 1_000;
const FEEDS = 400;
const BATCH = 600;
const PASS_S = 900;
const HOUR_S = 3_600;
const DAY_S = 86_400;
/** The id of the chain, the head by its tag, and its hash after the reading. */
const REQUESTS_AROUND = 3;
const MORPHO = `0x${'bb'.repeat(20)}`;
const NONE = '0'.repeat(64);

const word = (value: bigint | number): string => value.toString(16).padStart(64, '0');
const addressed = (kind: string, index: number) => `0x${kind}${index.toString(16).padStart(36, '0')}`;
const ids = Array.from({ length: MARKETS }, (_, at) => `0x${word(at * 7_919)}`);
const selector = (name: string, inputs: { [name: string]: 'bytes32' } = {}) =>
  contractFunction(name, inputs, 'bool').selector;
const PARAMS = selector('idToMarketParams', { id: 'bytes32' });
const [PRICE, SCALE, DECIMALS, LATEST] = ['price', 'SCALE_FACTOR', 'decimals', 'latestRoundData'].map(
  (name) => selector(name),
);
const [AGGREGATOR, PHASE, BASE, QUOTE] = ['aggregator', 'phaseId', 'BASE_FEED_1', 'QUOTE_FEED_1'].map(
  (name) => selector(name),
);
const EMPTY = ['BASE_FEED_2', 'QUOTE_FEED_2', 'BASE_VAULT', 'QUOTE_VAULT'].map((name) => selector(name));
const SAMPLES = ['BASE_VAULT_CONVERSION_SAMPLE', 'QUOTE_VAULT_CONVERSION_SAMPLE'].map((name) =>
  selector(name),
);

/** Each market has its own oracle over two of the feeds. */
function answer(target: string, data: string, price: bigint): string | null {
  const called = data.slice(0, 10);
  const index = Number.parseInt(target.slice(6), 16);
  if (target === MORPHO && called === PARAMS)
    return `${word(1)}${word(2)}${addressed('aaaa', ids.indexOf(`0x${data.slice(10)}`))
      .slice(2)
      .padStart(64, '0')}${NONE}${word(1)}`;
  const feed = (at: number) =>
    addressed('feed', at % FEEDS)
      .slice(2)
      .padStart(64, '0');
  if (target.startsWith('0xaaaa')) {
    if (called === PRICE) return word(price);
    if (called === SCALE) return word(10n ** 24n);
    if (called === BASE) return feed(index);
    if (called === QUOTE) return feed(index * 3 + 1);
    if (EMPTY.includes(called)) return NONE;
    return SAMPLES.includes(called) ? word(1) : null;
  }
  if (!target.startsWith('0xfeed')) return null;
  if (called === LATEST) return [1, 10n ** 8n, 1, 1, 1].map(word).join('');
  if (called === DECIMALS) return word(8);
  if (called === AGGREGATOR) return word(5);
  return called === PHASE ? word(1) : null;
}

class CountingChain {
  requests = 0;
  readonly #price: bigint;

  constructor(price = 10n ** 24n) {
    this.#price = price;
  }

  readonly ask: Ask = async (calls, { batch = BATCH, from } = {}) => {
    this.requests += Math.ceil(calls.length / (from === undefined ? batch : 1));
    return calls.map(({ target, data }) => {
      const found = answer(target, data, this.#price);
      return found === null ? { isSuccess: false, data: '0x01' } : { isSuccess: true, data: `0x${found}` };
    });
  };
  readonly rpc: Rpc = async (_, [call, , replaced]) => {
    this.requests += 1;
    const { data } = call as { readonly data: string };
    const count = replaced === undefined ? (data.length - 110) / 64 : Object.keys(replaced as object).length;
    const empty = Array.from({ length: count }, () => ({ success: true, returnData: `0x${NONE.repeat(3)}` }));
    const result =
      replaced === undefined
        ? `0x${NONE}${`${word(9)}${word(100)}${NONE}`.repeat(count)}`
        : `0x${encodeFields({ results: [{ success: 'bool', returnData: 'bytes' }] }, { results: empty })}`;
    return { result, body: '' };
  };
}

test('a thousand oracles take at most ten requests for prices, and 1,500 a day with their legs and codes', async () => {
  const start = 1_800_000_000;
  const pass = async (at: number, before: OraclesState | null) => {
    const chain = new CountingChain();
    const head = { number: 1, hash: `0x${NONE}`, timestamp: start + at };
    const task = { morpho: MORPHO, ids, factories: [], before, head, chain: 'ethereum' };
    const reading = await readOracles(chain.ask, chain.rpc, task);
    return { ...reading, requests: chain.requests + REQUESTS_AROUND };
  };
  const first = await pass(0, null);
  expect(first.missing).toEqual([]);
  expect(first.rows.oracle_leg).toHaveLength(2 * MARKETS);
  // A day on which the turns are those of every later day.
  let { state } = first;
  for (let at = HOUR_S; at <= DAY_S + HOUR_S; at += HOUR_S) ({ state } = await pass(at, state));
  const day: number[] = [];
  let legs = 0;
  for (let at = DAY_S + HOUR_S + PASS_S; at <= 2 * DAY_S + HOUR_S; at += PASS_S) {
    const read = await pass(at, state);
    expect(read.rows.oracle_price).toHaveLength(MARKETS);
    day.push(read.requests);
    legs += read.rows.oracle_leg.length;
    state = read.state;
  }
  expect(legs).toBe(2 * MARKETS);
  expect(Math.min(...day)).toBeLessThanOrEqual(10);
  expect(day.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(1_500);
});

function readAt(
  of: readonly string[],
  price: bigint,
  { at, before }: { readonly at: number; readonly before: OraclesState | null },
) {
  const { ask, rpc } = new CountingChain(price);
  const head = { number: 1, hash: `0x${NONE}`, timestamp: at };
  return readOracles(ask, rpc, { morpho: MORPHO, ids: of, factories: [], before, head, chain: 'ethereum' });
}

test.each([
  [0n, 0n, 0],
  [0n, 1n, 1],
  [1n, 0n, 1],
  [1_000n, 1_019n, 0],
  [1_000n, 1_020n, 1],
  [1_000n, 981n, 0],
  [1_000n, 980n, 1],
])('a price that goes from %d to %d has jumped: %d', async (from, to, jumps) => {
  const one = ids.slice(0, 1);
  const { state } = await readAt(one, from, { at: 0, before: null });
  const { rows } = await readAt(one, to, { at: 60, before: state });
  expect(rows.oracle_price).toEqual([expect.objectContaining({ price: String(to) })]);
  expect(rows.oracle_leg).toHaveLength(2 * jumps);
});

test('of many prices that jump at once, the legs of forty are read besides those whose turn it is, and then the others', async () => {
  const { state } = await readAt(ids, 100n, { at: 0, before: null });
  const turn = await readAt(ids, 100n, { at: 79_200, before: state });
  const due = turn.rows.oracle_leg.length / 2;
  expect(due).toBeGreaterThan(0);
  const crash = await readAt(ids, 50n, { at: 79_200, before: state });
  expect(crash.rows.oracle_price).toHaveLength(MARKETS);
  expect(crash.rows.oracle_leg).toHaveLength(2 * (due + 40));
  const legsOf = new Set(crash.rows.oracle_leg.map(({ market_id }) => market_id));
  let before = crash.state;
  for (let left = MARKETS - due - 40; left > 0; left -= 40) {
    const { rows, state: after } = await readAt(ids, 50n, { at: 79_201, before });
    expect(rows.oracle_leg).toHaveLength(2 * Math.min(left, 40));
    for (const { market_id } of rows.oracle_leg) legsOf.add(market_id);
    before = after;
  }
  expect(legsOf.size).toBe(MARKETS);
  expect((await readAt(ids, 50n, { at: 79_202, before })).rows.oracle_leg).toEqual([]);
});
