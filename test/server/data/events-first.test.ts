// A version whose events are ahead of its datasets: readers get the events at once, and responses state how old everything else is.
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { RunningServer } from '../../../server/deps.ts';
import {
  AS_OF,
  AS_OF_MS,
  datasetOf,
  eventCandidate,
  fixtureDatasets,
  isoSeconds,
  ServerFixture,
} from '../server-fixture.ts';

const LATER_MS = AS_OF_MS + 300_000;
const LATER = isoSeconds(LATER_MS);

const numbers = datasetOf('numbers', [{ key: 'a', value: { n: 1 } }], AS_OF, {
  rows: 1,
  table: {
    title: 'Numbers',
    key: ['n'],
    separator: '|',
    shape: 'one',
    row: { type: 'object', properties: { n: { type: 'integer' } } },
  },
});

let fixture: ServerFixture;
let server: RunningServer;
beforeEach(async () => {
  fixture = await ServerFixture.create();
  await fixture.publish([...fixtureDatasets(), numbers]);
  server = await fixture.serve({ plan: 'custom' });
  fixture.nowMs = LATER_MS;
});
afterEach(() => fixture.remove());

interface Answer {
  readonly data: never;
  /** Of replay. */
  readonly events?: readonly unknown[];
  readonly meta: { readonly _agentic?: { readonly freshness: unknown } };
}

const read = async (path: string) => (await (await fetch(server.url + path)).json()) as Answer;
const coverage = async () => (await read('/v2/data-manifest')).meta._agentic?.freshness;
const datasetTimes = async () => [
  ...new Set(((await read('/v2/datasets')).data as { as_of: string }[]).map(({ as_of }) => as_of)),
];
const replayed = async () => (await read('/v2/events/replay')).events?.length;

test('events are served at once, and the age of the data does not change until its datasets follow', async () => {
  expect(await replayed()).toBe(0);
  const [envelope = '{}'] = await fixture.append([eventCandidate(1, LATER_MS)], LATER_MS);
  await fixture.publishEvents(LATER);
  await server.refresh();
  expect(await replayed()).toBe(1);
  const { event_id } = JSON.parse(envelope) as { event_id: string };
  expect((await read(`/v2/events/${event_id}`)).data).toMatchObject({ event_id, ts: LATER });
  expect(await read('/v1/status')).toMatchObject({
    as_of: AS_OF,
    age_seconds: 300,
    events: { published: 1 },
  });
  expect(await coverage()).toMatchObject({ computed_at: AS_OF, age_seconds: 300 });
  expect(await datasetTimes()).toEqual([AS_OF]);
  expect(await read('/v2/datasets/numbers')).toMatchObject({ meta: { as_of: AS_OF, computed_at: AS_OF } });
  await fixture.publish(fixtureDatasets(LATER), LATER);
  await server.refresh();
  expect(await replayed()).toBe(1);
  expect(await datasetTimes()).toEqual([LATER]);
  expect(await read('/v1/status')).toMatchObject({ as_of: LATER, age_seconds: 0 });
  expect(await coverage()).toMatchObject({ computed_at: LATER, age_seconds: 0 });
});

test('what was published at a time has the datasets of that time once they exist', async () => {
  await fixture.append([eventCandidate(1, LATER_MS)], LATER_MS);
  await fixture.publishEvents(LATER);
  await server.refresh();
  const freshnessAt = async (at: string) =>
    (await read(`/v2/data-manifest?as_of=${at}`)).meta._agentic?.freshness;
  expect(await freshnessAt(LATER)).toMatchObject({ computed_at: AS_OF });
  await fixture.publish(fixtureDatasets(LATER), LATER);
  await server.refresh();
  expect(await freshnessAt(LATER)).toMatchObject({ computed_at: LATER });
  expect(await freshnessAt(AS_OF)).toMatchObject({ computed_at: AS_OF });
});
