// Where the backlog ends and the live stream begins: clients that disconnect and return at any moment while events are appended
// receive exactly the log.
import { EventEmitter, once } from 'node:events';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { RunningServer } from '../../../server/deps.ts';
import { DEADLINES } from '../../../server/http/protocol-errors.ts';
import { COUNTS } from '../../reliability/counts.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { eventCandidate, ServerFixture } from '../server-fixture.ts';
import { type Asking, HandClock, openStream, type StreamClient } from './stream-client.ts';

const EVENTS = 600;
const RECONNECTS = 20;
/** Generous timeouts: a thousand clients and their server share one process here. */
const PATIENT = { ...DEADLINES, headersMs: 600_000, requestMs: 600_000 };

interface Event {
  readonly event_id: string;
  readonly type: string;
  readonly severity: string;
  readonly subject_id: string;
}

const FILTERS: readonly (readonly [string, (event: Event) => boolean])[] = [
  ['', () => true],
  ['&types=oracle.stale', ({ type }) => type === 'oracle.stale'],
  ['&severity=high,critical&chain=ethereum', ({ severity }) => severity === 'high'],
  ['&subject_id=oracle:ethereum:0xf1:0xf1', ({ subject_id }) => subject_id === 'oracle:ethereum:0xf1:0xf1'],
];

let fixture: ServerFixture;
beforeEach(async () => {
  fixture = await ServerFixture.create();
});
afterEach(() => fixture.remove());

const eventOf = (envelope: string): Event => JSON.parse(envelope) as Event;

/** Appends the log in chunks of random size and notifies `batches` after each. */
async function appendAll(server: RunningServer, batches: Batches, roll: () => number): Promise<string[]> {
  const log: string[] = [];
  while (log.length < EVENTS) {
    const count = Math.min(EVENTS - log.length, 1 + Math.floor(roll() * 30));
    const candidates = Array.from({ length: count }, (_, index) => eventCandidate(1 + log.length + index));
    log.push(...(await fixture.append(candidates)));
    await fixture.publish();
    await server.refresh();
    batches.emit('batch');
  }
  batches.isOver = true;
  batches.emit('end');
  return log;
}

/** Emits every batch; `isOver` after the last. */
class Batches extends EventEmitter {
  isOver = false;
}

/** Retries: with many connections at once, the operating system resets some of them. */
async function openAtLast(url: string, asking: Asking): Promise<StreamClient> {
  for (;;) {
    try {
      return await openStream(url, asking);
    } catch (error) {
      if (!(error instanceof Error && /ECONNRESET|hang up/.test(error.message))) throw error;
    }
  }
}

interface Wanderer {
  readonly open: (since: string) => Promise<StreamClient>;
  readonly batches: Batches;
  readonly roll: () => number;
}

/** Disconnects without a close after some frames or some batch: in the middle of a backlog, of a broadcast, or while idle. */
async function stay(client: StreamClient, { batches, roll }: Wanderer): Promise<void> {
  const patience = batches.isOver ? 0 : Math.floor(roll() * 60);
  await new Promise<void>((resolve) => {
    const onBatch = () => roll() < 0.5 && resolve();
    const onFrame = () => client.frames.length >= patience && resolve();
    batches.on('batch', onBatch);
    batches.once('end', resolve);
    client.socket.on('message', onFrame);
    onFrame();
    void client.ended.then(() => batches.off('batch', onBatch).off('end', resolve));
  });
  client.socket.terminate();
  await client.ended;
}

/** `log` is the whole log, once it has been written. */
async function wander(
  wanderer: Wanderer,
  firstId: string,
  expected: Promise<readonly string[]>,
): Promise<string[]> {
  const got: string[] = [];
  const lastId = () => (got.length === 0 ? firstId : eventOf(got.at(-1) ?? '').event_id);
  for (let visit = 0; visit < RECONNECTS; visit++) {
    const client = await wanderer.open(lastId());
    await stay(client, wanderer);
    got.push(...client.frames);
  }
  const missing = (await expected).length - got.length;
  const client = await wanderer.open(lastId());
  if (missing > 0) await client.first(missing);
  await client.close();
  return [...got, ...client.frames];
}

test('the stream and its resumption together yield exactly the log, whenever a client leaves', async () => {
  const limits = { stream_connections: 100_000, requests_per_minute: 10_000_000 };
  const key = await fixture.key('enterprise', { limits });
  const [first = ''] = await fixture.append([eventCandidate(0)]);
  await fixture.publish();
  const server = await fixture.serve({ anonymousPlan: null, ...new HandClock().deps, deadlines: PATIENT });
  const batches = new Batches().setMaxListeners(0);
  const started = once(batches, 'start');
  const log = started.then(() => appendAll(server, batches, seededRandom(0)));
  const walks = Array.from({ length: COUNTS.streamClients }, async (_, seed) => {
    const [query, isWanted] = FILTERS[seed % FILTERS.length] ?? ['', () => true];
    const open = (since: string) => openAtLast(server.url, { key, query: `since_event_id=${since}${query}` });
    const expected = log.then((all) => all.filter((envelope) => isWanted(eventOf(envelope))));
    const got = await wander(
      { open, batches, roll: seededRandom(seed + 1) },
      eventOf(first).event_id,
      expected,
    );
    expect(got).toEqual(await expected);
    return got.length;
  });
  batches.emit('start');
  const counts = await Promise.all(walks);
  expect(await log).toHaveLength(EVENTS);
  expect(Math.min(...counts)).toBeGreaterThan(EVENTS / 4);
});
