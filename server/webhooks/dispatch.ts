// Delivers events to subscriptions: enqueues new events of the log as deliveries, sends due ones, and stores the results. All durable state
// is in the store; in-memory state can be lost at any moment.
import type { Sealer } from '../store/seal.ts';
import type { OpsStore } from '../store/store.ts';
import { Enqueuer } from './enqueue.ts';
import { EventFeed, type EventSource } from './event-feed.ts';
import { disable, type Housekeeping, housekeep } from './housekeeping.ts';
import type { DispatchLog } from './log.ts';
import { Poster } from './poster.ts';
import type { DeliveryQueue } from './queue.ts';
import { Recorder, type Result } from './recorder.ts';
import { RoundRobin } from './round-robin.ts';
import type { Sender } from './send.ts';
import type { LegacySignature } from './sign.ts';
import { Subscribers } from './subscribers.ts';

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
  readonly sealer: Sealer;
  readonly nowMs: () => number;
  /** 0 inclusive to 1 exclusive. */
  readonly random: () => number;
  readonly after: (ms: number, work: () => void) => () => void;
  readonly every: (ms: number, work: () => void) => () => void;
  readonly wait: (ms: number) => Promise<void>;
  readonly log: DispatchLog;
  /** Whether and how long the deprecated signature header is still sent. */
  readonly legacySignature: LegacySignature;
  readonly caps?: typeof CAPS;
}

export interface Dispatcher {
  /** Reports that there may be new events, or deliveries that a caller requested. */
  wake(): void;
  /** Does all work that can start now. For tests; otherwise `wake` and the clock trigger it. */
  settle(): Promise<void>;
  /** Attempts in progress end or are left to the next start. The caller closes the sender. */
  stop(): Promise<void>;
}

export class Dispatch implements Dispatcher {
  readonly #deps: DispatcherDeps;
  readonly #onLost: () => void;
  readonly #caps: typeof CAPS;
  readonly #feed: EventFeed;
  readonly #turns: RoundRobin;
  readonly #subscribers: Subscribers;
  readonly #enqueuer: Enqueuer;
  readonly #recorder: Recorder;
  readonly #poster: Poster;
  readonly #housekeeping: Housekeeping;
  readonly #cancels: (() => void)[] = [];
  #isLeading = false;
  #isStopping = false;
  #isAskedAgain = false;
  #inFlight = 0;
  /** Attempts that may still be started in this turn of the event loop. */
  #startsLeft = STARTS_A_TURN;
  #reading = 0;
  #onIdle: (() => void) | undefined;
  #round: Promise<void> | undefined;
  #keeping: Promise<void> | undefined;
  #disabling: Promise<void> = Promise.resolve();
  #fault: string | undefined;

  /** `onLost`: called when another process may dispatch from now on, which makes the in-memory state stale. */
  constructor(deps: DispatcherDeps, onLost: () => void) {
    this.#deps = deps;
    this.#onLost = onLost;
    this.#caps = deps.caps ?? CAPS;
    this.#feed = new EventFeed(deps.events);
    this.#turns = new RoundRobin(this.#caps.perOrg);
    this.#subscribers = new Subscribers({ ...deps, maxPerEndpoint: this.#caps.perEndpoint });
    this.#enqueuer = new Enqueuer({ ...deps, feed: this.#feed, subscribers: this.#subscribers });
    const { deliveries } = deps.store;
    this.#recorder = new Recorder({ ...deps, deliveries, onWritten: (results) => this.#written(results) });
    const [feed, recorder] = [this.#feed, this.#recorder];
    this.#poster = new Poster({ ...deps, feed, recorder, tell: (error) => this.#tell(error) });
    this.#housekeeping = { ...deps, subscribers: this.#subscribers, lackingSinceMs: new Map() };
  }

  start(): void {
    this.#cancels.push(this.#deps.every(TICK_MS, () => this.wake()));
    this.#cancels.push(this.#deps.every(HOUSEKEEPING_MS, () => this.#housekeep()));
    this.wake();
  }

  wake(): void {
    if (this.#isStopping) return;
    if (this.#round !== undefined) {
      this.#isAskedAgain = true;
      return;
    }
    this.#isAskedAgain = false;
    this.#round = this.#runRound()
      .then(() => {
        this.#fault = undefined;
      })
      .catch((error: unknown) => this.#tell(error))
      .finally(() => {
        this.#round = undefined;
        if (this.#isAskedAgain && this.#fault === undefined) this.wake();
      });
  }

  async settle(): Promise<void> {
    this.wake();
    while (this.#round !== undefined) await this.#round;
    while (!this.#isIdle) await this.#idle();
    await this.#recorder.flush();
    await this.#disabling;
    this.#housekeep();
    await this.#keeping;
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    for (const cancel of this.#cancels) cancel();
    await this.#round;
    await this.#keeping;
    await Promise.race([this.#idle(), this.#deps.wait(DRAIN_MS)]);
    this.#poster.abandon();
    await this.#recorder.flush().catch((error: unknown) => {
      this.#deps.log.error(
        { err: error },
        'the last deliveries could not be recorded; they may be sent again',
      );
    });
    await this.#disabling;
  }

  /** Reports the same fault only once. */
  #tell(error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    if (message !== this.#fault)
      this.#deps.log.warn({ err: error }, 'webhooks cannot be dispatched now; they are waiting');
    this.#fault = message;
  }

  async #runRound(): Promise<void> {
    if (!(await this.#leads())) return;
    await this.#subscribers.refresh();
    while (!this.#isStopping && (await this.#enqueuer.enqueueSome())) this.#pump();
    await this.#subscribers.skipClosing();
    this.#pump();
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

  /** Starts attempts that may start, and reads due deliveries for queues that run low. */
  #pump(): void {
    if (this.#isStopping || !this.#isLeading || !this.#feed.isKnown) return;
    const nowMs = this.#deps.nowMs();
    for (const queue of this.#subscribers.queues) {
      this.#readWanted(queue, nowMs);
      if (queue.isReady(nowMs)) this.#turns.offer(queue);
    }
    this.#send();
  }

  #send(): void {
    while (this.#inFlight < this.#caps.inFlight && !this.#recorder.isFull && !this.#isStopping) {
      if (this.#startsLeft === 0) return;
      const nowMs = this.#deps.nowMs();
      const queue = this.#turns.next(nowMs);
      if (queue === undefined) return;
      if (this.#startsLeft === STARTS_A_TURN) setImmediate(() => this.#nextTurn());
      this.#startsLeft--;
      this.#inFlight++;
      const delivery = queue.take();
      if (delivery === undefined) this.#ended(queue);
      else void this.#poster.attempt(queue, delivery).finally(() => this.#ended(queue));
    }
  }

  #nextTurn(): void {
    this.#startsLeft = STARTS_A_TURN;
    this.#send();
    if (this.#isIdle) this.#onIdle?.();
  }

  #ended(queue: DeliveryQueue): void {
    this.#inFlight--;
    this.#turns.release(queue);
    this.#readWanted(queue, this.#deps.nowMs());
    this.#send();
    if (this.#isIdle) this.#onIdle?.();
  }

  #readWanted(queue: DeliveryQueue, nowMs: number): void {
    const wanted = this.#isStopping ? 0 : queue.wanted(nowMs);
    if (wanted > 0) void this.#read(queue, wanted);
  }

  async #read(queue: DeliveryQueue, wanted: number): Promise<void> {
    this.#reading++;
    const isRead = await this.#readDue(queue, wanted);
    this.#reading--;
    if (isRead) {
      // More deliveries may have fallen due during the read.
      this.#readWanted(queue, this.#deps.nowMs());
      this.#turns.offer(queue);
    }
    this.#send();
    if (this.#isIdle) this.#onIdle?.();
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
      this.#tell(error);
      return false;
    }
  }

  #written(results: readonly Result[]): void {
    this.#pump();
    for (const { queue, record, disables } of results) {
      // A caller may have changed the URL in the meantime.
      if (disables === undefined || record.status === 'postponed' || queue.record.url !== record.url)
        continue;
      this.#disabling = this.#disabling
        .then(() => disable(this.#housekeeping, queue, disables))
        .catch((error: unknown) => this.#tell(error));
    }
  }

  #housekeep(): void {
    if (!this.#isLeading || this.#keeping !== undefined || this.#isStopping) return;
    this.#turns.sweep();
    this.#deps.sender.sweep();
    this.#keeping = housekeep(this.#housekeeping)
      .catch((error: unknown) => this.#tell(error))
      .finally(() => {
        this.#keeping = undefined;
      });
  }

  get #isIdle(): boolean {
    return this.#inFlight === 0 && this.#reading === 0 && this.#startsLeft === STARTS_A_TURN;
  }

  #idle(): Promise<void> {
    if (this.#isIdle) return Promise.resolve();
    return new Promise((resolve) => {
      this.#onIdle = resolve;
    });
  }
}
