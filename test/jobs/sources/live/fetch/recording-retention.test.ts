// Which recordings may be removed: pure rules, then real recordings that land, some of them with rows in quarantine.
import { afterEach, describe, expect, test } from 'vitest';
import {
  recordingsToRemove,
  servedRecordings,
  tidyRecordings,
} from '../../../../../jobs/app/live-landing.ts';
import { domains } from '../../../../../jobs/registry.ts';
import { landingSources } from '../../../../../jobs/sources/live/fetch/landing-sources.ts';
import type { LiveSource } from '../../../../../jobs/sources/live/fetch/live-source.ts';
import type { Recording } from '../../../../../jobs/sources/live/fetch/recording.ts';
import { readRecordings, removeRecording } from '../../../../../jobs/sources/live/fetch/recording-store.ts';
import { landedRows, openScratch, type Scratch } from '../../../ingest/scratch.ts';
import { openFixture, START, sourceOf } from '../fetching-fixture.ts';
import { json, type Reply } from '../http/replay-server.ts';

const NOW = START / 1000;
const HOUR = 3_600;
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const tableOf = (name: string) => {
  const table = domains.flatMap(({ raw }) => raw).find((one) => one.name === name);
  if (table === undefined) throw new Error(`there is no ${name}`);
  return table;
};

const PAGE = { records: 1, file_sha256: 'a' };
const recording = (at: number, change: object = {}): Recording =>
  ({
    id: String(at).padStart(4, '0'),
    partition: '',
    outcome: 'accepted',
    fetched_at: at,
    confirms: [],
    pages: [PAGE],
    ...change,
  }) as unknown as Recording;
const many = (change: (at: number) => object = () => ({})) =>
  Array.from({ length: 30 }, (_, index) => recording(index, change(index)));

describe('what has served', () => {
  const source = sourceOf({});
  const uses = { hasLanded: () => true, isInQuarantine: () => false };
  const served = (all: readonly Recording[], change: object = {}, one: LiveSource = source, now = 1_000) =>
    servedRecordings(one, all, { ...uses, ...change }, now).map(({ fetched_at }) => fetched_at);
  const FIRST_TEN = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];

  test('is all but the newest twenty of each partition', () => {
    expect(served(many())).toEqual(FIRST_TEN);
    const both = sourceOf({ each: [{ n: '1' }, { n: '2' }], request: { url: 'https://api.example/{n}' } });
    expect(
      served(
        many((at) => ({ partition: at < 15 ? '1' : '2' })),
        {},
        both,
      ),
    ).toEqual([]);
  });

  test('excludes what has not landed, and what no source lands', () => {
    expect(served(many(), { hasLanded: () => false })).toEqual([]);
    expect(served(many(), { hasLanded: () => null })).toEqual([]);
    expect(
      served(
        many(() => ({ pages: [{ ...PAGE, records: 0 }] })),
        { hasLanded: () => false },
      ),
    ).toEqual(FIRST_TEN);
  });

  test('excludes recordings with rows in quarantine', () => {
    expect(served(many(), { isInQuarantine: ({ fetched_at }: Recording) => fetched_at === 3 })).toEqual(
      FIRST_TEN.filter((at) => at !== 3),
    );
  });

  test('excludes the last accepted recording and the last that left a state', () => {
    const all = many((at) => ({
      outcome: at === 2 ? 'accepted' : 'unchanged',
      ...(at === 4 ? { state: { file: 'state.gz', file_sha256: 'x' } } : {}),
    }));
    expect(served(all)).toEqual([0, 1, 3, 5, 6, 7, 8, 9]);
  });

  test('includes a suspect reading only after a later one was accepted', () => {
    const doubted = (later: string) => many((at) => ({ outcome: at === 1 ? 'suspect' : later }));
    expect(served(doubted('accepted'))).toContain(1);
    expect(served(doubted('failed'))).not.toContain(1);
  });

  test('excludes the history that would be read again', () => {
    const windowed = sourceOf({ window: { history: '1d', step: '1h', overlap: '1h' } });
    expect(served(many(), {}, windowed, 86_400 + 2 * HOUR + 4)).toEqual(
      [0, 1, 2, 3, 4].slice(0, 4).concat(4),
    );
    expect(served(many(), {}, windowed, 86_400)).toEqual([]);
  });
});

describe('what is removed', () => {
  const sized = (at: number, has_served = true) => ({ recording: recording(at), bytes: 10, has_served });
  const removed = (all: Parameters<typeof recordingsToRemove>[0], limits: object = {}) => {
    const { remove, left_bytes } = recordingsToRemove(all, { keep_s: 50, max_bytes: 1_000, ...limits }, 100);
    return [remove.map(({ recording: one }) => one.fetched_at), left_bytes];
  };

  test('is what has served and is older than the limit', () => {
    expect(removed([sized(49), sized(50), sized(51), sized(10, false)])).toEqual([[49, 50], 20]);
  });

  test('is, while there is too much, the oldest that has served, and never what has not', () => {
    expect(removed([sized(60, false), sized(90), sized(80), sized(70)], { max_bytes: 20 })).toEqual([
      [70, 80],
      20,
    ]);
    expect(removed([sized(60, false), sized(90)], { max_bytes: 5 })).toEqual([[90], 10]);
  });
});

async function opened(reply: (count: number) => Reply) {
  const fixture = await openFixture((_, count) => reply(count));
  closing.push(fixture.close);
  return fixture;
}

async function scratch() {
  const made = await openScratch();
  closing.push(() => made.close());
  return made;
}

const things = sourceOf({
  every: '1h',
  records: '',
  fields: { protocol: 'a', observed_at: { recording: 'as_of' }, tvl_usd: 'tvl' },
});

async function land(to: Scratch, folder: Parameters<typeof landingSources>[1], until: number) {
  for (const one of landingSources([things], folder, () => true))
    for await (const delivery of one.deliveries({ from: 0, to: until }))
      await to.ingest.land(tableOf(one.table), one.facts, delivery, {
        interval: { from: 0, to: until },
        fetchedAt: delivery.kind === 'file' ? (delivery.fetched_at ?? until) : until,
      });
}

const rowsOf = async (from: Scratch) =>
  (await landedRows(from, tableOf('tvl_reading')))
    .map(({ protocol, observed_at, tvl_usd }) => `${protocol} ${observed_at} ${tvl_usd}`)
    .toSorted();

test('old recordings whose rows landed are removed; one with a row in quarantine stays, and nothing lands again', async () => {
  const { start, clock, folder, recordings } = await opened((count) =>
    json([{ a: 'x', tvl: count }, ...(count === 2 ? [{ a: 'bad', tvl: -1 }] : [])]),
  );
  for (let hour = 0; hour < 26; hour++) {
    await start(things).once();
    await clock.sleep(HOUR * 1000);
  }
  const lands = await scratch();
  await land(lands, folder, NOW + 30 * HOUR);
  const before = await rowsOf(lands);
  const tidy = (keep_s: number) =>
    tidyRecordings({
      sources: [things],
      landing: new Set(['things']),
      folder,
      receiptsOf: (table) => lands.ingest.receipts(table),
      limits: { keep_s, max_bytes: 1_000_000_000 },
      now: NOW + 30 * HOUR,
    });
  expect(await tidy(40 * HOUR)).toMatchObject({ removed: 0 });
  const all = await recordings();
  expect(await tidy(HOUR)).toMatchObject({ removed: 5 });
  const left = (await recordings()).map(({ id }) => id);
  expect(left).toEqual(all.map(({ id }) => id).filter((_, index) => index === 1 || index >= 6));
  await land(lands, folder, NOW + 30 * HOUR);
  expect(await rowsOf(lands)).toEqual(before);
  expect(await tidy(HOUR)).toMatchObject({ removed: 0 });
});

test('a landing that is rebuilt from recordings alone has the same rows', async () => {
  const { start, clock, folder } = await opened((count) => json([{ a: 'x', tvl: Math.ceil(count / 2) }]));
  const first = await scratch();
  for (let hour = 0; hour < 6; hour++) {
    await start(things).once();
    await clock.sleep(HOUR * 1000);
    await land(first, folder, NOW + hour * HOUR + 60);
  }
  const rebuilt = await scratch();
  await land(rebuilt, folder, NOW + 7 * HOUR);
  const rows = await rowsOf(first);
  expect(rows).toHaveLength(3);
  expect(await rowsOf(rebuilt)).toEqual(rows);
});

test('a recording that is removed while being looked up counts as absent', async () => {
  const { start, folder, recordings } = await opened(() => json([{ a: 'x', tvl: 1 }]));
  await start(things).once();
  const [one] = await recordings();
  if (one === undefined) throw new Error('there is no recording');
  const read: typeof folder.disk.read = async (path) => {
    await removeRecording(folder, one);
    return folder.disk.read(path);
  };
  expect(await readRecordings({ ...folder, disk: { ...folder.disk, read } }, 'things')).toEqual([]);
});
