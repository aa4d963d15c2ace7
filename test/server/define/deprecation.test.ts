// Paths that are being retired: headers before the sunset day, 410 from it on, on prepared and routed responses and errors (9.5, decision
// 38).
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Deprecation } from '../../../schemas/deprecations.ts';
import type { RunningServer } from '../../../server/deps.ts';
import { ENDPOINTS } from '../../../server/endpoints.ts';
import { AS_OF_MS, ServerFixture } from '../server-fixture.ts';

const SUNSET = '2026-09-01';
const LIVE: readonly Deprecation[] = [
  '/v2/data-manifest',
  '/data/oracle/:provider/:pair',
  '/v2/webhooks/:id',
].map((path) => ({ path, deprecated_on: '2026-03-01', sunset_on: SUNSET, successor: `/v3${path}` }));
const PREPARED = '/v2/data-manifest';
const ROUTED = '/data/oracle/%63hainlink/ETH-USD';

let fixture: ServerFixture;
let server: RunningServer;
beforeAll(async () => {
  fixture = await ServerFixture.create();
  await fixture.publish();
  // The API document does not declare an end of these paths, and given endpoints are not checked against it.
  server = await fixture.serve({ deprecations: LIVE, endpoints: ENDPOINTS });
});
afterAll(() => fixture.remove());

const ask = async (path: string, at = server, method = 'GET') => {
  const { status, headers } = await fetch(at.url + path, { method });
  return [status, headers.get('deprecation'), headers.get('sunset'), headers.get('link')];
};
async function atMs<T>(ms: number, work: () => Promise<T>): Promise<T> {
  fixture.nowMs = ms;
  try {
    return await work();
  } finally {
    fixture.nowMs = AS_OF_MS;
  }
}

const HTTP_SUNSET = 'Tue, 01 Sep 2026 00:00:00 GMT';
const linkTo = (path: string) => `</v3${path}>; rel="successor-version"`;

test('before its sunset, a live path states when it ends, prepared and routed, for GET and HEAD', async () => {
  const last = Date.parse(`${SUNSET}T00:00:00Z`) - 1;
  for (const now of [AS_OF_MS, last])
    await atMs(now, async () => {
      for (const method of ['GET', 'HEAD']) {
        expect(await ask(PREPARED, server, method)).toEqual([
          200,
          'true',
          HTTP_SUNSET,
          linkTo('/v2/data-manifest'),
        ]);
        expect(await ask(ROUTED, server, method)).toEqual([
          200,
          'true',
          HTTP_SUNSET,
          linkTo('/data/oracle/chainlink/ETH-USD'),
        ]);
      }
    });
});

test('errors of such a path state it too, and other paths do not', async () => {
  const ending = (path: string) => ['true', HTTP_SUNSET, linkTo(path)];
  expect(await ask('/data/oracle/chainlink/NO-NO')).toEqual([404, ...ending('/data/oracle/chainlink/NO-NO')]);
  expect(await ask('/data/oracle/chainlink/a%20%C3%A9?x=1')).toEqual([
    400,
    ...ending('/data/oracle/chainlink/a%20%C3%A9'),
  ]);
  expect(await ask('/v2/webhooks/wh_1', server, 'POST')).toEqual([401, ...ending('/v2/webhooks/wh_1')]);
  expect(await ask('/data/oracle/chainlink/pairs')).toEqual([200, null, null, null]);
});

test('from its sunset on, it is 410 with its successor', async () => {
  await atMs(Date.parse(`${SUNSET}T00:00:00Z`), async () => {
    expect(await ask(PREPARED)).toEqual([410, 'true', HTTP_SUNSET, linkTo('/v2/data-manifest')]);
    expect(await ask(ROUTED)).toEqual([410, 'true', HTTP_SUNSET, linkTo('/data/oracle/chainlink/ETH-USD')]);
  });
});

test('the setting selects the RFC 9745 form', async () => {
  const other = await fixture.serve({ deprecations: LIVE, deprecationHeader: 'timestamp' });
  const [, deprecation] = await ask(PREPARED, other);
  expect(deprecation).toBe(`@${Date.parse('2026-03-01T00:00:00Z') / 1000}`);
});

test('every webhook operation under /v1 has ended, each with its own successor', async () => {
  await atMs(Date.parse('2026-06-01T00:00:00Z'), async () => {
    const plain = await fixture.serve();
    // Statistics never existed under /v1.
    const operations = ENDPOINTS.filter(
      ({ path }) => path.startsWith('/v2/webhooks') && !path.endsWith('/statistics'),
    );
    expect(operations.length).toBeGreaterThan(8);
    for (const { method, path } of operations) {
      const successor = path.replace(':id', 'wh_1').replace(':delivery_id', 'dlv_2');
      const old = successor.replace('/v2/', '/v1/');
      const [status, , , link] = await ask(old, plain, method);
      expect([method, old, status, link]).toEqual([
        method,
        old,
        410,
        `<${successor}>; rel="successor-version"`,
      ]);
    }
  });
});
