// The consumers of the stream at work: through interruptions and restarts, and by replay while no stream is available.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Client, RefusedError } from '../../packages/client/src/client.ts';
import type { RunningServer } from '../../server/deps.ts';
import { eventCandidate, ServerFixture } from '../server/server-fixture.ts';
import { openStream } from '../server/stream/stream-client.ts';
import { PACKAGES_PYTHON, PYTHON_SOURCE } from './packages-python.ts';

const FOLLOW_PY = new URL('./follow_events.py', import.meta.url).pathname;

let fixture: ServerFixture;
let server: RunningServer;
let key: string;
let count = 0;
const ids: string[] = [];
beforeEach(async () => {
  fixture = await ServerFixture.create();
  key = await fixture.key('team');
  ids.length = 0;
  await append(3);
  server = await serve();
});
afterEach(() => fixture.remove());

const serve = (port = 0) => fixture.serve({ anonymousPlan: null, port });

async function append(many: number): Promise<void> {
  const envelopes = await fixture.append(Array.from({ length: many }, () => eventCandidate(count++)));
  await fixture.publish();
  for (const envelope of envelopes) ids.push((JSON.parse(envelope) as { event_id: string }).event_id);
}

/** A consumer as the ids it has given out so far. */
interface Consumer {
  readonly got: readonly string[];
  /** Resolves when it has given out so many. */
  has(many: number): Promise<void>;
  readonly ended: Promise<unknown>;
}

function consumer(ended: (give: (id: string) => void) => Promise<unknown>): Consumer {
  const got: string[] = [];
  const looks = new Set<() => void>();
  const end = ended((id) => {
    got.push(id);
    for (const look of looks) look();
  });
  const has = (many: number) =>
    new Promise<void>((resolve) => {
      const look = () => got.length >= many && looks.delete(look) && resolve();
      looks.add(look);
      look();
    });
  return { got, has, ended: end };
}

interface Asked {
  readonly withKey: string;
  readonly types?: readonly string[];
  readonly signal: AbortSignal;
}

const inTypescript = ({ withKey, types = [], signal }: Asked): Consumer =>
  consumer(async (give) => {
    const client = new Client({ baseUrl: server.url, key: withKey, retry: { attempts: 1 } });
    const following = { since: ids[0] ?? '', types, signal, pauseMs: () => 20 };
    for await (const { event_id } of client.follow(following)) give(event_id);
  });

const inPython = ({ withKey, types = [], signal }: Asked): Consumer =>
  consumer(async (give) => {
    const args = [FOLLOW_PY, server.url, withKey, ids[0] ?? '', ...types];
    const child = spawn(PACKAGES_PYTHON ?? '', args, {
      env: { ...process.env, PYTHONPATH: PYTHON_SOURCE },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    signal.addEventListener('abort', () => child.kill('SIGINT'));
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
    const code = new Promise<number | null>((resolve) => child.once('close', resolve));
    for await (const line of createInterface({ input: child.stdout })) give(line);
    if ((await code) === 1) throw new Error(said);
  });

const LANGUAGES = [
  ['TypeScript', inTypescript, test],
  ['Python', inPython, test.skipIf(PACKAGES_PYTHON === undefined)],
] as const;

for (const [language, start, testIn] of LANGUAGES) {
  testIn(
    `the consumer in ${language} has every event once, in order, through a restart of the server`,
    async () => {
      const stop = new AbortController();
      const { got, has, ended } = start({ withKey: key, signal: stop.signal });
      await has(2);
      await append(2);
      await server.refresh();
      await has(4);
      const { port } = server;
      await server.stop();
      await append(3);
      server = await serve(port);
      await has(7);
      await append(1);
      await server.refresh();
      await has(8);
      stop.abort();
      await ended;
      expect(got).toEqual(ids.slice(1));
    },
  );

  testIn(`the consumer in ${language} replays as long as no connection is free`, async () => {
    const limited = await fixture.key('analyst', { org: 'small', limits: { stream_connections: 1 } });
    const { port } = server;
    await server.stop();
    server = await serve(port);
    const taken = await openStream(server.url, { key: limited });
    const stop = new AbortController();
    const { got, has, ended } = start({ withKey: limited, types: ['oracle.stale'], signal: stop.signal });
    const wanted = () => ids.slice(1).filter((_, index) => isStale(index + 1));
    await has(wanted().length);
    await append(2);
    await server.refresh();
    await has(wanted().length);
    taken.socket.terminate();
    await append(2);
    await server.refresh();
    await has(wanted().length);
    stop.abort();
    await ended;
    expect(got).toEqual(wanted());
  });

  testIn(`the consumer in ${language} gives up when its key is not good`, async () => {
    const { ended } = start({ withKey: `rk_live_${'x'.repeat(38)}`, signal: new AbortController().signal });
    await expect(ended).rejects.toThrow(
      language === 'TypeScript' ? RefusedError : /RefusedError: .*invalid_key/,
    );
  });
}

/** Whether the event in a place of `ids` is of that type; the first place is number `count - ids.length`. */
const isStale = (index: number): boolean => (count - ids.length + index) % 2 === 1;
