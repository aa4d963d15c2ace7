// Feeds that answer only to contracts on their list, asked in the name of each contract that reads them: by a chain that answers what the
// contracts would.
import { expect, test } from 'vitest';
import type { Ask } from '../../../../../../jobs/sources/live/evm/contract-call.ts';
import {
  type LegQuery,
  legsFrom,
  readLegs,
} from '../../../../../../jobs/sources/live/evm/oracles/oracle-legs.ts';
import { contractFunction } from '../../../../../../platform/base/contract-abi.ts';

const [FEED, OPEN, ADAPTER] = ['fe', '0e', 'ad'].map((pair) => `0x${pair.repeat(20)}`) as [
  string,
  string,
  string,
];
const [FIRST, SECOND] = ['11', '22'].map((pair) => `0x${pair.repeat(20)}`) as [string, string];
const word = (value: bigint | number | string): string => BigInt(value).toString(16).padStart(64, '0');
const selectorOf = (name: string) => contractFunction(name, {}, 'uint256').selector;
const LATEST = selectorOf('latestRoundData');
const round = (answer: bigint) => `0x${word(1)}${word(answer)}${word(0)}${word(1_700_000_000)}${word(1)}`;

/** What contracts answer to everyone, by selector. */
const ANSWERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  [FEED]: { wat: `0x${word(1)}`, bar: `0x${word(13)}`, decimals: `0x${word(18)}` },
  [OPEN]: { decimals: `0x${word(8)}`, latestRoundData: round(7n) },
  [ADAPTER]: { innerOracle: `0x${word(FEED)}`, decimals: `0x${word(18)}`, latestRoundData: round(42n) },
};

/** A chain on which the feed answers 42 to `allowed`, and everyone in whose name it was asked. */
function chainWith(allowed: readonly string[]) {
  const asked: string[] = [];
  const ask: Ask = async (calls, { from } = {}) =>
    calls.map(({ target, data }) => {
      const named = Object.entries(ANSWERS[target] ?? {}).find(
        ([name]) => selectorOf(name) === data.slice(0, 10),
      );
      if (from !== undefined) asked.push(`${target} ${from}`);
      if (target === FEED && data.startsWith(LATEST) && from !== undefined && allowed.includes(from))
        return { isSuccess: true, data: round(42n) };
      return named === undefined ? { isSuccess: false, data: '0x' } : { isSuccess: true, data: named[1] };
    });
  return { ask, asked };
}
const read = (contract: string, reader: string): LegQuery => ({
  ...{ side: 'base', role: 'feed', sample: null },
  ...{ contract, reader },
});

async function valuesOf(allowed: readonly string[], sources: readonly LegQuery[]) {
  const { ask, asked } = chainWith(allowed);
  const reading = await readLegs(ask, sources);
  const legs = sources.map((source) =>
    legsFrom(source, { reading, first: 0 }).map(({ value, unreadReason }) => value ?? unreadReason),
  );
  return { legs, asked: asked.sort() };
}

const both = [read(FEED, FIRST), read(FEED, SECOND)];
test.each([
  ['the first', [FIRST], [[42n], ['tolled']]],
  ['the second', [SECOND], [['tolled'], [42n]]],
  ['both', [FIRST, SECOND], [[42n], [42n]]],
  ['none', [], [['tolled'], ['tolled']]],
])('a feed that answers to %s of two oracles has a value only where it is read', async (_, allowed, legs) => {
  const asked = [`${FEED} ${FIRST}`, `${FEED} ${SECOND}`];
  expect(await valuesOf(allowed, both)).toEqual({ legs, asked });
  expect(await valuesOf(allowed, both.toReversed())).toEqual({ legs: legs.toReversed(), asked });
});

test('an adapter reads it in its own name, also a feed that an oracle has read before', async () => {
  const { legs, asked } = await valuesOf([ADAPTER], [read(FEED, FIRST), read(ADAPTER, SECOND)]);
  expect(legs).toEqual([['tolled'], [42n, 42n]]);
  expect(asked).toEqual([`${FEED} ${FIRST}`, `${FEED} ${ADAPTER}`]);
});

test('a reader asks once, and no one is named to a feed that answers everyone', async () => {
  const { legs, asked } = await valuesOf([FIRST], [read(FEED, FIRST), read(FEED, FIRST), read(OPEN, SECOND)]);
  expect(legs).toEqual([[42n], [42n], [7n]]);
  expect(asked).toEqual([`${FEED} ${FIRST}`]);
});
