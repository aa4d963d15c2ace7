// Where error responses send a client: to the documentation that is configured, else back to the address that the client used.
import { request } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ServiceLinks } from '../../../server/http/service-links.ts';
import type { RunningServer } from '../../../server/deps.ts';
import { ServerFixture } from '../server-fixture.ts';

const links = (docsUrl = '') => new ServiceLinks({ host: '0.0.0.0', port: 8080, docsUrl });

test.each([
  [{ host: 'risk.example' }, 'http://risk.example'],
  [{ host: 'risk.example:8080' }, 'http://risk.example:8080'],
  [{ host: '[::1]:8080' }, 'http://[::1]:8080'],
  [{ host: '10.0.0.7', 'x-forwarded-proto': 'https' }, 'https://10.0.0.7'],
  [
    { host: 'inner:80', 'x-forwarded-host': 'risk.example', 'x-forwarded-proto': 'https' },
    'https://risk.example',
  ],
  [{ host: 'inner:80', 'x-forwarded-host': 'a"b<c>' }, 'http://inner:80'],
  [{ host: 'user@evil.example/' }, 'http://0.0.0.0:8080'],
  [{ host: '' }, 'http://0.0.0.0:8080'],
  [{}, 'http://0.0.0.0:8080'],
])('%j is sent to %s', (headers, expected) => {
  expect(links().documentationFor(headers)).toBe(expected);
  expect(links('https://docs.example/').documentationFor(headers)).toBe('https://docs.example');
});

let fixture: ServerFixture;
let server: RunningServer;
beforeAll(async () => {
  fixture = await ServerFixture.create();
  await fixture.publish();
  server = await fixture.serve({ docsUrl: '', plan: 'free' });
});
afterAll(() => fixture.remove());

const errorOf = (path: string, headers: Readonly<Record<string, string>>) =>
  new Promise<{ readonly documentation_url?: string; readonly details?: { readonly upgrade_url?: string } }>(
    (resolve, reject) => {
      const sent = request(server.url + path, { headers }, async (response) => {
        let text = '';
        for await (const chunk of response) text += String(chunk);
        resolve((JSON.parse(text) as { error: object }).error);
      });
      sent.on('error', reject).end();
    },
  );

test('both links of an error name the host that the client asked', async () => {
  const host = 'risk.example:8443';
  const missing = await errorOf('/v2/nothing', { host, 'x-forwarded-proto': 'https' });
  expect(missing.documentation_url).toBe(`https://${host}/errors/not_found`);
  const denied = await errorOf('/v2/data-manifest/coverage', { host });
  expect(denied.details?.upgrade_url).toBe(`http://${host}/docs#plans`);
});
