// One attempt at a delivery: finds the event's bytes, signs and posts them, and says what to record. The recorder writes results to the store
// in groups.
import { traceparentOf } from '../../platform/base/ulid.ts';
import type { SpanSink } from '../../platform/tracing/tracer.ts';
import { isSummaryType, type WebhookFormat } from '../../schemas/webhooks.ts';
import type { Log } from '../log.ts';
import type {
  AttemptRecord,
  DeliveryOrigin,
  DeliveryStore,
  DisabledReason,
  DueDelivery,
  Postponement,
} from '../store/webhook-store.ts';
import { addAttempt, attemptRef } from './attempt-span.ts';
import type { EventFeed } from './event-feed.ts';
import { REJECTED_FORM } from './messages/answers.ts';
import { contentTypeOf, type Messages } from './messages/messages.ts';
import { isSigned } from './messages/targets.ts';
import type { DeliveryQueue, QueuedDelivery } from './queue.ts';
import { verdictOf } from './retry.ts';
import { BLOCKED, type DeliveryRequest, type Sender } from './send.ts';
import { isLegacyShown, type LegacySignature, signatureHeaders } from './sign.ts';

const USER_AGENT = 'defi-risk-data-webhooks/1';
/** Pause before retrying a delivery whose event cannot be read now, without counting an attempt. */
const UNREADABLE_PAUSE_MS = 60_000;

export interface PostDeps {
  readonly feed: EventFeed;
  readonly sender: Pick<Sender, 'send'>;
  readonly messages: Messages;
  readonly nowMs: () => number;
  /** 0 inclusive to 1 exclusive. */
  readonly random: () => number;
  readonly legacySignature: LegacySignature;
  /** Where attempts are recorded as spans. */
  readonly spans?: SpanSink | undefined;
  readonly report: (error: unknown) => void;
}

export interface AttemptResult {
  readonly queue: DeliveryQueue;
  readonly record: AttemptRecord | Postponement;
  /** When the exchange with the receiver ended; undefined if it says nothing about the receiver. */
  readonly endedMs?: number;
  /** Why the subscription must be disabled once this result is written. */
  readonly disables?: DisabledReason | undefined;
}

/** Resolves when the attempt is finished; never throws. The dispatcher decides when and how many. */
export function post(deps: PostDeps, taken: QueuedDelivery): Promise<AttemptResult> {
  const { delivery } = taken;
  const body = delivery.body === null ? deps.feed.cached(delivery.event_id) : Buffer.from(delivery.body);
  return body === undefined ? readAndPost(deps, taken) : postBody(deps, taken, body);
}

async function readAndPost(deps: PostDeps, taken: QueuedDelivery): Promise<AttemptResult> {
  const { queue, delivery } = taken;
  const body = await deps.feed.read(delivery.event_id).catch((error: unknown) => {
    deps.report(error);
    return null;
  });
  if (body instanceof Buffer) return postBody(deps, taken, body);
  return { queue, record: body === null ? postponed(delivery, deps.nowMs()) : withoutEvent(delivery) };
}

async function postBody(
  { nowMs, legacySignature, random, sender, messages, spans }: PostDeps,
  { queue, delivery }: QueuedDelivery,
  envelope: Buffer,
): Promise<AttemptResult> {
  const { replayCursor } = queue;
  const { format } = queue.record;
  const body = format === 'standard' ? envelope : await messages.bodyOf(queue, envelope);
  const startedMs = nowMs();
  // A caller may change it during the attempt.
  const { url } = queue.record;
  const request = requestOf({ delivery, queue, body, startedMs, legacySignature });
  const sent = await sender.send(request);
  const outcome = isSigned(format) ? sent : messages.judged(queue, sent);
  const { status, retryAfter, endedMs, error } = outcome;
  const attempt = delivery.attempt + 1;
  const code = error?.code;
  const result = { attempt, status, retryAfter, error: code, isBlocked: code === BLOCKED, endedMs };
  const verdict = verdictOf(result, delivery.most_attempts, random);
  const record: AttemptRecord = {
    id: delivery.id,
    status: verdict.status,
    attempt,
    next_ms: verdict.status === 'retrying' ? verdict.nextMs : null,
    attempted_ms: startedMs,
    duration_ms: Math.round(outcome.duration_ms),
    url,
    response_status: status,
    error,
    response_body: outcome.body === null ? null : startOf(outcome.body),
    replay_cursor: replayCursor === '' ? null : replayCursor,
  };
  if (spans !== undefined) addAttempt(spans, { delivery, webhook: queue.record, record });
  const disables = verdict.status === 'failed' ? verdict.disables : undefined;
  // A form that is wrong is a fault of the service and says nothing about the receiver.
  return { queue, record, disables, ...(code === REJECTED_FORM ? {} : { endedMs }) };
}

const MAX_SHOWN_BYTES = 1_024;

/** A character that is cut becomes a replacement character, or nothing if that would not fit. */
const startOf = (body: string): string => {
  const shown = Buffer.from(body).subarray(0, MAX_SHOWN_BYTES).toString('utf8');
  return Buffer.byteLength(shown) > MAX_SHOWN_BYTES ? shown.replace(/\ufffd$/, '') : shown;
};

export function requestOf(attempt: {
  readonly delivery: DueDelivery;
  readonly queue: DeliveryQueue;
  readonly body: Buffer;
  readonly startedMs: number;
  readonly legacySignature: LegacySignature;
}): DeliveryRequest {
  const { delivery, queue, body, startedMs, legacySignature } = attempt;
  const message = { id: delivery.event_id, body, sentSeconds: Math.floor(startedMs / 1_000) };
  const signatures = signatureHeaders(
    message,
    queue.keys(startedMs),
    isLegacyShown(legacySignature, startedMs),
  );
  const { format } = queue.record;
  const plain = plainHeaders(delivery, { format, attempt: delivery.attempt + 1, cursor: queue.replayCursor });
  const headers = isSigned(format) ? [...plain, ...signatures] : plain;
  return { endpoint: queue.id, url: queue.target.url, headers, body };
}

/** Headers other than signatures, which a delivery record shows. Name, value, name, value. */
export function plainHeaders(
  delivery: Pick<DueDelivery, 'id' | 'event_id' | 'event_type' | 'origin' | 'body'>,
  {
    format,
    attempt,
    cursor,
  }: { readonly format: WebhookFormat; readonly attempt: number; readonly cursor: string },
): string[] {
  return [
    'Content-Type',
    contentTypeOf(format),
    'User-Agent',
    USER_AGENT,
    'Service-Delivery-Id',
    delivery.id,
    'Service-Delivery-Attempt',
    String(attempt),
    'Service-Delivery-Trigger',
    triggerOf(delivery.origin, attempt),
    // Of what is stored with its delivery, everything but summaries is a test event, also when it is redelivered.
    ...(delivery.body === null || isSummaryType(delivery.event_type) ? [] : ['Service-Event-Test', 'true']),
    ...(cursor === '' ? [] : ['Service-Replay-Cursor', cursor]),
    ...traceHeader(delivery, attempt),
  ];
}

/** None for a delivery that is about no single event. */
const traceHeader = (
  delivery: Pick<DueDelivery, 'id' | 'event_id' | 'event_type'>,
  attempt: number,
): string[] => {
  const ref = attemptRef(delivery, attempt);
  return ref === undefined ? [] : ['traceparent', traceparentOf(ref)];
};

export const triggerOf = (origin: DeliveryOrigin, attempt: number) => (attempt > 1 ? 'retry' : origin);

/** A delivery whose event could not be read: postponed, and not counted as an attempt. */
const postponed = ({ id }: DueDelivery, nowMs: number): Postponement => ({
  id,
  status: 'postponed',
  next_ms: nowMs + UNREADABLE_PAUSE_MS,
});

/** A delivery whose event is no longer in the log. */
const withoutEvent = ({ id, attempt }: DueDelivery): AttemptRecord => ({
  id,
  status: 'failed',
  attempt,
  next_ms: null,
  attempted_ms: null,
  duration_ms: null,
  url: null,
  response_status: null,
  error: { code: 'event_gone', message: 'The event log no longer has this event.' },
  response_body: null,
  replay_cursor: null,
});

const GROUP_MS = 20;
const GROUP_SIZE = 100;
const RETRY_MS = 1_000;
const MAX_WAITING = 2_000;

interface RecorderDeps {
  readonly deliveries: Pick<DeliveryStore, 'settle'>;
  readonly after: (ms: number, work: () => void) => () => void;
  readonly log: Log;
  /** Called once the results are in the store. */
  readonly onWritten: (results: readonly AttemptResult[]) => void;
}

/** Writes results of attempts in batches. While the store cannot be written, results wait here and no new attempt starts. */
export class Recorder {
  readonly #deps: RecorderDeps;
  #waiting: AttemptResult[] = [];
  #writing: Promise<void> | undefined;
  #writingCount = 0;
  #cancelTimer: (() => void) | undefined;

  constructor(deps: RecorderDeps) {
    this.#deps = deps;
  }

  get isFull(): boolean {
    return this.#waiting.length + this.#writingCount >= MAX_WAITING;
  }

  add(result: AttemptResult): void {
    const { queue, record, endedMs } = result;
    if (endedMs !== undefined && record.status !== 'postponed')
      queue.note(record.status === 'delivered', record.response_status !== null, endedMs);
    this.#waiting.push(result);
    if (this.#waiting.length >= GROUP_SIZE) void this.#write();
    else this.#writeIn(GROUP_MS);
  }

  /** Writes all results now. @throws the error of the store */
  async flush(): Promise<void> {
    await this.#writing;
    if (this.#waiting.length > 0) await this.#settle();
    this.#cancel();
  }

  #writeIn(ms: number): void {
    this.#cancelTimer ??= this.#deps.after(ms, () => {
      this.#cancelTimer = undefined;
      void this.#write();
    });
  }

  #cancel(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }

  #write(): Promise<void> {
    this.#cancel();
    this.#writing ??= this.#settle()
      .catch((error: unknown) => {
        this.#deps.log.warn({ err: error }, 'deliveries cannot be recorded now; they are kept in memory');
        this.#writeIn(RETRY_MS);
      })
      .finally(() => {
        this.#writing = undefined;
        if (this.#waiting.length > 0) this.#writeIn(GROUP_MS);
      });
    return this.#writing;
  }

  async #settle(): Promise<void> {
    const results = this.#waiting;
    this.#waiting = [];
    this.#writingCount = results.length;
    try {
      const queues = new Set(results.map(({ queue }) => queue));
      await this.#deps.deliveries.settle(
        results.map(({ record }) => record),
        [...queues].map(({ health }) => health),
      );
    } catch (error) {
      this.#waiting = [...results, ...this.#waiting];
      throw error;
    } finally {
      this.#writingCount = 0;
    }
    for (const { queue, record } of results) queue.settled(record.id, record.next_ms);
    this.#deps.onWritten(results);
  }
}
