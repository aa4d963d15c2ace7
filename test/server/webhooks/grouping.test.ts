// Grouping and quiet hours of a dispatcher over a real store, against a small model that keeps lists of events.
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { SEVERITIES, type Severity } from '../../../schemas/event.ts';
import type { WebhookFormat, WebhookSummary } from '../../../schemas/webhooks.ts';
import type { Grouping, QuietHours, WebhookRecord } from '../../../server/store/webhook-store.ts';
import type { Dispatcher } from '../../../server/webhooks/dispatch.ts';
import { sealTarget } from '../../../server/webhooks/messages/targets.ts';
import { answerOf, DispatchFixture, eventId } from './dispatch-fixture.ts';

const MINUTE_MS = 60_000;
const TYPES = ['oracle.stale', 'mev.spike', 'peg.depeg.start', 'peg.depeg.end'];
const PAIRS = ['peg.depeg.start', 'peg.depeg.end'];

interface ModelEvent {
  readonly id: string;
  readonly type: string;
  readonly subject: string;
  readonly severity: Severity | undefined;
}

interface Options {
  readonly format: WebhookFormat;
  readonly grouping: Grouping | null;
  readonly quiet_hours: QuietHours | null;
}

/** What one message stands for: an event, or several. */
type Message = string;

class Model {
  readonly #options: Options;
  readonly #windows = new Map<string, { endsMs: number; top: number; held: ModelEvent[] }>();
  #quiet: ModelEvent[] = [];
  #singles: ModelEvent[] = [];

  constructor(options: Options) {
    this.#options = options;
  }

  get heldCount(): number {
    const inWindows = [...this.#windows.values()].reduce((sum, { held }) => sum + held.length, 0);
    return inWindows + this.#quiet.length + this.#singles.length;
  }

  /** Messages sent at this time, for events that are new since the last. */
  at(nowMs: number, events: readonly ModelEvent[]): Message[] {
    return [...this.#overdue(nowMs), ...events.flatMap((event) => this.#taken(event, nowMs))];
  }

  #isQuiet(nowMs: number): boolean {
    const { quiet_hours: quiet } = this.#options;
    if (quiet === null) return false;
    const time = new Date(nowMs).toISOString().slice(11, 16);
    return quiet.from < quiet.to
      ? time >= quiet.from && time < quiet.to
      : time >= quiet.from || time < quiet.to;
  }

  #lengthMs = () => (this.#options.grouping?.minutes ?? 0) * MINUTE_MS;

  #overdue(nowMs: number): Message[] {
    const messages: Message[] = [];
    for (const [subject, window] of this.#windows) {
      const isOver = nowMs >= window.endsMs || window.endsMs - nowMs > this.#lengthMs();
      if (!isOver) continue;
      this.#windows.delete(subject);
      if (window.held.length === 0) continue;
      if (this.#isQuiet(nowMs) && !isUrgent(this.#options.quiet_hours, highest(window.held)))
        this.#quiet.push(...window.held);
      else {
        messages.push(summary('webhook.summary', window.held));
        const top = Math.max(...window.held.map(rankOf));
        this.#windows.set(subject, { endsMs: nowMs + this.#lengthMs(), top, held: [] });
      }
    }
    if (this.#isQuiet(nowMs)) return messages;
    messages.push(...this.#singles.map(({ id }) => id));
    if (this.#quiet.length > 0) messages.push(summary('webhook.digest', this.#quiet));
    [this.#singles, this.#quiet] = [[], []];
    return messages;
  }

  #taken(event: ModelEvent, nowMs: number): Message[] {
    const { format, grouping, quiet_hours: quiet } = this.#options;
    const isPair = format !== 'slack' && PAIRS.includes(event.type);
    if (this.#isQuiet(nowMs) && !isUrgent(quiet, event.severity)) {
      if (isPair && event.type === 'peg.depeg.end') return [event.id];
      (isPair ? this.#singles : this.#quiet).push(event);
      return [];
    }
    if (grouping === null || isPair) return [event.id];
    const window = this.#windows.get(event.subject);
    if (window !== undefined && rankOf(event) <= window.top) {
      window.held.push(event);
      return [];
    }
    const next = { endsMs: nowMs + this.#lengthMs(), held: [], ...window, top: rankOf(event) };
    this.#windows.set(event.subject, next);
    return [event.id];
  }
}

const isUrgent = (
  settings: { readonly always_send: readonly Severity[] } | null,
  severity: Severity | undefined,
) =>
  settings !== null &&
  settings.always_send.length > 0 &&
  (severity === undefined || settings.always_send.includes(severity));

/** Undefined if one is unknown. */
function highest(events: readonly ModelEvent[]): Severity | undefined {
  return SEVERITIES[Math.max(...events.map(rankOf))];
}

/** An unknown severity is above all others. */
const rankOf = ({ severity }: ModelEvent): number =>
  severity === undefined ? SEVERITIES.length : SEVERITIES.indexOf(severity);

function summary(type: string, events: readonly ModelEvent[]): Message {
  const ids = events.map(({ id }) => id).toSorted();
  const types = events.map((event) => event.type);
  const counts = [...new Set(types)]
    .sort()
    .map((one) => [one, types.filter((other) => other === one).length]);
  const subjects = new Set(events.map(({ subject }) => subject)).size;
  return JSON.stringify([type, ids.length, ids[0], ids.at(-1), highest(events) ?? null, counts, subjects]);
}

/** A delivery as the model writes it. */
function messageOf({ event_id, body }: { event_id: string; body: Uint8Array | null }): Message {
  if (body === null) return event_id;
  const { type, severity, data } = JSON.parse(Buffer.from(body).toString()) as WebhookSummary;
  const { count, first_event_id, last_event_id, types, subjects_count } = data;
  const counts = Object.entries(types).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([
    type,
    count,
    first_event_id,
    last_event_id,
    severity ?? null,
    counts,
    subjects_count,
  ]);
}

let fixture: DispatchFixture;
beforeEach(async () => {
  fixture = await DispatchFixture.create();
  // What Slack answers.
  fixture.answer = () => answerOf(200, { body: 'ok' });
});
afterEach(() => fixture.remove());

const HOUR: Grouping = { minutes: 60 };
const NIGHT: QuietHours = { time_zone: 'UTC', from: '22:00', to: '07:00', always_send: ['critical'] };

const subscribe = ({ id = 'wh_1', ...options }: Partial<WebhookRecord> = {}) =>
  fixture.subscribe({
    id,
    events: TYPES,
    ...options,
    target:
      options.format === undefined || options.format === 'standard'
        ? null
        : sealTarget(fixture.sealer, id, { url: 'https://chat.example.com/' }),
  });

const append = (n: number, { type, subject, severity }: Omit<ModelEvent, 'id'>) =>
  fixture.log.append(n, { type, subject_id: subject, severity });

const anyEvent = fc.record({
  type: fc.constantFrom(...TYPES),
  subject: fc.constantFrom('peg:a', 'peg:b'),
  severity: fc.constantFrom(...SEVERITIES, undefined),
});
const always = fc.constantFrom<readonly Severity[]>([], ['critical'], ['critical', 'high']);
const anyOptions: fc.Arbitrary<Options> = fc.record({
  format: fc.constantFrom('slack', 'standard'),
  grouping: fc.option(fc.record({ minutes: fc.constantFrom(5, 60, 90) })),
  quiet_hours: fc.option(
    fc.record({
      time_zone: fc.constant('UTC'),
      from: fc.constantFrom('12:30', '22:00'),
      to: fc.constantFrom('07:00', '14:00'),
      always_send: always,
    }),
  ),
});
interface Step {
  readonly minutes: number;
  readonly events: readonly Omit<ModelEvent, 'id'>[];
  readonly restarts: boolean;
}

const anyStep: fc.Arbitrary<Step> = fc.record({
  minutes: fc.constantFrom(0, 0, 1, 4, 5, 30, 59, 60, 61, 600, -1, -30, -600),
  events: fc.array(anyEvent, { maxLength: 4 }),
  restarts: fc.boolean(),
});

/** One subscription and its model, side by side. */
class Comparison {
  readonly model: Model;
  readonly #id: string;
  #seen = 0;

  private constructor(id: string, options: Options) {
    this.#id = id;
    this.model = new Model(options);
  }

  static async start(id: string, options: Options): Promise<Comparison> {
    await subscribe({ id, ...options, starts_after: fixture.log.lastId ?? null });
    return new Comparison(id, options);
  }

  async settle(dispatcher: Dispatcher, { minutes, events }: Omit<Step, 'restarts'>): Promise<void> {
    fixture.nowMs += minutes * MINUTE_MS;
    const next = fixture.log.ids.length + 1;
    const modelEvents = events.map((event, index) => ({ ...event, id: eventId(next + index) }));
    for (const event of modelEvents) append(fixture.log.ids.length + 1, event);
    const expected = this.model.at(fixture.nowMs, modelEvents);
    await dispatcher.settle();
    const rows = (await fixture.deliveries(this.#id)).slice(this.#seen);
    this.#seen += rows.length;
    expect(rows.map(messageOf).toSorted()).toEqual(expected.toSorted());
    expect(rows.every(({ status }) => status === 'delivered')).toBe(true);
  }
}

test('every event is sent once, alone or in a summary, at the time that the model says, across restarts and clock jumps', async () => {
  let subscriptions = 0;
  let dispatcher = fixture.start();
  await dispatcher.settle();
  const restart = async () => {
    await dispatcher.stop();
    dispatcher = fixture.start();
  };
  const steps = fc.array(anyStep, { maxLength: 12 });
  const property = fc.asyncProperty(anyOptions, steps, async (options, all) => {
    const id = `wh_${++subscriptions}`;
    const compared = await Comparison.start(id, options);
    for (const { restarts, ...step } of all) {
      if (restarts) await restart();
      await compared.settle(dispatcher, step);
    }
    while (compared.model.heldCount > 0) await compared.settle(dispatcher, { minutes: 61, events: [] });
    expect((await fixture.store.deliveries.groups()).filter(({ held }) => held !== null)).toEqual([]);
    await fixture.store.webhooks.remove(id, { who: 'test', requestId: null, atMs: fixture.nowMs });
  });
  await fc.assert(property, { numRuns: 150 });
});

test.each(['slack', 'standard'] as const)(
  '5,000 events of two subjects for %s are one message a subject and hour, and one for a rise of the severity',
  async (format) => {
    await subscribe({ format, grouping: HOUR });
    const dispatcher = fixture.start();
    await dispatcher.settle();
    for (let n = 1; n <= 5_000; n++)
      append(n, {
        type: 'oracle.stale',
        subject: `peg:${n % 2}`,
        severity: n === 4_000 || n === 4_002 ? 'high' : 'warn',
      });
    await dispatcher.settle();
    const first = [1, 2, 4_000].map(eventId);
    expect((await fixture.deliveries('wh_1')).map(messageOf)).toEqual(first);
    fixture.nowMs += 60 * MINUTE_MS - 1;
    await dispatcher.settle();
    expect(await fixture.deliveries('wh_1')).toHaveLength(first.length);
    fixture.nowMs += 1;
    await dispatcher.settle();
    const rows = await fixture.deliveries('wh_1');
    expect(rows.slice(first.length).map(messageOf)).toEqual([
      summaryOf(1, 5_000, (n) => n % 2 === 1 && n > 1, 'warn'),
      summaryOf(2, 5_000, (n) => n % 2 === 0 && n > 2 && n !== 4_000, 'high'),
    ]);
    expect(fixture.sent).toHaveLength(rows.length);
  },
);

function summaryOf(from: number, to: number, isIn: (n: number) => boolean, severity: Severity): Message {
  const ids = Array.from({ length: to - from + 1 }, (_, n) => n + from).filter(isIn);
  return JSON.stringify([
    'webhook.summary',
    ids.length,
    eventId(ids[0] ?? 0),
    eventId(ids.at(-1) ?? 0),
    severity,
    [['oracle.stale', ids.length]],
    1,
  ]);
}

describe('an incident', () => {
  test('is opened and closed although its subject is grouped', async () => {
    await subscribe({ format: 'pagerduty', grouping: HOUR });
    const dispatcher = fixture.start();
    await dispatcher.settle();
    for (const [n, type] of ['mev.spike', 'mev.spike', 'peg.depeg.start', 'peg.depeg.end'].entries())
      append(n + 1, { type, subject: 'peg:a', severity: 'info' });
    await dispatcher.settle();
    const bodies = fixture.sent.map(({ body }) => JSON.parse(body.toString()));
    expect(bodies.map(({ event_action }) => event_action)).toEqual(['trigger', 'trigger', 'resolve']);
    expect(bodies[1].dedup_key).toBe(bodies[2].dedup_key);
  });

  test('that begins in quiet hours is opened at their end; one that ends in them is closed at once', async () => {
    await subscribe({ format: 'alertmanager', quiet_hours: { ...NIGHT, from: '11:00', to: '13:00' } });
    const dispatcher = fixture.start();
    await dispatcher.settle();
    append(1, { type: 'peg.depeg.end', subject: 'peg:a', severity: 'info' });
    append(2, { type: 'peg.depeg.start', subject: 'peg:b', severity: 'warn' });
    await dispatcher.settle();
    expect((await fixture.deliveries('wh_1')).map(messageOf)).toEqual([eventId(1)]);
    fixture.nowMs += 60 * MINUTE_MS;
    await dispatcher.settle();
    expect((await fixture.deliveries('wh_1')).map(messageOf)).toEqual([eventId(1), eventId(2)]);
  });
});

test('a retraction and an unknown severity are not held back where critical events are not', async () => {
  await subscribe({ grouping: HOUR, quiet_hours: { ...NIGHT, from: '11:00' } });
  const dispatcher = fixture.start();
  await dispatcher.settle();
  append(1, { type: 'oracle.stale', subject: 'peg:a', severity: undefined });
  fixture.log.append(2, { type: 'oracle.stale', severity: 'info', retracts_event_id: eventId(1) });
  append(3, { type: 'oracle.stale', subject: 'peg:a', severity: 'high' });
  await dispatcher.settle();
  expect((await fixture.deliveries('wh_1')).map(messageOf)).toEqual([eventId(1), eventId(2)]);
});

describe('what is held back', () => {
  const holdTwo = async (options: Partial<Options> = { grouping: HOUR }) => {
    await subscribe(options);
    const dispatcher = fixture.start();
    await dispatcher.settle();
    for (const n of [1, 2, 3]) append(n, { type: 'oracle.stale', subject: 'peg:a', severity: 'warn' });
    await dispatcher.settle();
    return dispatcher;
  };
  const change = (changes: object) =>
    fixture.store.webhooks.change(
      'wh_1',
      { action: 'webhook.update', changes },
      { who: 'test', requestId: null, atMs: fixture.nowMs },
    );

  test('is sent when grouping ends, and skipped with a reason when the subscription is paused', async () => {
    const dispatcher = await holdTwo();
    await change({ grouping: null });
    await dispatcher.settle();
    expect((await fixture.deliveries('wh_1')).map(({ event_type }) => event_type)).toEqual([
      'oracle.stale',
      'webhook.summary',
    ]);
    await change({ grouping: HOUR });
    for (const n of [4, 5]) append(n, { type: 'oracle.stale', subject: 'peg:a', severity: 'warn' });
    await dispatcher.settle();
    await change({ status: 'paused' });
    await dispatcher.settle();
    const [, , , last] = await fixture.deliveries('wh_1');
    expect(last).toMatchObject({
      event_type: 'webhook.summary',
      status: 'skipped',
      error: { code: 'subscription_paused' },
    });
    expect(await fixture.store.deliveries.groups()).toEqual([]);
  });

  test('is forgotten with a deleted subscription', async () => {
    const dispatcher = await holdTwo();
    await fixture.store.webhooks.remove('wh_1', { who: 'test', requestId: null, atMs: fixture.nowMs });
    await dispatcher.settle();
    fixture.nowMs += 90 * MINUTE_MS;
    await dispatcher.settle();
    expect(await fixture.store.deliveries.groups()).toEqual([]);
    expect(fixture.sent).toHaveLength(1);
  });

  test('keeps the replay cursor before it', async () => {
    const dispatcher = await holdTwo();
    append(4, { type: 'oracle.stale', subject: 'peg:a', severity: 'critical' });
    await dispatcher.settle();
    append(5, { type: 'oracle.stale', subject: 'peg:a', severity: 'critical' });
    await dispatcher.settle();
    expect(fixture.sent.at(-1)?.header('Service-Replay-Cursor')).toBe(eventId(1));
  });

  test('is not a test event', async () => {
    const dispatcher = await holdTwo();
    fixture.nowMs += 60 * MINUTE_MS;
    await dispatcher.settle();
    const last = fixture.sent.at(-1);
    expect(last?.header('Service-Delivery-Trigger')).toBe('group');
    expect(last?.header('Service-Event-Test')).toBeUndefined();
    expect(last?.header('webhook-id')).toBe(eventId(2));
    expect(JSON.parse(last?.body.toString() ?? '')).toMatchObject({
      type: 'webhook.summary',
      subject_id: 'peg:a',
      data: {
        count: 2,
        events: `/v2/events?subject=peg%3Aa&type=oracle.stale&from=2026-03-01T12%3A00%3A00Z&to=2026-03-01T12%3A00%3A00Z&as_of=2026-03-01T12%3A00%3A00.000Z&order=asc`,
      },
    });
  });
});
