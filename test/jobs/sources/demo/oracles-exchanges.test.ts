import { expect, test } from 'vitest';
import { oraclePathDemoSources } from '../../../../jobs/sources/demo/oracle-paths.ts';
import { demoSources } from '../../../../jobs/sources/demo/oracles.ts';
import { exchangeDemoSources } from '../../../../jobs/sources/demo/oracles-exchanges.ts';
import { demoMarkets } from '../../../../jobs/sources/demo/scenario/lending-markets.ts';
import { rowsOf, testPromises } from './cuts.ts';
import { registry, rounds, STARTED_AT, settings } from './expand-rows.ts';

const DAY = 86_400;
const SPAN = { from: STARTED_AT - 20 * DAY, to: STARTED_AT };
const WORLD = settings();
const [LISTED, PRICES] = exchangeDemoSources(WORLD);
const [FEEDS, ANSWERS] = demoSources(WORLD);

testPromises((changed) => exchangeDemoSources(changed).slice(1));

const listed = () => registry(LISTED, { from: 0, to: STARTED_AT });

test('each is listed once, as a price at one venue, and no oracle and no market reads it', async () => {
  const rows = await listed();
  expect(rows.map(({ base, quote, source_kind }) => `${base}-${quote} ${source_kind}`)).toEqual(
    ['BTC-USD', 'BTC-USD', 'RSETH-ETH', 'RSETH-ETH', 'EIGEN-ETH', 'EIGEN-ETH', 'PTUSDE-USD'].map(
      (pair) => `${pair} venue`,
    ),
  );
  const own = new Set(rows.map(({ feed_address }) => feed_address));
  expect(own.size).toBe(rows.length);
  const legs = await rowsOf(oraclePathDemoSources(WORLD)[0], SPAN);
  expect(legs.filter(({ contract }) => own.has(String(contract)))).toEqual([]);
  const read = demoMarkets(WORLD).flatMap(({ oracles }) => oracles);
  expect(read.filter((address) => own.has(address))).toEqual([]);
});

test('a price is within a tenth of a percent of the feed of its pair, whenever that answers', async () => {
  const feeds = await registry(FEEDS, { from: 0, to: STARTED_AT });
  const answers = await rounds(ANSWERS, SPAN);
  const prices = await rowsOf(PRICES, SPAN);
  for (const { base, quote, feed_address } of await listed()) {
    if (base === 'PTUSDE') continue;
    const feed = feeds.find((one) => one['base'] === base && one['quote'] === quote)?.['feed_address'];
    const expected = new Map(
      answers.flatMap((one) =>
        one.feed_address === feed ? [[one.updated_at, Number(one.answer)] as const] : [],
      ),
    );
    const own = prices.filter((one) => one['feed_address'] === feed_address);
    expect(new Set(own.map(({ updated_at }) => updated_at))).toEqual(new Set(expected.keys()));
    for (const { updated_at, answer } of own)
      expect(Math.abs(Number(answer) / (expected.get(Number(updated_at)) ?? 0) - 1)).toBeLessThan(0.001);
  }
});

test('the fixed-rate token falls with the dollar that it is redeemed for', async () => {
  const token = (await listed()).find(({ base }) => base === 'PTUSDE')?.['feed_address'];
  const prices = (await rowsOf(PRICES, SPAN))
    .filter(({ feed_address }) => feed_address === token)
    .map(({ answer }) => Number(answer) / 1e8);
  expect(Math.max(...prices)).toBeGreaterThan(0.9);
  expect(prices.at(-1)).toBeLessThan(0.8);
  expect(Math.min(...prices)).toBeGreaterThan(0.7);
});

/** None of these feeds has an incident. */
const QUIET = ['BTC-USD', 'RSETH-ETH', 'EIGEN-ETH', 'ETH-USD', 'CBBTC-USD'];

test('what an oracle reads of a feed is the last answer that the feed gave', async () => {
  const feeds = await registry(FEEDS, { from: 0, to: STARTED_AT });
  const quiet = feeds.filter(({ base, quote }) => QUIET.includes(`${base}-${quote}`));
  const addresses = new Set(quiet.map(({ feed_address }) => feed_address));
  const answers = await rounds(ANSWERS, { from: 0, to: STARTED_AT });
  const legs = await rowsOf(oraclePathDemoSources(WORLD)[0], SPAN);
  const read = legs
    .filter(({ contract }) => addresses.has(String(contract)))
    .filter((_, index) => index % 50 === 0);
  expect(read.length).toBeGreaterThan(40);
  for (const { contract, observed_at, value } of read) {
    const last = answers
      .filter((one) => one.feed_address === contract && one.updated_at <= Number(observed_at))
      .reduce((newest, one) => (one.updated_at > newest.updated_at ? one : newest));
    expect([contract, observed_at, value]).toEqual([contract, observed_at, last.answer]);
  }
});
