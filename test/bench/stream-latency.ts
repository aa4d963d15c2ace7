// How long an event takes from its publication to a client, over a real folder, a real server and a real socket.
import { setTimeout as wait } from 'node:timers/promises';
import { eventCandidate, World } from '../server/published-world.ts';
import { openStream } from '../server/stream/stream-client.ts';

const EVENTS = 100;
/** No multiple of the server's poll, so that publications fall anywhere in it. */
const PAUSE_MS = 137;

function every(ms: number, work: () => void): () => void {
  const timer = setInterval(work, ms);
  return () => clearInterval(timer);
}

export async function publishedToSocketMs(): Promise<readonly number[]> {
  const world = await World.create();
  try {
    await world.append([eventCandidate(0)]);
    await world.publish();
    const key = await world.key('team');
    const server = await world.serve({ anonymousPlan: null, every, wait, steadyMs: () => performance.now() });
    const client = await openStream(server.url, { key });
    const latencies: number[] = [];
    for (let n = 1; n <= EVENTS; n++) {
      await world.append([eventCandidate(n)]);
      await world.publish();
      const published = performance.now();
      await client.first(n);
      latencies.push(performance.now() - published);
      await wait(PAUSE_MS);
    }
    client.socket.terminate();
    return latencies;
  } finally {
    await world.remove();
  }
}
