// The verdict of an earlier version, judged at its time.
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ServiceVerdict } from '../../../schemas/service-status.ts';
import type { RunningServer } from '../../../server/deps.ts';
import {
  AS_OF,
  AS_OF_MS,
  CADENCE_S,
  datasetOf,
  fixtureDatasets,
  isoSeconds,
  ServerFixture,
} from '../server-fixture.ts';

const HOUR_MS = 3_600_000;
const EARLIER_MS = AS_OF_MS - HOUR_MS;
const EARLIER = isoSeconds(EARLIER_MS);

let fixture: ServerFixture;
let server: RunningServer;
beforeEach(async () => {
  fixture = await ServerFixture.create();
});
afterEach(() => fixture.remove());

type Status = ServiceVerdict & {
  readonly version: string;
  readonly as_of: string;
  readonly age_seconds: number;
  readonly uptime_seconds: number;
  readonly datasets: Readonly<Record<string, { readonly freshness: { readonly status: string } }>>;
};

async function statusAt(query = ''): Promise<Status & { readonly code: number }> {
  const answer = await fetch(`${server.url}/v1/status${query}`);
  return { code: answer.status, ...((await answer.json()) as Status) };
}

const conditions = (...severities: readonly string[]) =>
  datasetOf(
    'conditions',
    severities.map((severity, n) => ({ key: String(n), value: { id: String(n), severity } })),
  );
const held = {
  total: 1,
  list: [
    { dataset: 'conditions', subject: '*', since: AS_OF, checks: [], reason: 'conditions are held back' },
  ],
};

test('the verdict of a time is that of its version, at that time; that of now stays as it is', async () => {
  const version = await fixture.publish(
    [...fixtureDatasets(EARLIER), conditions('critical', 'high')],
    EARLIER,
  );
  await fixture.publish([...fixtureDatasets(), conditions()]);
  server = await fixture.serve({ anonymousPlan: null });
  const then = await statusAt(`?as_of=${EARLIER}`);
  expect(then).toMatchObject({ code: 200, version, as_of: EARLIER, age_seconds: 0, status: 'ok' });
  expect(then.open_conditions).toMatchObject({ critical: 1, high: 1 });
  expect(then.headline).toMatch(/^1 critical/);
  for (const { freshness } of Object.values(then.datasets)) expect(freshness.status).toBe('fresh');
  const now = await statusAt();
  expect(now.as_of).toBe(AS_OF);
  expect(now.headline).not.toMatch(/critical/);
  expect(then.uptime_seconds).toBe(now.uptime_seconds);
});

test('a time at which the data was overdue says so, although it is not now', async () => {
  await fixture.publish([...fixtureDatasets(EARLIER), conditions()], EARLIER);
  await fixture.publish([...fixtureDatasets(), conditions()]);
  server = await fixture.serve({ anonymousPlan: null });
  const at = (seconds: number) => statusAt(`?as_of=${isoSeconds(EARLIER_MS + seconds * 1_000)}`);
  expect(await at(2 * CADENCE_S)).toMatchObject({ status: 'ok', reasons: [] });
  expect((await at(2 * CADENCE_S + 1)).reasons).toMatchObject([{ code: 'data_overdue' }]);
  expect((await statusAt()).status).toBe('ok');
});

test('what was held back then is held back then, and only then', async () => {
  await fixture.publish([...fixtureDatasets(EARLIER), conditions('high')], EARLIER, '1.0.0', {
    held_subjects: held,
  });
  await fixture.publish([...fixtureDatasets(), conditions('high')]);
  server = await fixture.serve({ anonymousPlan: null });
  expect(await statusAt(`?as_of=${EARLIER}`)).toMatchObject({ status: 'degraded', open_conditions: null });
  expect(await statusAt()).toMatchObject({ status: 'ok', open_conditions: { high: 1 } });
});

test('a time before the first version has no verdict, and a time to come has that of now', async () => {
  await fixture.publish([...fixtureDatasets(), conditions('warn')]);
  server = await fixture.serve({ anonymousPlan: null });
  expect((await statusAt(`?as_of=${EARLIER}`)).code).toBe(404);
  expect((await statusAt('?as_of=yesterday')).code).toBe(400);
  const later = await statusAt(`?as_of=${isoSeconds(AS_OF_MS + 24 * HOUR_MS)}`);
  expect(later).toMatchObject({ as_of: AS_OF, age_seconds: 0, status: 'ok' });
});
