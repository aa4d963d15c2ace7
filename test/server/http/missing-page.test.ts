// An address at which there is nothing: a page for a browser, an error as JSON for a program.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunningServer } from '../../../server/deps.ts';
import { ServerFixture } from '../server-fixture.ts';

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

let fixture: ServerFixture;
let server: RunningServer;
beforeAll(async () => {
  fixture = await ServerFixture.create();
  await fixture.publish();
  server = await fixture.serve({ anonymousPlan: 'free' });
});
afterAll(() => fixture.remove());

const get = (path: string, accept: string | undefined, method = 'GET') =>
  fetch(server.url + path, { method, headers: accept === undefined ? {} : { Accept: accept } });

test.each(['/nope', '/nope/deeper?x=1', '/docs/nope', '/errors/nope', '/v2/nope'])(
  'a browser gets a page at %s, with status 404',
  async (path) => {
    const answer = await get(path, BROWSER);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('x-request-id')).toMatch(/./);
    const text = await answer.text();
    expect(text).toContain('There is nothing at this address');
    expect(text).toContain('<a href="/lending">');
  },
);

test.each([undefined, '*/*', 'application/json', 'application/json, text/html;q=0.5', 'text/html;q=0'])(
  'with Accept: %s it is an error as JSON',
  async (accept) => {
    const answer = await get('/nope', accept);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([404, 'application/json']);
    expect(await answer.json()).toMatchObject({ error: { code: 'not_found' } });
  },
);

test('data that does not exist, and other methods, are errors as JSON for a browser as well', async () => {
  const answers = [await get('/v2/datasets/nope', BROWSER), await get('/nope', BROWSER, 'POST')];
  for (const answer of answers) {
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({ error: { code: 'not_found' } });
  }
});

test('HEAD has the status and no body', async () => {
  const answer = await get('/nope', BROWSER, 'HEAD');
  expect([answer.status, await answer.text()]).toEqual([404, '']);
});
