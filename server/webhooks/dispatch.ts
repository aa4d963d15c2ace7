// Delivers events to subscriptions while this process leads. `Term.#dispatch` shows the path of every delivery: enqueue → take → post →
// record. All durable state is in the store; in-memory state can be lost at any moment.
import { LastFault, serialQueue } from '../../platform/base/tasks.ts';
import type { Log } from '../log.ts';
import type { Sealer } from '../store/seal.ts';
import type { OpsStore } from '../store/store.ts';
import { Enqueuer, Subscribers } from './enqueue.ts';
import { EventFeed, type EventSource } from './event-feed.ts';
import { Housekeeper } from './housekeeping.ts';
import { type AttemptResult, type PostDeps, post, Recorder } from './post.ts';
import { type DeliveryQueue, type QueuedDelivery, RoundRobin } from './queue.ts';
import type { Sender } from './send.ts';
import type { Messages } from './messages/messages.ts';
import type { LegacySignature } from './sign.ts';

const TICK_MS = 250;
const HOUSEKEEPING_MS = 60_000;
const DRAIN_MS = 5_000;
/** Attempts started before other work gets its turn, which bounds the wait of subscriptions with little to send. */
const STARTS_A_TURN = 4;

export const CAPS = { inFlight: 512, perOrg: 64, perEndpoint: 32 };

export interface DispatcherDeps {
  readonly store: OpsStore;
  readonly events: EventSource;
  readonly sender: Pick<Sender, 'send' | 'sweep' | 'close'>;
  readonly messages: Messages;
  readonly sealer: Sealer;
  readonly nowMs: () => number;
  /** 0 inclusive to 1 exclusive. */
  readonly random: () => number;
  readonly after: (ms: number, work: () => void) => () => void;
  readonly every: (ms: number, work: () => void) => () => void;
  readonly wait: (ms: number) => Promise<void>;
  readonly log: Log;
  /** Whether and how long the deprecated signature header is still sent. */
  readonly legacySignature: LegacySignature;
  readonly spans?: PostDeps['spans'];
  readonly caps?: typeof CAPS;
}

/** Dispatches in terms of leading: when another process may lead, the in-memory state is discarded and a new term waits for its turn. */
export class Dispatcher {
  readonly #deps: DispatcherDeps;
  #term: Term;
  /** Settles when terms that were lost have ended. */
  #retiring: Promise<unknown> = Promise.resolve();

  static start(deps: DispatcherDeps): Dispatcher {
    const dispatcher = new Dispatcher(deps);
    dispatcher.#term.start();
    return dispatcher;
  }

  private constructor(deps: DispatcherDeps) {
    this.#deps = deps;
    this.#term = this.#newTerm();
  }

  /** Reports that there may be new events, or deliveries that a caller requested. */
  wake(): void {
    this.#term.wake();
  }

  /** Does all work that can start now. For tests; otherwise `wake` and the clock trigger it. */
  settle(): Promise<void> {
    return this.#term.settle();
  }

  /** Attempts in progress end or are left to the next start. */
  async stop(): Promise<void> {
    await this.#term.stop();
    await this.#retiring;
    this.#deps.sender.close();
  }

  #newTerm(): Term {
    const term = new Term(this.#deps, () => this.#replace(term));
    return term;
  }

  #replace(lost: Term): void {
    this.#deps.log.warn({}, 'this process may no longer dispatch webhooks');
    this.#retiring = Promise.all([this.#retiring, lost.stop()]);
    this.#term = this.#newTerm();
    this.#term.start();
  }
}

/** One term of leading, and the wait for it. Its state is stale once another process may dispatch. */
class Term {
  readonly #deps: DispatcherDeps;
  readonly #onLost: () => void;
  readonly #caps: typeof CAPS;
  readonly #feed: EventFeed;
  readonly #turns: RoundRobin;
  readonly #subscribers: Subscribers;
  readonly #enqueuer: Enqueuer;
  readonly #postDeps: PostDeps;
  readonly #recorder: Recorder;
  readonly #housekeeper: Housekeeper;
  readonly #cancels: (() => void)[] = [];
  #isLeading = false;
  #isStopping = false;
  /** Whether attempts still in progress are left to the next start. */
  #isAbandoned = false;
  /** Whether there may be new events since the last round of enqueuing began. */
  #isWoken = false;
  #inFlight = 0;
  /** Attempts that may still be started in this turn of the event loop. */
  #startsLeft = STARTS_A_TURN;
  #reading = 0;
  #onIdle: (() => void) | undefined;
  #enqueuing: Promise<void> | undefined;
  #cleaning: Promise<void> | undefined;
  readonly #disabling = serialQueue();
  readonly #fault = new LastFault();

  /** `onLost`: called when another process may dispatch from now on. */
  constructor(deps: DispatcherDeps, onLost: () => void) {
    this.#deps = deps;
    this.#onLost = onLost;
    this.#caps = deps.caps ?? CAPS;
    this.#feed = new EventFeed(deps.events);
    this.#turns = new RoundRobin(this.#caps.perOrg);
    this.#subscribers = new Subscribers({ ...deps, maxPerEndpoint: this.#caps.perEndpoint });
    this.#enqueuer = new Enqueuer({ ...deps, feed: this.#feed, subscribers: this.#subscribers });
    this.#postDeps = { ...deps, feed: this.#feed, report: (error) => this.#report(error) };
    const { deliveries } = deps.store;
    this.#recorder = new Recorder({ ...deps, deliveries, onWritten: (results) => this.#written(results) });
    this.#housekeeper = new Housekeeper({ ...deps, queues: () => this.#subscribers.queues });
  }

  start(): void {
    this.#cancels.push(this.#deps.every(TICK_MS, () => this.wake()));
    this.#cancels.push(this.#deps.every(HOUSEKEEPING_MS, () => this.#clean()));
    this.wake();
  }

  wake(): void {
    this.#isWoken = true;
    this.#dispatch();
  }

  /**
   * The path of every delivery. Called whenever a step can continue: on `wake` and by the clock, and when a batch was enqueued, due
   * deliveries were read, an attempt has ended or results were written. No step waits for the next: enqueuing goes on during attempts, and
   * attempts while results are written.
   */
  #dispatch(): void {
    if (this.#isStopping) return;
    this.#enqueue();
    for (const taken of this.#take()) {
      void post(this.#postDeps, taken)
        .then((result) => this.#record(result))
        .finally(() => this.#ended(taken.queue));
    }
  }

  /** Turns new events into deliveries in the store, one round at a time. After a fault, the next round waits for `wake` or the clock. */
  #enqueue(): void {
    if (!this.#isWoken || this.#enqueuing !== undefined) return;
    this.#isWoken = false;
    this.#enqueuing = this.#enqueueAll()
      .then(() => {
        this.#fault.clear();
      })
      .catch((error: unknown) => {
        this.#isWoken = false;
        this.#report(error);
      })
      .finally(() => {
        this.#enqueuing = undefined;
        this.#dispatch();
      });
  }

  async #enqueueAll(): Promise<void> {
    if (!(await this.#leads())) return;
    await this.#subscribers.refresh();
    while (!this.#isStopping && (await this.#enqueuer.enqueueSome())) this.#offerAll();
    await this.#subscribers.skipClosing();
    this.#offerAll();
  }

  /** If the store cannot be queried, another process may already lead. */
  async #leads(): Promise<boolean> {
    let leads = false;
    try {
      leads = await this.#deps.store.deliveries.lead();
      return leads;
    } finally {
      if (leads && !this.#isLeading) this.#deps.log.info({}, 'this process dispatches webhooks');
      if (this.#isLeading && !leads && !this.#isStopping) this.#onLost();
      this.#isLeading = leads;
    }
  }

  /** Gives a turn to every queue with something to send, and reads due deliveries for queues that run low. */
  #offerAll(): void {
    if (this.#isStopping || !this.#isLeading || !this.#feed.isRead) return;
    const nowMs = this.#deps.nowMs();
    for (const queue of this.#subscribers.queues) {
      this.#readAhead(queue, nowMs);
      if (queue.isReady(nowMs)) this.#turns.offer(queue);
    }
    this.#dispatch();
  }

  /** The deliveries whose attempts may start now, in fair order and within all limits. */
  *#take(): Generator<QueuedDelivery> {
    while (this.#inFlight < this.#caps.inFlight && !this.#recorder.isFull && this.#startsLeft > 0) {
      const taken = this.#turns.take(this.#deps.nowMs());
      if (taken === undefined) return;
      if (this.#startsLeft === STARTS_A_TURN) setImmediate(() => this.#nextTurn());
      this.#startsLeft--;
      this.#inFlight++;
      yield taken;
    }
  }

  #nextTurn(): void {
    this.#startsLeft = STARTS_A_TURN;
    this.#dispatch();
    this.#noteIdle();
  }

  #ended(queue: DeliveryQueue): void {
    this.#inFlight--;
    this.#turns.release(queue);
    this.#readAhead(queue, this.#deps.nowMs());
    this.#dispatch();
    this.#noteIdle();
  }

  #readAhead(queue: DeliveryQueue, nowMs: number): void {
    const wanted = this.#isStopping ? 0 : queue.wanted(nowMs);
    if (wanted > 0) void this.#read(queue, wanted);
  }

  async #read(queue: DeliveryQueue, wanted: number): Promise<void> {
    this.#reading++;
    const isRead = await this.#readDue(queue, wanted);
    this.#reading--;
    if (isRead) {
      // More deliveries may have fallen due during the read.
      this.#readAhead(queue, this.#deps.nowMs());
      this.#turns.offer(queue);
    }
    this.#dispatch();
    this.#noteIdle();
  }

  async #readDue(queue: DeliveryQueue, wanted: number): Promise<boolean> {
    const nowMs = this.#deps.nowMs();
    const slice = queue.beginReading(wanted);
    try {
      const read = await this.#deps.store.deliveries.due(queue.id, nowMs, slice);
      const oldest = read.oldest_event_id;
      queue.replayCursor =
        oldest === null ? this.#enqueuer.cursorOf(queue.org) : (this.#feed.idBefore(oldest) ?? '');
      queue.endReading(read);
      return true;
    } catch (error) {
      queue.failReading(nowMs);
      this.#report(error);
      return false;
    }
  }

  /** A shutdown is not a failure of the receiver: the next start sends the delivery again. */
  #record(result: AttemptResult): void {
    if (!this.#isAbandoned) this.#recorder.add(result);
  }

  #written(results: readonly AttemptResult[]): void {
    this.#offerAll();
    for (const { queue, record, disables } of results) {
      // A caller may have changed the URL in the meantime.
      if (disables === undefined || record.status === 'postponed' || queue.record.url !== record.url)
        continue;
      this.#disabling(() => this.#housekeeper.disable(queue, disables)).catch((error: unknown) =>
        this.#report(error),
      );
    }
  }

  #clean(): void {
    if (!this.#isLeading || this.#cleaning !== undefined || this.#isStopping) return;
    this.#turns.sweep();
    this.#deps.sender.sweep();
    this.#cleaning = this.#housekeeper
      .run()
      .catch((error: unknown) => this.#report(error))
      .finally(() => {
        this.#cleaning = undefined;
      });
  }

  /** Reports the same fault only once. */
  #report(error: unknown): void {
    if (this.#fault.note(error) !== undefined)
      this.#deps.log.warn({ err: error }, 'webhooks cannot be dispatched now; they are waiting');
  }

  async settle(): Promise<void> {
    this.wake();
    while (this.#enqueuing !== undefined) await this.#enqueuing;
    while (!this.#isIdle) await this.#idle();
    await this.#recorder.flush();
    await this.#disabling(async () => undefined);
    this.#clean();
    await this.#cleaning;
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    for (const cancel of this.#cancels) cancel();
    await this.#enqueuing;
    await this.#cleaning;
    await Promise.race([this.#idle(), this.#deps.wait(DRAIN_MS)]);
    this.#isAbandoned = true;
    await this.#recorder.flush().catch((error: unknown) => {
      this.#deps.log.error(
        { err: error },
        'the last deliveries could not be recorded; they may be sent again',
      );
    });
    await this.#disabling(async () => undefined);
  }

  get #isIdle(): boolean {
    return this.#inFlight === 0 && this.#reading === 0 && this.#startsLeft === STARTS_A_TURN;
  }

  #noteIdle(): void {
    if (this.#isIdle) this.#onIdle?.();
  }

  #idle(): Promise<void> {
    if (this.#isIdle) return Promise.resolve();
    return new Promise((resolve) => {
      this.#onIdle = resolve;
    });
  }
}
