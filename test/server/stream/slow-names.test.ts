// What becomes of a client of the stream while its names are looked up: its key ends, it leaves, or the server stops.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { actorAt } from '../../support/ops-store.ts';
import { AS_OF_MS, eventCandidate, ServerFixture } from '../server-fixture.ts';
import { endForBrowser, HandClock, openStream, refusalOf } from './stream-client.ts';

/** Lookups that wait until they are let go. */
class SlowLookups {
  readonly #waiting: (() => void)[] = [];
  #onBegun: () => void = () => undefined;

  readonly begin = (): Promise<void> =>
    new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#onBegun();
    });

  /** Resolves once that many have begun. */
  begun(count: number): Promise<void> {
    return new Promise((resolve) => {
      this.#onBegun = () => this.#waiting.length >= count && resolve();
      this.#onBegun();
    });
  }

  end(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

let fixture: ServerFixture;
let clock: HandClock;
let lookups: SlowLookups;
beforeEach(async () => {
  fixture = await ServerFixture.create();
  clock = new HandClock();
  lookups = new SlowLookups();
  await fixture.append([eventCandidate(0)]);
  await fixture.publish();
});
afterEach(() => fixture.remove());

const serve = () => fixture.serve({ anonymousPlan: null, ...clock.deps, beforeNames: lookups.begin });
const query = 'chain=ethereum';

test('a client whose lookup takes its time is connected afterwards', async () => {
  const key = await fixture.key('team');
  const server = await serve();
  const opening = openStream(server.url, { key, query });
  await lookups.begun(1);
  lookups.end();
  const client = await opening;
  const published = await fixture.append([eventCandidate(1)]);
  await fixture.publish();
  await server.refresh();
  expect(await client.first(1)).toEqual(published);
});

test.each([
  ['revoked', {}, 'revoked_key'],
  ['expired', { expires_ms: AS_OF_MS + 5_000 }, 'expired_key'],
] as const)(
  'a key that is %s meanwhile opens nothing, and is refused before the lookup ends',
  async (_, more, code) => {
    const key = await fixture.key('team', { id: 'key_leaving', ...more });
    const staying = await fixture.key('team');
    const server = await serve();
    const refused = refusalOf(server.url, { key, query });
    const closed = endForBrowser(server.url, { query: `${query}&token=${key}` });
    const stays = openStream(server.url, { key: staying, query });
    await lookups.begun(3);
    if (code === 'revoked_key') await (await fixture.store()).keys.revoke('key_leaving', actorAt(AS_OF_MS));
    else fixture.nowMs = AS_OF_MS + 5_000;
    clock.pass(1);
    expect(await refused).toMatchObject({ status: 401, body: { error: { code } } });
    expect(await closed).toMatchObject({ code: 4001, reason: expect.stringContaining(code) });
    lookups.end();
    expect(await (await stays).close()).toMatchObject({ code: 1005 });
  },
);

test('a client that leaves meanwhile takes no connection of its plan', async () => {
  const key = await fixture.key('team', { limits: { stream_connections: 1 } });
  const server = await serve();
  const url = `${server.url.replace(/^http/, 'ws')}/v2/ws/risk-events?${query}`;
  const leaving = new WebSocket(url, { headers: { Authorization: `Bearer ${key}` } });
  leaving.on('error', () => undefined);
  const left = new Promise((resolve) => leaving.on('close', resolve));
  await lookups.begun(1);
  leaving.terminate();
  await left;
  lookups.end();
  let code: number | undefined = 4009;
  // Its end is noticed once its connection is written to.
  while (code === 4009) {
    const client = await openStream(server.url, { key });
    const first = client.first(1).then(
      () => undefined,
      () => client.ended.then((ended) => ended.code),
    );
    await fixture.append([eventCandidate(1)]);
    await fixture.publish();
    await server.refresh();
    code = await first;
  }
  expect(code).toBe(undefined);
});

test('a server that stops does not wait for a lookup: its client is asked to come back', async () => {
  const key = await fixture.key('team');
  const server = await serve();
  const refused = refusalOf(server.url, { key, query });
  const closed = endForBrowser(server.url, { query: `${query}&token=${key}` });
  await lookups.begun(2);
  await server.stop();
  expect(await refused).toMatchObject({
    status: 503,
    headers: { 'retry-after': '10' },
    body: { error: { code: 'unavailable' } },
  });
  expect(await closed).toMatchObject({ code: 1013 });
  lookups.end();
});
