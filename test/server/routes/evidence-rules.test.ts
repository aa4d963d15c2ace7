// An event is explained by the rules that found it, not by current ones; if they are gone, the evidence states so.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  AS_OF_MS,
  datasetOf,
  eventCandidate,
  fixtureDatasets,
  isoSeconds,
  ServerFixture,
} from '../server-fixture.ts';

const HOUR_MS = 3_600_000;

let fixture: ServerFixture;
beforeEach(async () => {
  fixture = await ServerFixture.create();
});
afterEach(() => fixture.remove());

const at = (hour: number) => isoSeconds(AS_OF_MS + hour * HOUR_MS);

/** Publishes a version at that hour, with a threshold equal to the number of its policy. */
function publish(hour: number, policy: number): Promise<string> {
  const rule = { type: 'oracle.stale', place: 1, role: 'threshold', name: 'oracle.grace_s', unit: 'seconds' };
  const value = [{ ...rule, value: policy, policy_version: `${policy}.0.0` }];
  const datasets = [
    ...fixtureDatasets(at(hour)),
    datasetOf('event-rules', [{ key: 'oracle.stale', value }], at(hour)),
  ];
  return fixture.publish(datasets, at(hour), `${policy}.0.0`);
}

async function happen(hour: number): Promise<string> {
  const ms = AS_OF_MS + hour * HOUR_MS;
  const [envelope = '{}'] = await fixture.append([eventCandidate(1, ms)], ms);
  return (JSON.parse(envelope) as { event_id: string }).event_id;
}

async function evidenceOf(id: string, query = '') {
  const server = await fixture.serve({ plan: 'enterprise' });
  await server.refresh();
  const answer = await fetch(`${server.url}/v2/events/${id}/evidence${query}`);
  return ((await answer.json()) as { data: object }).data;
}

const collect = (version: string) => rm(join(fixture.dir, 'versions', version), { recursive: true });
const decided = (policy: number, rules_version: string) => ({
  rules: [{ value: policy }],
  policy_version: `${policy}.0.0`,
  rules_version,
});

test('the rules are those of the version that found the event, however the policy changed', async () => {
  await publish(0, 1);
  const id = await happen(1);
  const found = await publish(1, 2);
  await publish(2, 3);
  expect(await evidenceOf(id)).toMatchObject(decided(2, found));
  expect(await evidenceOf(id, `?as_of=${at(1)}`)).toMatchObject(decided(2, found));
});

test('once that version is gone, the rules of a policy that was the same before and after it', async () => {
  await publish(0, 2);
  const id = await happen(1);
  const found = await publish(1, 2);
  const later = await publish(2, 2);
  await collect(found);
  expect(await evidenceOf(id)).toMatchObject(decided(2, later));
});

test('a policy that changed around a lost version, and one of which no version is kept, are reported as missing', async () => {
  const first = await publish(0, 1);
  const id = await happen(1);
  const found = await publish(1, 1);
  await publish(2, 2);
  await collect(found);
  const unknown = { rules: [], policy_version: null, rules_version: null };
  expect(await evidenceOf(id)).toMatchObject({
    ...unknown,
    gaps: expect.arrayContaining([
      'the rules of that time are no longer kept: the policy changed from 1.0.0 to 2.0.0 around the event',
    ]),
  });
  await collect(first);
  expect(await evidenceOf(id)).toMatchObject({
    ...unknown,
    gaps: expect.arrayContaining(['the rules of that time are no longer kept']),
  });
});

test('events of the very first version are explained by it', async () => {
  const id = await happen(0);
  const first = await publish(0, 1);
  await publish(1, 2);
  expect(await evidenceOf(id)).toMatchObject(decided(1, first));
});
