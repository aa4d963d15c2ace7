import { afterEach, beforeEach, expect, test } from 'vitest';
import { OVERALL_COMPONENTS } from '../../../schemas/overall.ts';
import { AS_OF_MS, DAY_MS, datasetOf, ServerFixture } from '../server-fixture.ts';

let fixture: ServerFixture;
beforeEach(async () => {
  fixture = await ServerFixture.create();
});
afterEach(() => fixture.remove());

const stamp = (back: number) => `${new Date(AS_OF_MS - back * DAY_MS).toISOString().slice(0, 10)}T00:00:00Z`;
const SCORES = [0, 1, 3, 4, 5, 6].map((back) => ({ score: 0.7 + back / 100, timestamp: stamp(back) }));
const HASH = 'a'.repeat(64);
const receipt = (back: number, score: number | null) => ({
  timestamp: stamp(back),
  score,
  gap: score === null ? 'too_few_components' : null,
  reason: score === null ? '1 of 6 components are known, 4 are needed' : null,
  known_components: score === null ? 1 : 6,
  known_weight: score === null ? 0.25 : 1,
  formula: 'sum(weight × score) / sum(weight)',
  components: OVERALL_COMPONENTS.map((component, index) => ({
    component,
    score: score === null && index > 0 ? null : 0.5,
    gap: score === null && index > 0 ? 'no_data' : null,
    reason: score === null && index > 0 ? 'nothing was seen' : null,
    weight: 0.25,
    weight_used: score === null ? null : 0.25,
    formula: 'as it is',
    inputs: score === null && index > 0 ? null : 'x=1',
    oldest_input_day: null,
    input_hash: score === null && index > 0 ? null : HASH,
  })),
  quality_gate: { verdict: score === null ? 'fail' : 'pass', warnings: [] },
  input_hash: HASH,
  methodology_version: '1.0.0',
  policy_version: '1.0.0',
});
const RECEIPTS = [receipt(0, 0.7), receipt(1, 0.71), receipt(2, null)];

async function get(path: string, init?: RequestInit): Promise<Response> {
  await fixture.publish([
    datasetOf('overall-scores', [{ key: 'aave', value: SCORES }]),
    datasetOf('overall-receipts', [
      { key: 'aave', value: RECEIPTS },
      { key: 'quiet', value: [receipt(0, null)] },
    ]),
  ]);
  return fetch(`${(await fixture.serve()).url}${path}`, init);
}

test('the records of a protocol are returned in the legacy envelope, newest first', async () => {
  const answer = await get('/scores/overall/aave');
  expect(answer.status).toBe(200);
  expect(await answer.json()).toEqual({ status: true, data: SCORES });
});

test('the receipts are returned in the version 2 envelope, with provenance and confidence', async () => {
  const answer = await get('/v2/scores/overall/aave');
  expect(answer.status).toBe(200);
  expect(answer.headers.get('x-schema-version')).toBe('2.0.0');
  expect(await answer.json()).toMatchObject({
    data: RECEIPTS,
    meta: {
      _agentic: {
        schema_version: '2.0.0',
        freshness: { status: 'fresh' },
        confidence: { score: 1 },
        sources: [{ kind: 'simulated' }],
        quality_gate: { verdict: 'pass' },
      },
    },
    error: null,
  });
});

test('a protocol without a record has no data, and its receipts state why', async () => {
  expect((await get('/scores/overall/quiet')).status).toBe(404);
  const answer = await get('/v2/scores/overall/quiet');
  expect([answer.status, await answer.json()]).toMatchObject([200, { data: [receipt(0, null)] }]);
});

const UNKNOWN_NAMES = [
  'unknown',
  'AAVE',
  'aave.',
  'aave%2F..',
  '..%2Foverall%2Faave',
  'constructor',
  '__proto__',
  'aave%00',
];

test.each(UNKNOWN_NAMES)('the score of %s is not found, with the legacy body', async (name) => {
  const answer = await get(`/scores/overall/${name}`);
  expect(answer.status).toBe(404);
  expect(await answer.json()).toMatchObject({ status: false, data: [], error: { code: 'not_found' } });
});

test.each(UNKNOWN_NAMES)('the receipts of %s are not found, with the standard body', async (name) => {
  const answer = await get(`/v2/scores/overall/${name}`);
  expect(answer.status).toBe(404);
  expect(await answer.json()).toMatchObject({ error: { code: 'not_found' } });
});

test.each(['/scores/overall', '/scores/overall/aave/more'])(
  '%s is not an endpoint, and nothing breaks',
  async (path) => {
    expect((await get(path)).status).toBe(404);
  },
);

test('what a client already has is not sent again', async () => {
  for (const path of ['/scores/overall/aave', '/v2/scores/overall/aave']) {
    const etag = (await get(path)).headers.get('etag') ?? '';
    const { url } = await fixture.serve();
    expect((await fetch(url + path, { headers: { 'If-None-Match': etag } })).status).toBe(304);
  }
});
