import { afterEach, beforeEach, expect, test } from 'vitest';
import type { DevelopmentRecord } from '../../../schemas/development.ts';
import { datasetOf, ServerFixture } from '../server-fixture.ts';

/** Records exactly as they appear on the wire. */
const record = (Name: string, day: string, score: number): DevelopmentRecord => ({
  Name,
  score,
  timestamp: `${day} 00:00:00`,
});
const CURVE = [record('curve finance', '2026-03-01', 0.612345), record('curve finance', '2026-02-28', 0)];
const ETHEREUM = [record('ethereum', '2026-03-01', 1)];

let fixture: ServerFixture;
beforeEach(async () => {
  fixture = await ServerFixture.create();
  await fixture.publish([
    datasetOf('development-protocols', [{ key: 'curvefinance', value: CURVE }]),
    datasetOf('development-blockchains', [{ key: 'ethereum', value: ETHEREUM }]),
    datasetOf('development-scores', [{ key: 'all', value: [...CURVE, ...ETHEREUM] }]),
  ]);
});
afterEach(() => fixture.remove());

const get = async (path: string) => fetch(`${(await fixture.serve()).url}/scores/development${path}`);

test.each([
  ['/protocols/curvefinance', CURVE],
  ['/protocols/%63urvefinance', CURVE],
  ['/blockchain/ethereum', ETHEREUM],
  ['', [...CURVE, ...ETHEREUM]],
])('%s returns its days in the legacy envelope', async (path, data) => {
  const answer = await get(path);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('cache-control')).toContain('max-age=300');
  expect(await answer.json()).toEqual({ status: true, data });
});

test.each([
  '/protocols/CurveFinance',
  '/protocols/curve%20finance',
  '/protocols/curve',
  '/protocols/ethereum',
  '/blockchain/curvefinance',
  '/blockchain/ETHEREUM',
  '/blockchain/ethereum.',
  '/protocols/..%2Fall',
  '/protocols/all',
  '/protocols/__proto__',
  '/blockchain/constructor',
  '/protocols/curvefinance%00',
  '/protocols/%F0%9F%92%A9',
])('%s is not found, with the legacy body', async (path) => {
  const answer = await get(path);
  expect(answer.status).toBe(404);
  const request_id = answer.headers.get('x-request-id');
  expect(await answer.json()).toMatchObject({
    status: false,
    data: [],
    error: { code: 'not_found', request_id },
  });
});

test('the list is empty if a version tracks nothing', async () => {
  await fixture.publish([datasetOf('development-scores', [])]);
  const answer = await get('');
  expect([answer.status, await answer.json()]).toEqual([200, { status: true, data: [] }]);
});

test('the list of a version without the scores is unavailable, not empty', async () => {
  await fixture.publish([datasetOf('development-protocols', [])]);
  const answer = await get('');
  expect(answer.status).toBe(503);
  expect(await answer.json()).toMatchObject({ status: false, data: [], error: { code: 'unavailable' } });
});

test.each(['', '/protocols/curvefinance'])('before anything is published %s is unavailable', async (path) => {
  const empty = await ServerFixture.create();
  const answer = await fetch(`${(await empty.serve()).url}/scores/development${path}`);
  expect(answer.status).toBe(503);
  expect(await answer.json()).toMatchObject({ status: false, data: [] });
  await empty.remove();
});
