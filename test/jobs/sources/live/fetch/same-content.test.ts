// When a reading of a stretch of time counts as unchanged: while everything mapped from its records is unchanged.
import { rmSync, writeFileSync } from 'node:fs';
import { afterEach, expect, test } from 'vitest';
import { liveSources } from '../../../../../jobs/sources/live/fetch/configured.ts';
import { bodyPath } from '../../../../../jobs/sources/live/fetch/recording-store.ts';
import { json } from '../http/replay-server.ts';
import { openFixture, START, sourceOf } from '../fetching-fixture.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});
const open: typeof openFixture = async (...given) => {
  const fixture = await openFixture(...given);
  closing.push(fixture.close);
  return fixture;
};

test('a stretch of time is unchanged exactly while everything mapped from its records is', async () => {
  const post = (id: number, text: string, reads: number, hidden = false) => ({ id, text, reads, hidden });
  const answers = [
    [post(2, 'b', 5), post(1, 'a', 9)],
    [post(2, 'b', 6), post(1, 'a', 11)],
    [post(2, 'b', 7)],
    [post(3, 'c', 0), post(2, 'b', 8)],
    [post(3, 'c', 1), post(2, 'edited', 9)],
    [post(3, 'c', 2, true), post(2, 'edited', 9)],
  ];
  const { start, clock, recordings } = await open((_, count) => json(answers[count - 1]));
  const source = sourceOf({
    every: '1h',
    window: { history: '1d', step: '1d', overlap: '1d' },
    where: { hidden: { not: 'true' } },
    fields: { protocol: { recording: 'param.x' }, entity: 'id', note: { from: ['text', 'raw'] } },
  });
  const read = async () => {
    await start(source).once();
    await clock.sleep(3_600_000);
    return (await recordings()).at(-1)?.outcome;
  };
  const outcomes = [await read(), await read(), await read(), await read(), await read(), await read()];
  expect(outcomes).toEqual(['accepted', 'unchanged', 'unchanged', 'accepted', 'accepted', 'accepted']);
  const [, unchanged] = await recordings();
  expect(unchanged).toMatchObject({ pages: [], window: { to: START / 1000 + 3_600 } });
});

test('rows that hold the time of their reading always change; so do rows whose recorded body is lost', async () => {
  const { start, clock, recordings, folder } = await open(() => json([{ id: 1 }]));
  const window = { history: '1d', step: '1d', overlap: '1d' };
  const timed = sourceOf({ every: '1h', window, fields: { a: 'id', b: { recording: 'as_of' } } }, 'timed');
  const plain = sourceOf({ every: '1h', window, fields: { a: 'id' } });
  const read = async () => {
    await start(timed, plain).once();
    await clock.sleep(3_600_000);
    return [(await recordings('timed')).at(-1)?.outcome, (await recordings()).at(-1)?.outcome];
  };
  expect(await read()).toEqual(['accepted', 'accepted']);
  expect(await read()).toEqual(['accepted', 'unchanged']);
  const [first] = await recordings();
  if (first?.pages[0] === undefined) throw new Error('nothing was recorded');
  rmSync(bodyPath(folder, first, first.pages[0]));
  expect(await read()).toEqual(['accepted', 'accepted']);
  const last = (await recordings()).at(-1);
  if (last?.pages[0] === undefined) throw new Error('nothing was recorded');
  writeFileSync(bodyPath(folder, last, last.pages[0]), 'damaged');
  expect(await read()).toEqual(['accepted', 'accepted']);
});

test('fields that another source maps from the same recordings count, too', async () => {
  let turn = 0;
  const { start, clock, recordings } = await open(() => json([{ id: 1, a: 1, b: ++turn }]));
  const section = { table: 'tvl_reading', name: 'Things', every: '1h' };
  const window = { history: '1d', step: '1d', overlap: '1d' };
  const own = { ...section, window, request: { url: 'https://api.example/x' }, fields: { entity: 'a' } };
  const other = { ...section, recordings_of: 'things', fields: { entity: 'b' } };
  for (const sources of [{ things: own }, { things: own, others: other }]) {
    const [things] = liveSources(sources);
    if (things === undefined) throw new Error('there is no source');
    await start(things).once();
    await clock.sleep(3_600_000);
    await start(things).once();
    await clock.sleep(3_600_000);
  }
  const outcomes = (await recordings()).map(({ outcome }) => outcome);
  expect(outcomes).toEqual(['accepted', 'unchanged', 'accepted', 'accepted']);
});
