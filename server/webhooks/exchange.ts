// What happens after a POST was sent: reads the response up to a limit, and turns every way it can end into one outcome.
import type { Dispatcher } from 'undici';
import { type AttemptError, failureOf } from './send-failures.ts';

const MAX_READ_BYTES = 4_096;
const MAX_KEPT_BYTES = 1_024;

export interface Outcome {
  /** Status of a response that was read to its end or the limit; otherwise null. */
  readonly status: number | null;
  readonly error: AttemptError | null;
  readonly retryAfter: string | undefined;
  /** The start of the response body as text; null without a response. */
  readonly body: string | null;
  readonly endedMs: number;
  readonly duration_ms: number;
}

export class Exchange implements Dispatcher.DispatchHandler {
  readonly #nowMs: () => number;
  readonly #resolve: (outcome: Outcome) => void;
  readonly #startedMs: number;
  #onEnd: ((isWhole: boolean) => void) | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #status: number | null = null;
  #retryAfter: string | undefined;
  #chunks: Buffer[] = [];
  #read = 0;
  #isOver = false;

  constructor(nowMs: () => number, resolve: (outcome: Outcome) => void) {
    this.#nowMs = nowMs;
    this.#resolve = resolve;
    this.#startedMs = nowMs();
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** `isWhole`: the response was read to its end, so its connection can be reused. */
  onEnd(work: (isWhole: boolean) => void): void {
    this.#onEnd = work;
  }

  expire(limitMs: number): void {
    this.#finish(null, {
      code: 'timeout',
      message: `There was no complete response within ${limitMs / 1_000} s.`,
    });
  }

  fail(error: Error): void {
    this.#finish(null, failureOf(error));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // If waiting for a connection timed out, nothing may be sent.
    if (this.#isOver) controller.abort(new Error('abandoned'));
  }

  onResponseStart(
    _: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    if (status < 200) return;
    this.#status = status;
    const retryAfter = headers['retry-after'];
    this.#retryAfter = typeof retryAfter === 'string' ? retryAfter : retryAfter?.[0];
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#read < MAX_KEPT_BYTES) this.#chunks.push(Buffer.from(chunk.subarray(0, MAX_KEPT_BYTES)));
    this.#read += chunk.length;
    if (this.#read >= MAX_READ_BYTES) this.#answered(false);
  }

  onResponseEnd(): void {
    this.#controller = undefined;
    this.#answered(true);
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#controller = undefined;
    this.fail(error);
  }

  #answered(isWhole: boolean): void {
    const status = this.#status ?? 0;
    const isGood = status >= 200 && status < 300;
    const error = isGood ? null : { code: 'http_status', message: `The receiver returned status ${status}.` };
    this.#finish(status, error, isWhole);
  }

  #finish(status: number | null, error: AttemptError | null, isWhole = false): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#onEnd?.(isWhole);
    const endedMs = this.#nowMs();
    const body = this.#status === null ? null : keptText(this.#chunks);
    this.#chunks = [];
    this.#resolve({
      status,
      error,
      retryAfter: this.#retryAfter,
      body,
      endedMs,
      duration_ms: Math.max(0, endedMs - this.#startedMs),
    });
    // The rest of the response is not read, so the connection is closed.
    this.#controller?.abort(new Error('enough was read'));
  }
}

/** NUL terminates text in some databases. */
const keptText = (chunks: readonly Buffer[]): string =>
  chunks.length === 0
    ? ''
    : Buffer.concat(chunks).subarray(0, MAX_KEPT_BYTES).toString('utf8').replaceAll('\0', '\ufffd');
