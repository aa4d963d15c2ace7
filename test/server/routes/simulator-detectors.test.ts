// A run with events has them always: while the detectors do not answer, it is refused and not charged.
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { removeFolder, temporaryFolder } from '../../support/temporary-folder.ts';
import { SimulatorApi, SUPPLY } from './simulator-api.ts';

let dir: string;
let socket: string;
let api: SimulatorApi;

beforeAll(async () => {
  dir = temporaryFolder('detectors');
  socket = join(dir, 'what-if.sock');
  api = await SimulatorApi.start(socket);
});
afterAll(async () => {
  await api.stop();
  removeFolder(dir);
});

async function detectors(reply: string | null): Promise<Server> {
  const server = createServer((peer) => {
    peer.on('error', () => undefined);
    peer.on('data', () => (reply === null ? peer.destroy() : peer.write(reply)));
  });
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  return server;
}
const stop = (server: Server) => new Promise((resolve) => server.close(resolve));

/** Moves a market, so the detectors are asked. */
const BODY = {
  scenario_id: 'utilization_100',
  positions: [{ ...SUPPLY, market: 'ethereum:weth-usdc' }],
};
const run = (org: string, headers: Record<string, string> = {}) =>
  api.ask('/v2/simulator/run', { org, body: BODY, headers });

test('without the detectors a run is refused, free, and leaves its idempotency key unused', async () => {
  const key = { 'x-idempotency-key': 'one-run' };
  const refused = await run('team', key);
  expect([refused.status, refused.error.code]).toEqual([503, 'unavailable']);
  expect(refused.error.message).toContain('start the command `what-if` of the jobs');
  expect(refused.headers.get('retry-after')).toBe('5');

  const breaking = await detectors(null);
  expect((await run('team', key)).status).toBe(503);
  await stop(breaking);

  const answering = await detectors('{"events":[]}\n');
  const done = await run('team', key);
  expect([done.status, done.json.data.events_that_would_fire]).toEqual([200, []]);
  expect(done.headers.get('x-quota-remaining')).toBe('199');
  const again = await run('repeats');
  expect(again.json).toEqual(done.json);
  await stop(answering);
});

test('a run that moves nothing that a detector watches needs no detectors', async () => {
  const pool = { kind: 'pool', assets: ['STETH', 'ETH'], amount_usd: 1_000 };
  const shocks = [{ kind: 'depth', subject: 'ETH', path: [[0, 0.5]] }];
  const { status, json } = await api.run({ shocks, positions: [pool] });
  expect([status, json.data.events_that_would_fire]).toEqual([200, []]);
});
