// Thousands of requests at once: exactly the burst is accepted, whoever sends it (targets H4).
import { afterEach, beforeEach, expect, test } from 'vitest';
import { COUNTS } from '../../reliability/counts.ts';
import { raw } from '../http/raw-http.ts';
import { ServerFixture } from '../server-fixture.ts';

let fixture: ServerFixture;
beforeEach(async () => {
  fixture = await ServerFixture.create();
  await fixture.publish();
});
afterEach(() => fixture.remove());

test('of many concurrent requests, exactly the burst is accepted', async () => {
  const key = await fixture.key('analyst');
  const server = await fixture.serve({ anonymousPlan: null, steadyMs: () => 0 });
  const paths = ['/v2/data-manifest', '/data/oracle/chainlink/pairs', '/v1/version', '/nowhere'];
  const statuses: number[] = [];
  const sender = async (first: number) => {
    for (let i = first; i < COUNTS.requestsAtOnce; i += 100) {
      const headers = { Authorization: `Bearer ${key}` };
      statuses.push((await raw(server.url, paths[i % 4] ?? '/', headers)).status);
    }
  };
  await Promise.all(Array.from({ length: 100 }, (_, first) => sender(first)));
  expect(statuses).toHaveLength(COUNTS.requestsAtOnce);
  expect(statuses.filter((status) => status !== 429)).toHaveLength(300);
});
