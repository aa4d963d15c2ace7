// How long an event takes from its publication to a client, over a real folder, a real server and a real socket.
import { setTimeout as wait } from 'node:timers/promises';
import { eventCandidate, ServerFixture } from '../server/server-fixture.ts';
import { openStream } from '../server/stream/stream-client.ts';

const EVENTS = 100;
/** Not a multiple of the server's poll interval, so that publications fall anywhere within it. */
const PAUSE_MS = 137;

function every(ms: number, work: () => void): () => void {
  const timer = setInterval(work, ms);
  return () => clearInterval(timer);
}

export async function publishedToSocketMs(): Promise<readonly number[]> {
  const fixture = await ServerFixture.create();
  try {
    await fixture.append([eventCandidate(0)]);
    await fixture.publish();
    const key = await fixture.key('team');
    const server = await fixture.serve({
      anonymousPlan: null,
      every,
      wait,
      steadyMs: () => performance.now(),
    });
    const client = await openStream(server.url, { key });
    const latencies: number[] = [];
    for (let n = 1; n <= EVENTS; n++) {
      await fixture.append([eventCandidate(n)]);
      await fixture.publish();
      const published = performance.now();
      await client.first(n);
      latencies.push(performance.now() - published);
      await wait(PAUSE_MS);
    }
    client.socket.terminate();
    return latencies;
  } finally {
    await fixture.remove();
  }
}
