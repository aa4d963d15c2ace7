// Frames that break the protocol or flood the server: each closes with its code, and well-behaved clients lose nothing.
import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunningServer } from '../../../server/deps.ts';
import { eventCandidate, ServerFixture } from '../server-fixture.ts';
import { ATTACKS } from './frame-attacks.ts';
import { clientFrame, openRaw } from './raw-client.ts';
import { HandClock, openStream, type StreamClient } from './stream-client.ts';

let fixture: ServerFixture;
let server: RunningServer;
let key: string;
let healthy: StreamClient;
let count = 1;
beforeAll(async () => {
  fixture = await ServerFixture.create();
  await fixture.append([eventCandidate(0)]);
  await fixture.publish();
  key = await fixture.key('enterprise', { limits: { requests_per_minute: 1_000_000 } });
  server = await fixture.serve({ anonymousPlan: null, ...new HandClock().deps });
  healthy = await openStream(server.url, { key });
});
afterAll(async () => {
  expect(ATTACKS.length).toBeGreaterThanOrEqual(60);
  healthy.socket.terminate();
  await fixture.remove();
});

async function appendOne(): Promise<string> {
  const [envelope = ''] = await fixture.append([eventCandidate(count++)]);
  await fixture.publish();
  await server.refresh();
  return envelope;
}

/** The server learns slightly later than the client that the connection is closed. */
async function triesUntilLetIn(url: string, limited: string): Promise<number> {
  for (let tries = 1; ; tries++) {
    const client = await openStream(url, { key: limited, query: 'control=1' });
    const [frame = ''] = await client.first(1);
    await client.close();
    if (frame.includes('"op":"hello"') || tries === 100) return tries;
  }
}

test.each(ATTACKS)('%s', async (_, bytes, code) => {
  const attacker = await openRaw(server.port, key);
  attacker.socket.write(bytes);
  const before = healthy.frames.length;
  const envelope = await appendOne();
  const seen = await healthy.first(before + 1);
  expect(seen.at(-1)).toBe(envelope);
  if (code === 'lives') {
    await attacker.until((frames) => frames.some(({ payload }) => payload.toString() === envelope));
    expect(attacker.frames().filter(({ opcode }) => opcode === 8)).toEqual([]);
    attacker.socket.destroy();
  } else expect(await attacker.closed).toBe(code);
});

test('a ping is answered with its payload', async () => {
  const client = await openRaw(server.port, key);
  client.socket.write(clientFrame(0x9, 'are you there'));
  await client.until((frames) => frames.some(({ opcode }) => opcode === 0xa));
  expect(
    client
      .frames()
      .find(({ opcode }) => opcode === 0xa)
      ?.payload.toString(),
  ).toBe('are you there');
  client.socket.destroy();
});

test.each(['resetAndDestroy', 'destroy', 'end'] as const)(
  'a connection closed by %s in the middle of a frame is removed',
  async (way) => {
    const limited = await fixture.key('analyst', {
      org: `leaving-${way}`,
      limits: { stream_connections: 1 },
    });
    await server.refresh();
    const other = await fixture.serve({ anonymousPlan: null, ...new HandClock().deps });
    for (let visit = 0; visit < 3; visit++) {
      const client = await openRaw(other.port, limited);
      client.socket.write(clientFrame(0x1, 'hello').subarray(0, 4));
      const gone = once(client.socket, 'close');
      client.socket[way]();
      await gone;
      expect(await triesUntilLetIn(other.url, limited)).toBeLessThan(100);
    }
  },
);
