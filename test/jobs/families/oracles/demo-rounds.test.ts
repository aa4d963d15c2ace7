import { describe, expect, test } from 'vitest';
import { demoSources } from '../../../../jobs/sources/demo/oracles.ts';
import { DemoWorld } from '../../../../jobs/sources/demo/oracles-world.ts';
import { DEFAULT_POLICY } from '../../../../jobs/policies.ts';
import { price, type RoundRow, rounds, STARTED_AT, settings } from '../../sources/demo/expand-rows.ts';

const DAYS = 120;
const CALM = settings({ incidents: false, days: DAYS });
const WORLD = new DemoWorld(CALM);
const [, SOURCE] = demoSources(CALM);
const ROWS = await rounds(SOURCE, { from: 0, to: STARTED_AT });
const MONDAY = 345_600;

const byAddress = Map.groupBy(ROWS, (row) => row.feed_address);
const feedOf = (pair: string) => {
  const feed = WORLD.feeds.find((one) => one.pair === pair);
  if (feed === undefined) throw new Error(`no feed ${pair}`);
  return feed;
};
const rowsOf = (pair: string): RoundRow[] => byAddress.get(feedOf(pair).address) ?? [];
const times = (rows: readonly RoundRow[]) => rows.map((row) => row.updated_at);

/** Weekly minutes of a market in which it is open for certain. */
const openMinutes = (name: string) =>
  DEFAULT_POLICY.market_hours.find((market) => market.name === name)?.open ?? [];

describe('ordinary rounds', () => {
  test.each(
    WORLD.feeds
      .filter((feed) => feed.market === null && feed.listing.heartbeat_s !== null)
      .map((feed) => [feed.listing.name, feed] as const),
  )(
    '%s: two rounds are never a heartbeat apart, nor the first from the start and the last from the end',
    (_, feed) => {
      const own = times(byAddress.get(feed.address) ?? []);
      if (feed.listing.is_silent === true) return expect(own).toEqual([]);
      const edges = [WORLD.start, ...own, STARTED_AT];
      const longest = Math.max(...edges.slice(1).map((time, i) => time - (edges[i] ?? 0)));
      expect(longest).toBeLessThan(feed.listing.heartbeat_s ?? 0);
    },
  );

  test('round ids are unique in a feed, rise with its time and are too wide for a double', () => {
    for (const own of byAddress.values()) {
      const ids = own.map((row) => BigInt(row.round_id));
      expect(own.every((row, i) => i === 0 || row.updated_at > (own[i - 1]?.updated_at ?? 0))).toBe(true);
      expect(ids.every((id, i) => i === 0 || id > (ids[i - 1] ?? 0n))).toBe(true);
      expect(ids.every((id) => id > 2n ** 64n)).toBe(true);
    }
  });

  test('all rows are what the row checks ask for', () => {
    expect(ROWS.filter((row) => !/^[1-9][0-9]{0,37}$/.test(row.answer) || !(price(row) > 0))).toEqual([]);
    expect(ROWS.filter((row) => row.updated_at < WORLD.start || row.updated_at > STARTED_AT)).toEqual([]);
  });

  test('a volatile feed answers more often than its heartbeat asks, a stable one seldom does', () => {
    const perDay = (pair: string) => rowsOf(pair).length / DAYS;
    expect(perDay('BTC-USD')).toBeGreaterThan(30);
    expect(perDay('SOL-USD')).toBeGreaterThan(10);
    expect(perDay('GUSD-USD')).toBeLessThan(1.2);
    expect(perDay('BTC-USD')).toBeLessThan(80);
  });

  test('a feed without a heartbeat has rounds, one that has never answered has none', () => {
    expect(rowsOf('EIGEN-ETH').length).toBeGreaterThan(DAYS / 2);
    expect(rowsOf('BUIDL-')).toEqual([]);
  });

  test('a price moves over weeks and stays in its range', () => {
    const prices = rowsOf('ETH-USD').map(price);
    expect(Math.max(...prices) / Math.min(...prices)).toBeGreaterThan(1.1);
    expect(Math.min(...prices)).toBeGreaterThan(2_600 * 0.7);
    expect(Math.max(...prices)).toBeLessThan(2_600 * 1.3);
  });

  test('two neighbouring prices of a half-percent feed are less than three percent apart', () => {
    const own = rowsOf('BTC-USD');
    const moves = own.slice(1).map((row, i) => Math.abs(price(row) / price(own[i] ?? row) - 1));
    expect(Math.max(...moves)).toBeLessThan(0.03);
  });
});

describe('market hours', () => {
  const markets = ['nyse', 'lse', 'us_equities_24/5', 'forex', 'precious_metals'];
  const feedIn = (name: string) =>
    WORLD.feeds.find((feed) => feed.listing.market_hours === name && feed.market !== null);

  test.each(markets)('%s: the weekend has no rounds', (name) => {
    const own = times(byAddress.get(feedIn(name)?.address ?? '') ?? []);
    const dayOfWeek = (time: number) => Math.floor((time - MONDAY) / 86_400) % 7;
    const saturdayNoon = own.filter((time) => dayOfWeek(time) === 5 && time % 86_400 > 2 * 3_600);
    expect(own.length).toBeGreaterThan(DAYS / 2);
    expect(saturdayNoon).toEqual([]);
  });

  test.each(markets)(
    '%s: the feed is within its heartbeat through all of the hours that are open for certain',
    (name) => {
      const feed = feedIn(name);
      const own = times(byAddress.get(feed?.address ?? '') ?? []);
      const week = 7 * 86_400;
      for (
        let monday = WORLD.start - ((WORLD.start - MONDAY) % week) + week;
        monday < STARTED_AT - week;
        monday += week
      ) {
        for (const [fromMinute, toMinute] of openMinutes(name)) {
          const [opens, closes] = [monday + fromMinute * 60, monday + toMinute * 60];
          const inside = [...own.filter((time) => time > opens && time <= closes), closes];
          const before = own.findLast((time) => time <= opens) ?? 0;
          const longest = Math.max(...inside.map((time, i) => time - (inside[i - 1] ?? before)));
          expect(longest).toBeLessThan(feed?.listing.heartbeat_s ?? 0);
        }
      }
    },
  );

  test('New York has no rounds in the night', () => {
    const own = times(byAddress.get(feedIn('nyse')?.address ?? '') ?? []);
    expect(own.filter((time) => time % 86_400 < 13 * 3_600)).toEqual([]);
  });
});

describe('pegs', () => {
  const assets = DEFAULT_POLICY.peg.assets.filter(({ symbol, quote }) =>
    WORLD.feeds.some((feed) => feed.pair === `${symbol}-${quote}`),
  );

  test.each(assets.map((asset) => [asset.symbol, asset] as const))(
    '%s stays inside its exit band',
    (_, asset) => {
      const exit = (asset.exit_bps ?? DEFAULT_POLICY.peg.bands[asset.kind].exit_bps) / 10_000;
      const reference = asset.reference_pair === undefined ? [] : rowsOf(asset.reference_pair);
      let latest = 0;
      let furthest = 0;
      for (const row of rowsOf(`${asset.symbol}-${asset.quote}`)) {
        while ((reference[latest + 1]?.updated_at ?? Number.POSITIVE_INFINITY) <= row.updated_at) latest++;
        const against = reference[latest];
        if (against !== undefined && against.updated_at > row.updated_at) continue;
        const expected = against === undefined ? Number(asset.reference_price) : price(against);
        furthest = Math.max(furthest, Math.abs(price(row) / expected - 1));
      }
      expect(furthest).toBeGreaterThan(0);
      expect(furthest).toBeLessThan(exit * 0.8);
    },
  );

  test('a pegged price stays inside its enter band when its reference moves first', () => {
    for (const asset of assets.filter(({ reference_pair }) => reference_pair !== undefined)) {
      const exit = DEFAULT_POLICY.peg.bands[asset.kind].exit_bps / 10_000;
      const own = rowsOf(`${asset.symbol}-${asset.quote}`);
      let latest = 0;
      let lowest = 0;
      for (const row of rowsOf(asset.reference_pair ?? '')) {
        while ((own[latest + 1]?.updated_at ?? Number.POSITIVE_INFINITY) <= row.updated_at) latest++;
        const held = own[latest];
        if (held === undefined || held.updated_at > row.updated_at) continue;
        lowest = Math.min(lowest, price(held) / price(row) - 1);
      }
      expect(lowest).toBeLessThan(0);
      expect(lowest).toBeGreaterThan(-2 * exit);
    }
  });
});

describe('size', () => {
  test('5,000 feeds have unique pairs and addresses and the classes of the first forty in like shares', () => {
    const { feeds } = new DemoWorld(settings({ feeds: 5_000 }));
    expect(feeds).toHaveLength(5_000);
    expect(new Set(feeds.map((feed) => feed.address)).size).toBe(5_000);
    expect(new Set(feeds.slice(40).map((feed) => feed.pair)).size).toBe(4_960);
    const share = (of: typeof feeds) =>
      of.filter((feed) => feed.listing.heartbeat_s === 3_600).length / of.length;
    expect(Math.abs(share(feeds) - share(WORLD.feeds))).toBeLessThan(0.03);
  });

  test('100,000 feeds have unique pairs', () => {
    const { feeds } = new DemoWorld(settings({ feeds: 100_000, incidents: false }));
    const made = feeds.slice(40).map((feed) => feed.pair);
    expect(new Set(made).size).toBe(made.length);
  });

  test('batches hold half a million rows at most, and all of them together what two halves hold', () => {
    const world = new DemoWorld(settings({ feeds: 5_000, days: 14 }));
    const sizes = (from: number, to: number) =>
      Array.from(world.rounds({ from, to }), (batch) => batch.count);
    const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
    const whole = sizes(0, STARTED_AT);
    const half = world.start + 7 * 86_400;
    expect(whole.length).toBeGreaterThan(1);
    expect(Math.max(...whole)).toBeLessThanOrEqual(500_000);
    expect(sum(whole)).toBeGreaterThan(5_000 * 14 * 8);
    expect(sum([...sizes(0, half), ...sizes(half, STARTED_AT)])).toBe(sum(whole));
  });
});
