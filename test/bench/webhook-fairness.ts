// W5: how long an event takes from the log to one organisation's receiver, alone, and while a burst of events makes another organisation
// flood the dispatcher and the receivers of a third hang. Rounds take turns; p99s of all their events are compared. BENCH_ROUNDS and
// BENCH_ANSWERS set their number and length.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { secretBinding } from '../../server/store/webhook-store.ts';
import { AddressGuard } from '../../server/webhooks/address-guard.ts';
import { CAPS, Dispatcher } from '../../server/webhooks/dispatch.ts';
import type { EventSource } from '../../server/webhooks/event-feed.ts';
import { Sender } from '../../server/webhooks/send.ts';
import { makeSecret } from '../../server/webhooks/sign.ts';
import { webhookRecord } from '../server/store/webhook-records.ts';
import { testMessages } from '../support/test-messages.ts';
import { actorAt, addKey, openTestStore, TEST_SEALER, type TestStore } from '../support/ops-store.ts';
import { type BenchReport, median } from './report.ts';

const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 5);
const EVENTS = Number(process.env['BENCH_ANSWERS'] ?? 100);
const PAUSE_MS = 20;
const FLOOD_SUBSCRIPTIONS = 10;
const FLOOD_EVENTS = 2_000;
const HANGING_SUBSCRIPTIONS = 10;
const TYPE = { calm: 'peg.depeg.start', flood: 'oracle.stale', hang: 'mev.spike' } as const;

const after = (ms: number, work: () => void) => {
  const timer = setTimeout(work, ms);
  return () => clearTimeout(timer);
};

class GrowingLog implements EventSource {
  readonly asOfMs = 0;
  readonly #events: { id: string; bytes: Buffer }[] = [];

  append(type: string): string {
    const id = `01HZX3K9Q4T2V7B8N6${String(this.#events.length + 1).padStart(8, '0')}`;
    const event = { event_id: id, data: { pad: 'x'.repeat(450) }, subject_id: 's', type };
    this.#events.push({ id, bytes: Buffer.from(JSON.stringify(event)) });
    return id;
  }

  get lastId(): string | undefined {
    return this.#events.at(-1)?.id;
  }

  /** Yields to the event loop, as reading a file does. */
  async envelopes(id: string | undefined, limit: number) {
    await new Promise((resolve) => setImmediate(resolve));
    const start = id === undefined ? 0 : Number(id.slice(18));
    return this.#events.slice(start, start + limit);
  }

  async envelope(id: string) {
    return this.#events[Number(id.slice(18)) - 1]?.bytes;
  }

  idBefore(id: string): string | undefined {
    return this.#events[Number(id.slice(18)) - 2]?.id;
  }
}

async function subscribe(
  { store }: TestStore,
  org: string,
  webhook: { id: string; url: string; type: string },
) {
  const { id, url, type } = webhook;
  const secret = makeSecret((bytes) => Buffer.alloc(bytes, 1));
  const secrets = [{ sealed: TEST_SEALER.seal(Buffer.from(secret), secretBinding(id)), ends_ms: null }];
  await store.webhooks.create(webhookRecord({ id, org, url, events: [type], secrets }), actorAt(0));
}

async function subscribeAll(ops: TestStore, url: string, hangingUrl: string): Promise<void> {
  for (const org of ['calm', 'flood', 'hang']) await addKey(ops.store, 'team', { org });
  await subscribe(ops, 'calm', { id: 'wh_calm', url, type: TYPE.calm });
  for (let n = 0; n < FLOOD_SUBSCRIPTIONS; n++)
    await subscribe(ops, 'flood', { id: `wh_flood${n}`, url, type: TYPE.flood });
  for (let n = 0; n < HANGING_SUBSCRIPTIONS; n++)
    await subscribe(ops, 'hang', { id: `wh_hang${n}`, url: hangingUrl, type: TYPE.hang });
  await ops.store.deliveries.enqueue({ cursor: '', revision: await ops.store.webhooks.revision() }, []);
}

interface Receivers {
  readonly url: string;
  readonly hangingUrl: string;
}

type NoteSent = (eventId: string) => void;

function dispatcherOver(store: TestStore['store'], events: EventSource, noteSent: NoteSent): Dispatcher {
  const guard = new AddressGuard({ resolve: async () => [], isLoopbackAllowed: true });
  const sender = new Sender({ guard, nowMs: Date.now, after, connections: CAPS.perEndpoint });
  return Dispatcher.start({
    store,
    events,
    sender: {
      sweep: () => sender.sweep(),
      close: () => sender.close(),
      async send(post) {
        const outcome = await sender.send(post);
        noteSent(post.headers[post.headers.indexOf('webhook-id') + 1] ?? '');
        return outcome;
      },
    },
    messages: testMessages(Date.now, { info: () => undefined, warn: console.error, error: console.error }),
    sealer: TEST_SEALER,
    nowMs: Date.now,
    random: Math.random,
    after,
    every: (ms, work) => {
      const timer = setInterval(work, ms);
      return () => clearInterval(timer);
    },
    wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    log: { info: () => undefined, warn: () => undefined, error: console.error },
    legacySignature: { state: 'off' },
  });
}

const pause = () => new Promise((resolve) => setTimeout(resolve, PAUSE_MS));

/** Time that an event of the quiet organisation took. */
interface Took {
  readonly wall_ms: number;
  /** CPU time of this process, which does not include other load on the machine. */
  readonly cpu_ms: number;
}

function stopwatch(): () => Took {
  const [startMs, before] = [performance.now(), process.cpuUsage()];
  return () => {
    const { user, system } = process.cpuUsage(before);
    return { wall_ms: performance.now() - startMs, cpu_ms: (user + system) / 1e3 };
  };
}

async function latencies({ url, hangingUrl }: Receivers, isBusy: boolean): Promise<Took[]> {
  const ops = await openTestStore();
  await subscribeAll(ops, url, hangingUrl);
  const log = new GrowingLog();
  const [appended, took] = [new Map<string, () => Took>(), [] as Took[]];
  const dispatcher = dispatcherOver(ops.store, log, (eventId) => {
    const stop = appended.get(eventId);
    if (stop !== undefined) took.push(stop());
  });
  if (isBusy) for (let n = 0; n < FLOOD_EVENTS; n++) log.append(n % 10 === 0 ? TYPE.hang : TYPE.flood);
  dispatcher.wake();
  for (let n = 0; n < EVENTS; n++) {
    appended.set(log.append(TYPE.calm), stopwatch());
    dispatcher.wake();
    await pause();
  }
  while (took.length < EVENTS) await pause();
  await dispatcher.stop();
  await ops.remove();
  return took;
}

const p99 = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.99)] ?? Number.NaN;

async function startReceiver(kind: 'receiver' | 'hanging'): Promise<{ url: string; child: ChildProcess }> {
  const child = fork(new URL('./webhook-child.ts', import.meta.url), [kind]);
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  return { url: `http://127.0.0.1:${port}/`, child };
}

export async function bench(): Promise<BenchReport> {
  const [good, hanging] = await Promise.all([startReceiver('receiver'), startReceiver('hanging')]);
  const receivers = { url: good.url, hangingUrl: hanging.url };
  const [quiet, busy] = [[] as Took[], [] as Took[]];
  try {
    for (let round = 0; round < ROUNDS; round++) {
      quiet.push(...(await latencies(receivers, false)));
      busy.push(...(await latencies(receivers, true)));
    }
  } finally {
    good.child.disconnect();
    hanging.child.disconnect();
  }
  const of = (took: readonly Took[], kind: keyof Took) => took.map((one) => one[kind]);
  const figures = {
    quiet_p50_ms: median(of(quiet, 'wall_ms')),
    quiet_p99_ms: p99(of(quiet, 'wall_ms')),
    busy_p50_ms: median(of(busy, 'wall_ms')),
    busy_p99_ms: p99(of(busy, 'wall_ms')),
    quiet_p50_cpu_ms: median(of(quiet, 'cpu_ms')),
    quiet_p99_cpu_ms: p99(of(quiet, 'cpu_ms')),
    busy_p50_cpu_ms: median(of(busy, 'cpu_ms')),
    busy_p99_cpu_ms: p99(of(busy, 'cpu_ms')),
  };
  const ratios = [
    {
      label: 'W5 p99 of others, busy against quiet',
      value: figures.busy_p99_ms / figures.quiet_p99_ms,
      goal: '≤ 2',
    },
  ];
  return { name: 'webhook-fairness', figures, ratios };
}
