// Counts requests together with other servers. Requests that arrive while a count is in progress wait and are then counted with one
// statement, so a server runs one statement at a time however many requests it receives. While the database does not respond in time, this
// server counts alone and admits its share of each limit.
import type { CountedRequests, JointCounts, StreamCount } from '../store/joint-counts.ts';

/** The longest a request waits for its count. */
const DEFAULT_ANSWER_MS = 1_000;
const BEAT_MS = 2_000;
const BEATS_PER_REPORT = 5;
const SWEEP_MS = 60_000;

export interface JointCounterDeps {
  readonly counts: JointCounts;
  readonly every: (ms: number, work: () => void) => () => void;
  readonly wait: (ms: number) => Promise<void>;
  /** How long a request waits for its count; default 1,000. */
  readonly answerMs?: number;
  readonly log: { info(facts: object, message: string): void; warn(facts: object, message: string): void };
}

/** `passed`: whether this request passes. */
export type CountResult = Omit<CountedRequests, 'subject' | 'passed'> & { readonly passed: boolean };

interface PendingCount {
  readonly subject: string;
  readonly limit: number;
  /** Undefined if the count is unknown because the server counts alone. */
  readonly resolve: (counted: CountResult | undefined) => void;
}

/** Calls `send` with the open streams of this server while none is being opened or closed, which an older number would undo. */
export type ReportStreams = (send: (streams: readonly StreamCount[]) => Promise<void>) => Promise<void>;

export class JointCounter {
  readonly #deps: JointCounterDeps;
  readonly #cancels: readonly (() => void)[];
  #waiting: PendingCount[] = [];
  #isCounting = false;
  #isBeating = false;
  #isAlone = false;
  #servers = 1;
  #beats = 0;
  #report: ReportStreams = (send) => send([]);

  constructor(deps: JointCounterDeps) {
    this.#deps = deps;
    const { every, counts } = deps;
    void this.#beat();
    this.#cancels = [
      every(BEAT_MS, () => void this.#beat()),
      every(SWEEP_MS, () => void counts.sweep().catch((error) => this.#lose(error))),
    ];
  }

  get isAlone(): boolean {
    return this.#isAlone;
  }

  /** The part of a limit that this server admits while it counts alone. */
  shareOf(limit: number): number {
    return Math.max(1, Math.floor(limit / this.#servers));
  }

  /** Reports the open streams of this server periodically, in case the database lost them. */
  reportStreams(report: ReportStreams): void {
    this.#report = report;
  }

  /** Resolves to undefined if the count cannot be determined in time. */
  take(subject: string, limit: number): Promise<CountResult | undefined> {
    return new Promise((resolve) => {
      this.#waiting.push({ subject, limit, resolve });
      if (!this.#isCounting) void this.#countAll();
    });
  }

  /** The result of `ask`; undefined if the database does not respond in time. */
  async inTime<T>(ask: () => Promise<T>): Promise<T | undefined> {
    if (this.#isAlone) return undefined;
    try {
      return await this.#answered(ask());
    } catch (error) {
      this.#lose(error);
      return undefined;
    }
  }

  async stop(): Promise<void> {
    for (const cancel of this.#cancels) cancel();
    await this.#deps.counts.close();
  }

  async #countAll(): Promise<void> {
    this.#isCounting = true;
    while (this.#waiting.length > 0) {
      const batch = this.#nextBatch();
      const requests = [...batch].map(([subject, asked]) => ({
        subject,
        limit: asked[0]?.limit ?? 0,
        wanted: asked.length,
      }));
      const counted = await this.inTime(() => this.#deps.counts.take(requests));
      for (const one of counted ?? []) share(batch.get(one.subject) ?? [], one);
      if (counted === undefined) for (const { resolve } of [...batch.values()].flat()) resolve(undefined);
    }
    this.#isCounting = false;
  }

  /** All waiting requests, except a subject's requests under another limit, which are counted next. */
  #nextBatch(): Map<string, PendingCount[]> {
    const batch = new Map<string, PendingCount[]>();
    const later: PendingCount[] = [];
    for (const one of this.#waiting) {
      const same = batch.get(one.subject);
      if (same === undefined) batch.set(one.subject, [one]);
      else if (same[0]?.limit === one.limit) same.push(one);
      else later.push(one);
    }
    this.#waiting = later;
    return batch;
  }

  /** One beat at a time: a late failure must not undo the result of a later beat. */
  async #beat(): Promise<void> {
    if (this.#isBeating) return;
    this.#isBeating = true;
    try {
      this.#servers = await this.#answered(this.#deps.counts.beat());
      if (this.#isAlone || this.#beats++ % BEATS_PER_REPORT === 0)
        await this.#report((streams) => this.#answered(this.#deps.counts.setStreams(streams)));
      if (!this.#isAlone) return;
      this.#isAlone = false;
      this.#deps.log.info({ servers: this.#servers }, 'limits are counted with the other servers again');
    } catch (error) {
      this.#lose(error);
    } finally {
      this.#isBeating = false;
    }
  }

  #lose(error: unknown): void {
    if (this.#isAlone) return;
    this.#isAlone = true;
    const facts = { err: error, servers: this.#servers };
    this.#deps.log.warn(
      facts,
      'limits cannot be counted with the other servers; this server admits its share',
    );
  }

  #answered<T>(answer: Promise<T>): Promise<T> {
    const { wait, answerMs = DEFAULT_ANSWER_MS } = this.#deps;
    const late = wait(answerMs).then(() => {
      throw new Error(`The count was not known within ${answerMs} ms.`);
    });
    late.catch(() => undefined);
    answer.catch(() => undefined);
    return Promise.race([answer, late]);
  }
}

/** The earliest requests pass. */
function share(asked: readonly PendingCount[], { passed, used, resetMs }: CountedRequests): void {
  for (const [index, { resolve }] of asked.entries()) {
    const isPassed = index < passed;
    resolve({ passed: isPassed, used: isPassed ? used - passed + index + 1 : used, resetMs });
  }
}
