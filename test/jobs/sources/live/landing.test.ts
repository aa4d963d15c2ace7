import { readFileSync } from 'node:fs';
import { afterEach, expect, test } from 'vitest';
import { landingSources } from '../../../../jobs/sources/live/fetch/landing-sources.ts';
import { type LiveSource, liveSourceOf } from '../../../../jobs/sources/live/fetch/live-source.ts';
import type { RecordingFolder } from '../../../../jobs/sources/live/fetch/recording-store.ts';
import type { LiveSection } from '../../../../jobs/sources/live/fetch/section.ts';
import { SHIPPED_SOURCES } from '../../../../jobs/sources/live/shipped/shipped.ts';
import { domains } from '../../../../jobs/registry.ts';
import { describeRealData, realData } from '../../../support/real-data.ts';
import { landedRows, openScratch, type Scratch } from '../../ingest/scratch.ts';
import { json, type Reply } from './http/replay-server.ts';
import { landUntil } from './land-recordings.ts';
import { openFixture, START, sourceOf } from './fetching-fixture.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const tableOf = (name: string) => {
  const table = domains.flatMap(({ raw }) => raw).find((one) => one.name === name);
  if (table === undefined) throw new Error(`there is no ${name}`);
  return table;
};

async function opened(...given: Parameters<typeof openFixture>) {
  const fixture = await openFixture(...given);
  const scratch = await openScratch({ key: new Uint8Array(32).fill(7) });
  closing.push(fixture.close, () => scratch.close());
  return { ...fixture, scratch };
}

const TABLES = domains.flatMap(({ raw }) => raw);
const land = (scratch: Scratch, folder: RecordingFolder, source: LiveSource, to: number) =>
  landUntil(scratch, folder, { source, tables: TABLES, to });

const NOW = START / 1000;

test('members of an object land with their names, all digits, and facts of the recording', async () => {
  const body =
    '{"data": {"aave": {"tvl": 1000000.123456789}, "lido": {"tvl": 5}, "a\\u0062c": {"tvl": 7}, "none": {}}}';
  const { start, scratch, folder } = await opened(() => ({ body, headers: { age: '60' } }));
  const source = sourceOf({
    records: 'data',
    entries: true,
    fields: { protocol: '@key', observed_at: { recording: 'as_of' }, tvl_usd: 'tvl' },
  });
  await start(source).once();
  expect(await land(scratch, folder, source, NOW + 60)).toMatchObject({ in: 4, landed: 3, quarantined: 1 });
  const rows = await landedRows(scratch, tableOf('tvl_reading'));
  expect(rows.map(({ protocol, tvl_usd, observed_at }) => [protocol, tvl_usd, observed_at])).toEqual([
    ['aave', 1000000.123456789, NOW - 60],
    ['abc', 7, NOW - 60],
    ['lido', 5, NOW - 60],
  ]);
});

test('plain values of an object are records too', async () => {
  const { start, scratch, folder } = await opened(() => ({ body: '{"aave": 3.5, "lido":4 , "x": null}' }));
  const source = sourceOf({
    records: '',
    entries: true,
    fields: { protocol: '@key', observed_at: { recording: 'fetched_at' }, tvl_usd: '@value' },
  });
  await start(source).once();
  expect(await land(scratch, folder, source, NOW + 60)).toMatchObject({ in: 3, landed: 2, quarantined: 1 });
});

test('lists take their column names from the document, even after columns have moved', async () => {
  const bodies = [
    {
      types: ['name', 'tvl'],
      data: [
        ['aave', 1],
        ['lido', 2],
      ],
    },
    {
      types: ['tvl', 'extra', 'name'],
      data: [
        [3, 'x', 'aave'],
        [4, 'x', 'lido'],
      ],
    },
    { types: ['value', 'name'], data: [[5, 'aave']] },
  ];
  const { start, clock, scratch, folder } = await opened((_, count) => json(bodies[count - 1]));
  const source = sourceOf({
    every: '1h',
    records: 'data',
    columns: 'types',
    guards: { min_records: 0 },
    fields: { protocol: 'name', observed_at: { recording: 'fetched_at' }, tvl_usd: 'tvl' },
  });
  for (let hour = 0; hour < 2; hour++) {
    await start(source).once();
    await clock.sleep(3_600_000);
  }
  expect(await land(scratch, folder, source, NOW + 7_200)).toMatchObject({ landed: 4 });
  const rows = await landedRows(scratch, tableOf('tvl_reading'));
  expect(rows.map(({ tvl_usd }) => tvl_usd)).toEqual([1, 3, 2, 4]);
  await start(source).once();
  await expect(land(scratch, folder, source, NOW + 90_000)).rejects.toThrow('no column "tvl"');
});

test('a run lands, once, only what was recorded by its time, and a rebuilt landing is the same', async () => {
  const bodies = [{ v: 1 }, { v: 2 }, { v: 1 }];
  const { start, clock, scratch, folder } = await opened((_, count) => json([bodies[count - 1]]));
  const source = sourceOf({
    every: '1h',
    records: '',
    fields: { protocol: { value: 'p' }, observed_at: { recording: 'fetched_at' }, tvl_usd: 'v' },
  });
  for (let hour = 0; hour < 3; hour++) {
    await start(source).once();
    await clock.sleep(3_600_000);
  }
  expect(await land(scratch, folder, source, NOW - 1)).toMatchObject({ in: 0 });
  expect(await land(scratch, folder, source, NOW + 3_599)).toMatchObject({ landed: 1 });
  expect(await land(scratch, folder, source, NOW + 20_000)).toMatchObject({ landed: 2, deduplicated: 1 });
  expect(await land(scratch, folder, source, NOW + 20_000)).toMatchObject({ landed: 0, deduplicated: 3 });
  const rows = await landedRows(scratch, tableOf('tvl_reading'));
  expect(rows.map(({ tvl_usd }) => tvl_usd)).toEqual([1, 2, 1]);
});

test('windows overlap, and no row between them is lost', async () => {
  const all = Array.from({ length: 200 }, (_, hour) => ({
    at: NOW - 150 * 3_600 + hour * 3_600,
    v: hour + 1,
  }));
  const { start, clock, scratch, folder } = await opened(({ path }) => {
    const query = new URL(`http://x${path}`).searchParams;
    const [from, to] = [Number(query.get('from')), Number(query.get('to'))];
    return json(all.filter(({ at }) => at >= from && at <= to));
  });
  const source = sourceOf({
    every: '1h',
    records: '',
    window: { history: '5d', step: '1d', overlap: '6h' },
    request: { url: 'https://api.example/x', query: { from: '{window_from_s}', to: '{window_to_s}' } },
    fields: { protocol: { value: 'p' }, observed_at: { from: 'at', time: 'unix_s' }, tvl_usd: 'v' },
  });
  for (let hour = 0; hour < 20; hour++) {
    await start(source).once();
    await clock.sleep(3_600_000);
  }
  await land(scratch, folder, source, NOW + 100 * 3_600);
  // Without the table of kept rows, repetitions are recognised only inside a batch.
  const values = new Set(
    (await landedRows(scratch, tableOf('tvl_reading'))).map(({ tvl_usd }) => Number(tvl_usd)),
  );
  const wanted = all.filter(({ at }) => at >= NOW - 5 * 86_400 && at <= NOW + 19 * 3_600);
  expect([...values].sort((a, b) => a - b)).toEqual(wanted.map(({ v }) => v));
});

test('data that must not be redistributed lands only where nothing is published', async () => {
  const { start, folder } = await opened(() => json([{ a: 'x', tvl: 5 }]));
  const fields = { source: { value: 'other' }, subject: 'a', value: 'tvl' };
  const closed = sourceOf({ redistributable: false, fields: { protocol: 'a', tvl_usd: 'tvl' } });
  const check = sourceOf({ redistributable: false, table: 'cross_check', fields }, 'check');
  await start(closed, check).once();
  const landing = (...sources: readonly LiveSource[]) =>
    landingSources(sources, folder, () => true, undefined, new Set(['cross_check']));
  expect(landing(closed, check).map(({ facts }) => facts.id)).toEqual(['check']);
  expect(landing(check)[0]?.facts.redistributable).toBe(false);
});

describeRealData('recorded answers', () => {
  const recorded = (path: string): Reply => ({ body: readFileSync(realData(`recorded/${path}`)) });
  const shipped = (id: string, url?: string) => {
    const section = SHIPPED_SOURCES[id] as LiveSection;
    return liveSourceOf(id, {
      ...section,
      request: { ...section.request, url: url ?? 'https://api.example/x' },
    } as LiveSection);
  };
  const TODAY = { startMs: Date.parse('2026-08-22T12:00:00Z') };

  test('1,179 days of validators land unchanged', async () => {
    const { start, scratch, folder } = await opened(
      () => recorded('validatorqueue/historical_data-2026-08-22.json'),
      TODAY,
    );
    const source = shipped('ethereum-validators');
    await start(source).once();
    expect(await land(scratch, folder, source, TODAY.startMs / 1000 + 60)).toMatchObject({
      in: 1_179,
      landed: 1_179,
    });
  });

  test('a past rewritten in another unit changes no landed day', async () => {
    const at = { startMs: Date.parse('2025-05-06T12:00:00Z') };
    const files = ['historical_data-2025-05-06.json', 'historical_data-2025-05-07.json'];
    const { start, clock, scratch, folder } = await opened(
      (_, count) => recorded(`validatorqueue/${files[count - 1]}`),
      at,
    );
    const source = shipped('ethereum-validators');
    await start(source).once();
    await clock.sleep(86_400_000);
    await start(source).once();
    await land(scratch, folder, source, at.startMs / 1000 + 2 * 86_400);
    const queues = new Map<number, Set<unknown>>();
    for (const row of await landedRows(scratch, tableOf('network_a_stake'))) {
      const day = Number(row['observed_at']);
      queues.set(day, (queues.get(day) ?? new Set()).add(row['entry_queue_native']));
    }
    expect(queues.size).toBeGreaterThanOrEqual(714);
  });

  test('the posts of a forum land once, although `before` is inclusive', async () => {
    const at = { startMs: Date.parse('2020-01-25T12:00:00Z') };
    const { start, scratch, folder } = await opened(({ path }) => {
      const before = new URL(`http://x${path}`).searchParams.get('before');
      if (before === null) return recorded('discourse/posts_latest.json');
      return before === '14' || before === '10'
        ? recorded('discourse/posts_before.json')
        : json({ latest_posts: [] });
    }, at);
    const source = {
      ...shipped('forum-posts'),
      partitions: [{ key: 'x', params: { host: 'h', protocol: 'aave' } }],
    };
    await start(source).once();
    const ids = [
      ...readFileSync(realData('recorded/discourse/posts_latest.json'), 'utf8').matchAll(/"post_number"/g),
    ];
    const sums = await land(scratch, folder, source, at.startMs / 1000 + 60);
    expect(sums.in).toBeGreaterThanOrEqual(ids.length);
    expect(sums.quarantined).toBe(0);
    const rows = await landedRows(scratch, tableOf('social_message'));
    expect(new Set(rows.map(({ message_key }) => message_key)).size).toBe(rows.length);
  });

  test('fees of a network land by column name', async () => {
    const at = { startMs: Date.parse('2023-09-26T12:00:00Z') };
    const { start, scratch, folder } = await opened(() => recorded('growthepie/v1/metrics/txcount.json'), at);
    const source = sourceOf({
      table: 'layer2_metric',
      records: 'data.chains.base.daily.data',
      columns: 'data.chains.base.daily.types',
      fields: {
        network: { value: 'base' },
        metric: { value: 'tx_count' },
        day_at: { from: 'unix', time: 'unix_ms' },
        measured_at: { recording: 'as_of' },
        value: 'value',
      },
    });
    await start(source).once();
    const sums = await land(scratch, folder, source, at.startMs / 1000 + 60);
    expect(sums).toMatchObject({ quarantined: 0, in: 59 });
  });

  test('2,000 of 13,873 votes are suspect', async () => {
    const files = ['decentraland-votes-2022-02-07.json', 'decentraland-votes-2022-07-28.json'];
    const { start, clock, recordings } = await opened((_, count) =>
      recorded(`snapshot/${files[count - 1] ?? files[1]}`),
    );
    const source = sourceOf({ every: '1h', records: '', guards: { present: ['voter'] } });
    await start(source).once();
    await clock.sleep(3_600_000);
    await start(source).once();
    const all = await recordings();
    expect(all.map(({ outcome, records }) => [outcome, records])).toEqual([
      ['accepted', 13_873],
      ['suspect', 2_000],
    ]);
    expect(all[1]?.reasons).toEqual(['2000 records, 13873 before']);
  });
});
