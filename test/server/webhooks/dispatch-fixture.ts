// A dispatcher over a real store, a synthetic event log, a clock that moves only on command, and a function as the receiver.

import type { OpsStore } from '../../../server/store/store.ts';
import { secretBinding, type WebhookRecord } from '../../../server/store/webhook-store.ts';
import { Dispatcher, type DispatcherDeps } from '../../../server/webhooks/dispatch.ts';
import type { EventSource } from '../../../server/webhooks/event-feed.ts';
import type { DeliveryRequest, Outcome } from '../../../server/webhooks/send.ts';
import { testMessages } from '../../support/test-messages.ts';
import { makeSecret } from '../../../server/webhooks/sign.ts';
import { ACTOR, keyRecord, NOW_MS, StoreFixture, sealerOf } from '../store/store-fixture.ts';
import { eventId, webhookRecord } from '../store/webhook-records.ts';

export { eventId } from '../store/webhook-records.ts';

export const TYPES = ['oracle.stale', 'peg.depeg.start'] as const;

export class MadeLog implements EventSource {
  readonly ids: string[] = [];
  readonly #envelopes = new Map<string, Buffer>();
  asOfMs: number | undefined = NOW_MS;
  /** Makes reads of single events fail. */
  fault: Error | undefined;

  /** Appends event number `n`; types alternate unless given. */
  append(n: number, members: object = {}): string {
    const id = eventId(n);
    const type = TYPES[n % 2];
    const text = JSON.stringify({
      event_id: id,
      data: { n },
      subject_id: `subject:${n}`,
      ts: '2026-03-01T12:00:00Z',
      type,
      ...members,
    });
    this.ids.push(id);
    this.#envelopes.set(id, Buffer.from(text));
    return text;
  }

  get lastId(): string | undefined {
    return this.ids.at(-1);
  }

  async envelopes(after: string | undefined, limit: number) {
    const start = after === undefined ? 0 : this.ids.findIndex((id) => id > after);
    if (start === -1) return [];
    return this.ids
      .slice(start, start + limit)
      .map((id) => ({ id, bytes: this.#envelopes.get(id) ?? Buffer.alloc(0) }));
  }

  async envelope(id: string) {
    if (this.fault !== undefined) throw this.fault;
    return this.#envelopes.get(id);
  }

  idBefore(id: string): string | undefined {
    return this.ids.findLast((candidate) => candidate < id);
  }

  remove(id: string): void {
    this.#envelopes.delete(id);
  }
}

export const answerOf = (status: number | null, more: Partial<Outcome> = {}): Partial<Outcome> => ({
  status,
  error:
    status !== null && status < 300
      ? null
      : { code: status === null ? 'timeout' : 'http_status', message: 'no' },
  ...more,
});

export interface Sent extends DeliveryRequest {
  readonly atMs: number;
  readonly header: (name: string) => string | undefined;
}

export class DispatchFixture {
  readonly stores: StoreFixture;
  readonly store: OpsStore;
  readonly log = new MadeLog();
  readonly sealer = sealerOf(1);
  readonly sent: Sent[] = [];
  readonly said: string[] = [];
  nowMs = NOW_MS;
  /** What receivers respond. */
  answer: (post: Sent) => Partial<Outcome> | Promise<Partial<Outcome>> = () => answerOf(200);
  readonly #dispatchers: Dispatcher[] = [];
  #made = 0;

  private constructor(stores: StoreFixture, store: OpsStore) {
    this.stores = stores;
    this.store = store;
  }

  static async create(): Promise<DispatchFixture> {
    const stores = await StoreFixture.create();
    const fixture = new DispatchFixture(stores, await stores.open());
    await fixture.store.keys.create(keyRecord(), ACTOR);
    return fixture;
  }

  async subscribe(change: Partial<WebhookRecord> = {}): Promise<{ id: string; secret: string }> {
    const id = change.id ?? `wh_${++this.#made}`;
    const secret = makeSecret((bytes) => Buffer.alloc(bytes, id));
    const secrets = [{ sealed: this.seal(id, secret), ends_ms: null }];
    await this.store.webhooks.create(webhookRecord({ id, events: [...TYPES], secrets, ...change }), ACTOR);
    return { id, secret };
  }

  seal(id: string, secret: string): Buffer {
    return this.sealer.seal(Buffer.from(secret), secretBinding(id));
  }

  start(more: Partial<DispatcherDeps> = {}): Dispatcher {
    const say = (facts: object, message: string) => this.said.push(`${message} ${JSON.stringify(facts)}`);
    const dispatcher = Dispatcher.start({
      store: this.store,
      events: this.log,
      sender: { send: (post) => this.#send(post), sweep: () => undefined, close: () => undefined },
      messages: testMessages(() => this.nowMs, { info: say, warn: say, error: say }),
      sealer: this.sealer,
      nowMs: () => this.nowMs,
      random: () => 0.5,
      after: (_, work) => {
        const immediate = setImmediate(work);
        return () => clearImmediate(immediate);
      },
      every: () => () => undefined,
      wait: () => new Promise((resolve) => setImmediate(resolve)),
      log: { info: say, warn: say, error: say },
      legacySignature: { state: 'off' },
      ...more,
    });
    this.#dispatchers.push(dispatcher);
    return dispatcher;
  }

  /** Creates a subscription whose receiver fails, and a dispatcher that has sent it the first event. */
  async startFailing(): Promise<Dispatcher> {
    await this.subscribe();
    const dispatcher = this.start();
    await dispatcher.settle();
    this.answer = () => answerOf(500);
    this.log.append(1);
    await dispatcher.settle();
    return dispatcher;
  }

  async #send(post: DeliveryRequest): Promise<Outcome> {
    const header = (name: string) => {
      const at = post.headers.findIndex(
        (text, index) => index % 2 === 0 && text.toLowerCase() === name.toLowerCase(),
      );
      return at === -1 ? undefined : post.headers[at + 1];
    };
    const sent = { ...post, atMs: this.nowMs, header };
    this.sent.push(sent);
    const outcome = await this.answer(sent);
    const status = 200;
    return {
      status,
      error: null,
      retryAfter: undefined,
      body: '',
      endedMs: this.nowMs,
      duration_ms: 0,
      ...outcome,
    };
  }

  /** Event ids sent to a subscription, in order. */
  sentTo(id: string): (string | undefined)[] {
    return this.sent.filter(({ endpoint }) => endpoint === id).map(({ header }) => header('webhook-id'));
  }

  async deliveries(id: string) {
    return (await this.store.deliveries.list(id, { limit: 10_000 })).toReversed();
  }

  async remove(): Promise<void> {
    await Promise.all(this.#dispatchers.map((dispatcher) => dispatcher.stop()));
    await this.stores.remove();
  }
}
