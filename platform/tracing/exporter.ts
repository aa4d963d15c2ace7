// Sends spans to a collector in batches, from a bounded queue, one request at a time. It never throws and nothing waits for it: what the
// queue has no room for, and what the collector does not take in time, is dropped, counted, and reported once.
import { type CollectorAnswer, otlpBody, rejectedIn } from './otlp.ts';
import type { Attributes, Span, SpanSink } from './tracer.ts';

/** Spans that wait; requests may take half of them, so that they never crowd out runs, events and deliveries. */
const MAX_WAITING = 16_384;
const MAX_WAITING_REQUESTS = MAX_WAITING / 2;
const MAX_IN_A_BATCH = 512;
const COLLECT_MS = 2_000;
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 60_000;
/** A batch is given up this long after it was first sent. */
const GIVE_UP_MS = 300_000;
/** The specification of OTLP names these; after all others, sending the same again is of no use. */
const RETRYABLE: ReadonlySet<number> = new Set([429, 502, 503, 504]);

const ENDING = 'the program ends';

export type DropReason = 'queue_full' | 'refused' | 'undelivered';

export interface ExporterDeps {
  /** Posts a body to the collector. Rejects if there is no answer in time, and at once when the signal aborts. */
  readonly post: (body: string, signal: AbortSignal) => Promise<CollectorAnswer>;
  /** Attributes of this process. */
  readonly resource: Attributes;
  /** Monotonic milliseconds. */
  readonly steadyMs: () => number;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  /** Calls back once, unless cancelled before; does not keep the process alive. */
  readonly after: (ms: number, work: () => void) => () => void;
  readonly warn: (message: string) => void;
  readonly limits?: Partial<typeof LIMITS>;
}

const LIMITS = { waiting: MAX_WAITING, requests: MAX_WAITING_REQUESTS, batch: MAX_IN_A_BATCH };

export interface ExportCounts {
  readonly sent: number;
  readonly waiting: number;
  readonly dropped: Readonly<Record<DropReason, number>>;
}

export class SpanExporter implements SpanSink {
  readonly #deps: ExporterDeps;
  readonly #limits: typeof LIMITS;
  #queue: Span[] = [];
  #inFlight = 0;
  #sent = 0;
  readonly #dropped = { queue_full: 0, refused: 0, undelivered: 0 };
  /** What has been reported since the last success. */
  readonly #reported = new Set<DropReason>();
  #cancelTimer: (() => void) | undefined;
  #sending: Promise<void> | undefined;
  /** Ends the pause before the next try. */
  #endPause: (() => void) | undefined;
  #isEnding = false;
  /** Aborts when the time to send what is left is over. */
  readonly #cut = new AbortController();

  constructor(deps: ExporterDeps) {
    this.#deps = deps;
    this.#limits = { ...LIMITS, ...deps.limits };
  }

  get counts(): ExportCounts {
    return {
      sent: this.#sent,
      waiting: this.#queue.length + this.#inFlight,
      dropped: { ...this.#dropped },
    };
  }

  add(span: Span): void {
    const { waiting, requests } = this.#limits;
    const room = span.kind === 'server' ? requests : waiting;
    if (this.#isEnding) this.#drop('undelivered', 1, ENDING);
    else if (this.#queue.length + this.#inFlight < room) this.#enqueue(span);
    else this.#drop('queue_full', 1, 'more spans arrive than the collector takes');
  }

  #enqueue(span: Span): void {
    this.#queue.push(span);
    if (this.#sending !== undefined) return;
    if (this.#queue.length >= this.#limits.batch) this.#start();
    else this.#startLater();
  }

  /** Sends what waits, each batch once, for at most `ms`; what is left is dropped. */
  async stop(ms: number): Promise<void> {
    this.#isEnding = true;
    this.#endPause?.();
    const cancel = this.#deps.after(ms, () => this.#cut.abort());
    // The second time for spans that came when the sending before had just ended.
    for (let times = 0; times < 2; times++) {
      this.#start();
      await this.#sending;
    }
    cancel();
    if (this.#queue.length > 0) this.#drop('undelivered', this.#queue.length, ENDING);
    this.#queue = [];
  }

  #start(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined;
      // A span can come between the last look at the queue and this moment.
      if (this.#queue.length > 0) this.#startLater();
    });
  }

  #startLater(): void {
    this.#cancelTimer ??= this.#deps.after(COLLECT_MS, () => this.#start());
  }

  async #sendAll(): Promise<void> {
    while (this.#queue.length > 0 && !this.#cut.signal.aborted) {
      const spans = this.#queue.splice(0, this.#limits.batch);
      this.#inFlight = spans.length;
      await this.#sendBatch(spans);
      this.#inFlight = 0;
    }
  }

  async #sendBatch(spans: readonly Span[]): Promise<void> {
    const { resource, steadyMs } = this.#deps;
    const body = otlpBody(resource, spans);
    const untilMs = steadyMs() + GIVE_UP_MS;
    for (let tries = 0; ; tries++) {
      const answer = await this.#post(body);
      if (typeof answer !== 'string' && answer.status >= 200 && answer.status < 300)
        return this.#taken(spans.length, rejectedIn(answer.body));
      const why = typeof answer === 'string' ? answer : `the collector answers ${answer.status}`;
      if (typeof answer !== 'string' && !RETRYABLE.has(answer.status))
        return this.#drop('refused', spans.length, why);
      const pauseMs = (typeof answer === 'string' ? undefined : answer.retryAfterMs) ?? this.#pauseMs(tries);
      if (this.#isEnding || steadyMs() + pauseMs > untilMs)
        return this.#drop('undelivered', spans.length, why);
      await this.#pause(pauseMs);
    }
  }

  /** Returns why, if there is no answer. */
  async #post(body: string): Promise<CollectorAnswer | string> {
    try {
      return await this.#deps.post(body, this.#cut.signal);
    } catch (error) {
      return `the collector cannot be reached (${error instanceof Error ? error.message : String(error)})`;
    }
  }

  /** Between half and all of a time that doubles. */
  #pauseMs(tries: number): number {
    return Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** tries) * (0.5 + this.#deps.random() / 2);
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#deps.after(ms, resolve);
      this.#endPause = () => {
        cancel();
        resolve();
      };
    });
  }

  #taken(count: number, rejected: number): void {
    this.#sent += count - Math.min(count, rejected);
    if (rejected > 0) this.#drop('refused', Math.min(count, rejected), 'the collector rejects spans');
    else this.#reported.clear();
  }

  #drop(reason: DropReason, count: number, why: string): void {
    this.#dropped[reason] += count;
    if (this.#reported.has(reason)) return;
    this.#reported.add(reason);
    this.#deps.warn(
      `spans are dropped: ${why}; TRACES_URL names the collector, and the service is not affected`,
    );
  }
}
