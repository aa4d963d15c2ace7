// Finds the incidents again from the rows alone, by the simplest detectors that can be written, and compares with what was scripted.
import { describe, expect, test } from 'vitest';
import { demoSources } from '../../../../jobs/sources/demo/oracles.ts';
import { enterBand } from '../../../../jobs/sources/demo/oracles-depeg.ts';
import type { ExpectedEvent, IncidentKind } from '../../../../jobs/sources/demo/oracles-incident.ts';
import { DemoWorld, incidents } from '../../../../jobs/sources/demo/oracles-world.ts';
import type { PegAsset } from '../../../../jobs/families/oracles/peg-schema.ts';
import { DEFAULT_POLICY } from '../../../../jobs/policies.ts';
import {
  price,
  type RoundRow,
  registry,
  rounds,
  STARTED_AT,
  settings,
} from '../../sources/demo/expand-rows.ts';

const HOUR = 3_600;
const UNTIL = STARTED_AT + 3 * 86_400;
const SETTINGS = settings({ days: 65, liveFrom: [STARTED_AT, STARTED_AT + 1_500, STARTED_AT + 12 * HOUR] });
const WORLD = new DemoWorld(SETTINGS);
const [REGISTRY, SOURCE] = demoSources(SETTINGS);
const SCRIPTED = incidents(SETTINGS, UNTIL);
const ROWS = await rounds(SOURCE, { from: 0, to: UNTIL });

const isGood = (row: RoundRow) => /^-?[0-9]+$/.test(row.answer) && row.updated_at <= UNTIL;
const isValid = (row: RoundRow) => isGood(row) && Number(row.answer) > 0;
const byTime = (a: RoundRow, b: RoundRow) => a.updated_at - b.updated_at;
const byAddress = Map.groupBy(ROWS.toSorted(byTime), (row) => row.feed_address);
const ofKind = (...kinds: IncidentKind[]) => SCRIPTED.filter(({ kind }) => kinds.includes(kind));

interface Found {
  readonly pair: string;
  readonly type: string;
  readonly severity?: string;
  readonly at: number;
  readonly confirmed_at?: number;
}

const line = ({ pair, type, severity = '', at, confirmed_at = at }: Found) =>
  `${pair} ${type} ${severity} ${at} ${confirmed_at}`;

function scripted(isWanted: (event: ExpectedEvent) => boolean): string[] {
  const found = SCRIPTED.flatMap(({ feed, expect: events }) =>
    events.map((event) => ({ ...event, pair: feed?.pair ?? '' })),
  );
  return found
    .filter((event) => isWanted(event) && event.confirmed_at <= UNTIL)
    .map(line)
    .sort();
}

describe('stale feeds', () => {
  function staleEvents(pair: string, heartbeat: number, own: readonly RoundRow[]): Found[] {
    return own.flatMap((row, i) => {
      const threshold = row.updated_at + heartbeat + 60;
      const next = own[i + 1]?.updated_at ?? UNTIL + 1;
      const steps = [
        ['warn', 1],
        ['high', 600],
        ['critical', 3_600],
      ] as const;
      return steps
        .filter(([, after]) => threshold + after < next)
        .map(([severity, after]) => ({ pair, type: 'oracle.stale', severity, at: threshold + after }));
    });
  }

  test('are exactly the scripted ones, each severity at its second', () => {
    const found = WORLD.feeds.flatMap((feed) => {
      if (feed.market !== null || feed.listing.heartbeat_s === null) return [];
      return staleEvents(
        feed.pair,
        feed.listing.heartbeat_s,
        (byAddress.get(feed.address) ?? []).filter(isValid),
      );
    });
    expect(found.map(line).sort()).toEqual(scripted(({ type }) => type === 'oracle.stale'));
  });

  test('come in every severity, each as an episode that ends, and one that never does', () => {
    const worst = ofKind('stale').map(
      ({ expect: events }) => events.filter(({ type }) => type === 'oracle.stale').at(-1)?.severity,
    );
    expect(new Set(worst)).toEqual(new Set(['warn', 'high', 'critical']));
    const [silent, ...more] = ofKind('silent');
    expect(more).toEqual([]);
    expect(silent?.to).toBeNull();
    const own = byAddress.get(silent?.feed?.address ?? '') ?? [];
    expect(own.at(-1)?.updated_at).toBeLessThan(silent?.from ?? 0);
  });
});

describe('depegs', () => {
  const references = new Map(WORLD.feeds.map((feed) => [feed.pair, byAddress.get(feed.address) ?? []]));

  function deviation(asset: PegAsset, row: RoundRow): number {
    if (asset.reference_pair === undefined) return price(row) / Number(asset.reference_price) - 1;
    const reference = references
      .get(asset.reference_pair)
      ?.findLast((other) => other.updated_at <= row.updated_at);
    return reference === undefined ? 0 : price(row) / price(reference) - 1;
  }

  function depegEvents(asset: PegAsset): Found[] {
    const pair = `${asset.symbol}-${asset.quote}`;
    const feed = WORLD.feeds.find((one) => one.pair === pair);
    if (feed === undefined) return [];
    const { exit_bps, is_downside_only } = DEFAULT_POLICY.peg.bands[asset.kind];
    const found: Found[] = [];
    let isOff = false;
    let first: number | null = null;
    for (const row of (byAddress.get(feed.address) ?? []).filter(isValid)) {
      const away = deviation(asset, row);
      const distance = is_downside_only ? -away : Math.abs(away);
      const crosses = isOff ? distance <= exit_bps / 10_000 : distance >= enterBand(feed);
      if (!crosses) first = null;
      else if (first === null) first = row.updated_at;
      else {
        isOff = !isOff;
        found.push({
          pair,
          type: isOff ? 'peg.depeg.start' : 'peg.depeg.end',
          at: first,
          confirmed_at: row.updated_at,
        });
        first = null;
      }
    }
    return found;
  }

  test('start and end exactly where they are scripted, confirmed by a second observation', () => {
    const found = DEFAULT_POLICY.peg.assets.flatMap(depegEvents);
    expect(found.map(line).sort()).toEqual(
      scripted(({ type }) => type === 'peg.depeg.start' || type === 'peg.depeg.end'),
    );
  });

  test('are recovered six hours after their end, with rounds all the while, but for two that do not end', () => {
    for (const { feed, to, expect: events } of ofKind('depeg')) {
      const [, , recovered] = events;
      const held = (byAddress.get(feed?.address ?? '') ?? []).filter(
        ({ updated_at }) => updated_at >= (to ?? 0) && updated_at <= (recovered?.at ?? 0),
      );
      expect(recovered).toMatchObject({ type: 'peg.depeg.recovered', at: (to ?? 0) + 6 * HOUR });
      if ((recovered?.at ?? 0) <= UNTIL) expect(held.length).toBeGreaterThan(30);
    }
    expect(
      ofKind('depeg_open').map(({ feed, to, expect: events }) => [feed?.pair, to, events.length]),
    ).toEqual([
      ['MIM-USD', null, 1],
      ['USDE-USD', null, 1],
    ]);
  });

  test('strike every feed of a pair in the same seconds, as deep', () => {
    for (const pair of ['USDC-USD', 'DAI-USD']) {
      const feeds = WORLD.feeds.filter((feed) => feed.pair === pair);
      expect(feeds).toHaveLength(2);
      const struck = ofKind('depeg').filter(({ feed }) => feed?.pair === pair);
      expect(struck.length).toBeGreaterThan(0);
      for (const { from, to } of struck) {
        const [first = [], second = []] = feeds.map(({ address }) =>
          (byAddress.get(address) ?? []).filter(
            ({ updated_at }) => updated_at >= from && updated_at <= (to ?? 0),
          ),
        );
        expect(first.length).toBeGreaterThan(10);
        expect(second.map(({ updated_at }) => updated_at)).toEqual(first.map(({ updated_at }) => updated_at));
        for (const [index, row] of first.entries())
          expect(Math.abs(price(row) / price(second[index] ?? row) - 1)).toBeLessThan(0.0005);
      }
    }
  });

  test('strike each kind of reference, below it and above it', () => {
    const pairs = new Set(ofKind('depeg').map(({ feed }) => feed?.pair));
    expect([...pairs]).toEqual(
      expect.arrayContaining(['USDC-USD', 'USDT-USD', 'DAI-USD', 'FRAX-USD', 'STETH-ETH', 'WBTC-BTC']),
    );
    const [dai] = ofKind('depeg').filter(({ feed }) => feed?.pair === 'DAI-USD');
    const deepest = (byAddress.get(dai?.feed?.address ?? '') ?? []).filter(
      ({ updated_at }) => updated_at > (dai?.from ?? 0) && updated_at < (dai?.to ?? 0),
    );
    expect(Math.max(...deepest.map(price))).toBeGreaterThan(1.06);
  });
});

describe('single rows', () => {
  test('answers of zero and below are exactly the scripted ones', () => {
    const names = new Map(WORLD.feeds.map((feed) => [feed.address, feed.pair]));
    const found = ROWS.filter((row) => isGood(row) && !isValid(row));
    expect(
      found
        .map((row) =>
          line({
            pair: names.get(row.feed_address) ?? '',
            type: 'oracle.feed.invalid',
            severity: 'high',
            at: row.updated_at,
          }),
        )
        .sort(),
    ).toEqual(scripted(({ type }) => type === 'oracle.feed.invalid'));
    expect(new Set(found.map((row) => Math.sign(Number(row.answer))))).toEqual(new Set([0, -1]));
  });

  test('poison rows are counted, one with a text and one from the future in each whole period of history', () => {
    const texts = ROWS.filter((row) => row.answer === 'not a number');
    const future = ROWS.filter((row) => row.updated_at > UNTIL);
    expect([texts.length, future.length]).toEqual([2, 2]);
    expect(ofKind('poison')).toHaveLength(4);
    expect(ofKind('poison').every(({ from }) => from < STARTED_AT)).toBe(true);
    expect(ROWS.filter((row) => !isGood(row))).toHaveLength(4);
  });

  test('the registry changes a risk level in each period, and at that second', async () => {
    const rows = await registry(REGISTRY, { from: WORLD.start, to: UNTIL });
    const changes = ofKind('classification');
    expect(rows.map((row) => [row['feed_address'], row['observed_at']])).toEqual(
      changes.map(({ feed, from }) => [feed?.address, from]),
    );
    expect(rows.slice(0, 2).map((row) => row['risk_level'])).toEqual(['high', 'medium']);
  });

  test('no two rows of a feed have one round id', () => {
    expect(new Set(ROWS.map((row) => `${row.feed_address} ${row.round_id}`)).size).toBe(ROWS.length);
  });
});

describe('delivery', () => {
  test('a late batch can be read ten minutes after its last round and not before', async () => {
    const [late] = ofKind('late');
    const isLate = (row: RoundRow) =>
      row.feed_address === late?.feed?.address &&
      row.updated_at > late.from &&
      row.updated_at <= (late.to ?? 0);
    const expected = ROWS.filter(isLate);
    const to = late?.to ?? 0;
    expect(expected.length).toBeGreaterThan(1);
    expect((await rounds(SOURCE, { from: late?.from ?? 0, to: to + 590 })).filter(isLate)).toEqual([]);
    expect((await rounds(SOURCE, { from: to + 590, to: to + 610 })).filter(isLate)).toEqual(expected);
  });

  test('a shuffled batch has the rows of its hours in no order, and the rows of other hours in order', async () => {
    const [shuffled] = ofKind('shuffled');
    const order = async (from: number, to: number) => {
      const feeds = (await rounds(SOURCE, { from, to })).map((row) => row.feed_address);
      return feeds.filter((feed, i) => feed !== feeds[i - 1]).length - new Set(feeds).size;
    };
    expect(await order(shuffled?.from ?? 0, shuffled?.to ?? 0)).toBeGreaterThan(20);
    expect(await order((shuffled?.to ?? 0) + 1, (shuffled?.to ?? 0) + 2 * HOUR)).toBe(0);
  });
});

describe('after a start', () => {
  test('a depeg, a stale feed and an invalid answer are seen within seven minutes', () => {
    const seen = SCRIPTED.flatMap(({ expect: events }) => events).filter(
      ({ confirmed_at }) => confirmed_at > STARTED_AT && confirmed_at <= STARTED_AT + 420,
    );
    expect(new Set(seen.map(({ type }) => type))).toEqual(
      new Set(['peg.depeg.start', 'oracle.stale', 'oracle.classification.changed', 'oracle.feed.invalid']),
    );
  });

  test('a restart soon after takes another pegged feed', () => {
    const pegs = ofKind('depeg').filter(({ from }) => from > STARTED_AT && from < STARTED_AT + 2 * HOUR);
    expect(pegs.map(({ feed }) => feed?.pair)).toEqual(['PYUSD-USD', 'TUSD-USD']);
  });
});

describe('settings', () => {
  test('without incidents there are none, and every answer is valid', async () => {
    const calm = settings({ incidents: false });
    expect(incidents(calm, UNTIL)).toEqual([]);
    const [, source] = demoSources(calm);
    expect((await rounds(source, { from: 0, to: UNTIL })).filter((row) => !isValid(row))).toEqual([]);
  });

  test.each([1, 2, 7])(
    'a history of %i days still has every kind of incident, and no round id twice in a feed',
    async (days) => {
      const short = settings({ days });
      const [, source] = demoSources(short);
      const rows = await rounds(source, { from: 0, to: UNTIL });
      expect(new Set(incidents(short).map(({ kind }) => kind)).size).toBe(9);
      expect(new Set(rows.map((row) => `${row.feed_address} ${row.round_id}`)).size).toBe(rows.length);
    },
  );
});
