import { beforeEach, describe, expect, test } from 'vitest';
import { type ExporterDeps, SpanExporter } from '../../../platform/tracing/exporter.ts';
import type { CollectorAnswer } from '../../../platform/tracing/otlp.ts';
import type { Span } from '../../../platform/tracing/tracer.ts';

const span = (n: number, kind: Span['kind'] = 'internal'): Span => ({
  ...{ traceId: n.toString(16).padStart(32, '0'), spanId: n.toString(16).padStart(16, '0'), parentId: null },
  ...{ name: 'run', kind, startMs: 1_000, endMs: 2_000, attributes: {}, isError: false },
});
const answer = (status: number, more: Partial<CollectorAnswer> = {}): CollectorAnswer => ({
  status,
  retryAfterMs: undefined,
  body: '',
  ...more,
});

/** A clock that moves only when a test moves it, and a collector that answers what a test says. */
class Fixture {
  nowMs = 0;
  readonly posted: number[][] = [];
  readonly warnings: string[] = [];
  answer: (signal: AbortSignal) => Promise<CollectorAnswer> = async () => answer(200);
  readonly #timers = new Set<{ readonly atMs: number; readonly work: () => void }>();

  exporter(limits: ExporterDeps['limits'] = {}): SpanExporter {
    return new SpanExporter({
      post: (body, signal) => {
        const { resourceSpans } = JSON.parse(body);
        const spans: { readonly spanId: string }[] = resourceSpans[0].scopeSpans[0].spans;
        this.posted.push(spans.map(({ spanId }) => Number.parseInt(spanId, 16)));
        return this.answer(signal);
      },
      resource: { 'service.name': 'test' },
      steadyMs: () => this.nowMs,
      random: () => 1,
      after: (ms, work) => {
        const timer = { atMs: this.nowMs + ms, work };
        this.#timers.add(timer);
        return () => this.#timers.delete(timer);
      },
      warn: (message) => this.warnings.push(message),
      limits,
    });
  }

  /** Moves the clock, timer by timer. */
  async pass(ms: number): Promise<void> {
    const untilMs = this.nowMs + ms;
    for (;;) {
      await settled();
      const [next] = [...this.#timers].filter(({ atMs }) => atMs <= untilMs).sort((a, b) => a.atMs - b.atMs);
      if (next === undefined) break;
      this.#timers.delete(next);
      this.nowMs = next.atMs;
      next.work();
    }
    this.nowMs = untilMs;
  }
}

const settled = () => new Promise((resolve) => setImmediate(resolve));
const after = async (microtasks: number, work: () => void) => {
  for (let turn = 0; turn < microtasks; turn++) await null;
  work();
};
const many = (count: number, from = 1) => Array.from({ length: count }, (_, index) => from + index);

let fixture: Fixture;
beforeEach(() => {
  fixture = new Fixture();
});

describe('batches', () => {
  test('spans of two seconds are sent together, in their order', async () => {
    const exporter = fixture.exporter();
    for (const n of many(3)) exporter.add(span(n));
    await fixture.pass(1_999);
    expect(fixture.posted).toEqual([]);
    await fixture.pass(1);
    expect(fixture.posted).toEqual([[1, 2, 3]]);
    expect(exporter.counts).toEqual({
      sent: 3,
      waiting: 0,
      dropped: { queue_full: 0, refused: 0, undelivered: 0 },
    });
  });

  test('a full batch is sent at once, and one request is open at a time', async () => {
    let open = 0;
    let most = 0;
    fixture.answer = async () => {
      most = Math.max(most, ++open);
      await settled();
      open--;
      return answer(200);
    };
    const exporter = fixture.exporter({ batch: 4 });
    for (const n of many(10)) exporter.add(span(n));
    await fixture.pass(0);
    for (let turn = 0; turn < 10; turn++) await settled();
    expect(fixture.posted).toEqual([
      [1, 2, 3, 4],
      [5, 6, 7, 8],
      [9, 10],
    ]);
    expect(most).toBe(1);
  });

  // Sending ends some microtasks after the answer.
  test.each([false, true])(
    'a span that comes at any moment after an answer is sent without another one; the program ends then: %s',
    async (isEnd) => {
      for (const microtasks of many(25, 0)) {
        const world = new Fixture();
        const exporter = world.exporter();
        const stopped = Promise.withResolvers<void>();
        world.answer = async () => {
          world.answer = async () => answer(200);
          void after(microtasks, () => {
            exporter.add(span(2));
            stopped.resolve(isEnd ? exporter.stop(3_000) : undefined);
          });
          return answer(200);
        };
        exporter.add(span(1));
        await world.pass(isEnd ? 2_000 : 4_000);
        await stopped.promise;
        expect(world.posted, `${microtasks} microtasks`).toEqual([[1], [2]]);
        expect(exporter.counts).toMatchObject({ sent: 2, waiting: 0 });
      }
    },
  );
});

describe('a collector in trouble', () => {
  const refused = async () => {
    throw new Error('connect ECONNREFUSED');
  };

  test.each([429, 502, 503, 504])('%i is tried again until it takes the same spans', async (status) => {
    let tries = 0;
    fixture.answer = async () => answer(++tries < 3 ? status : 200);
    const exporter = fixture.exporter();
    exporter.add(span(1));
    await fixture.pass(2_000 + 1_000 + 2_000);
    expect(fixture.posted).toEqual([[1], [1], [1]]);
    expect(exporter.counts).toMatchObject({ sent: 1, dropped: { undelivered: 0 } });
    expect(fixture.warnings).toEqual([]);
  });

  test('Retry-After is waited for', async () => {
    let tries = 0;
    fixture.answer = async () => (++tries === 1 ? answer(429, { retryAfterMs: 60_000 }) : answer(200));
    const exporter = fixture.exporter();
    exporter.add(span(1));
    await fixture.pass(2_000 + 59_999);
    expect(fixture.posted).toHaveLength(1);
    await fixture.pass(1);
    expect(fixture.posted).toHaveLength(2);
    expect(exporter.counts.sent).toBe(1);
  });

  test.each([301, 400, 401, 404, 413, 500])('%i is not tried again', async (status) => {
    fixture.answer = async () => answer(status);
    const exporter = fixture.exporter();
    exporter.add(span(1));
    await fixture.pass(600_000);
    expect(fixture.posted).toHaveLength(1);
    expect(exporter.counts.dropped).toEqual({ queue_full: 0, refused: 1, undelivered: 0 });
    expect(fixture.warnings).toEqual([expect.stringContaining(`answers ${status}`)]);
  });

  test('what is down for five minutes loses the batch that waited, and gets the next', async () => {
    fixture.answer = refused;
    const exporter = fixture.exporter();
    exporter.add(span(1));
    await fixture.pass(302_000);
    expect(exporter.counts.dropped.undelivered).toBe(1);
    expect(fixture.warnings).toEqual([expect.stringContaining('ECONNREFUSED')]);
    fixture.answer = async () => answer(200);
    exporter.add(span(2));
    await fixture.pass(2_000);
    expect(fixture.posted.at(-1)).toEqual([2]);
    expect(exporter.counts.sent).toBe(1);
  });

  test('the same trouble is reported once, and again after a success', async () => {
    fixture.answer = async () => answer(400);
    const exporter = fixture.exporter();
    for (const n of many(5)) {
      exporter.add(span(n));
      await fixture.pass(2_000);
    }
    expect(fixture.warnings).toHaveLength(1);
    fixture.answer = async () => answer(200);
    exporter.add(span(6));
    await fixture.pass(2_000);
    fixture.answer = async () => answer(400);
    exporter.add(span(7));
    await fixture.pass(2_000);
    expect(fixture.warnings).toHaveLength(2);
    expect(exporter.counts).toMatchObject({ sent: 1, dropped: { refused: 6 } });
  });

  test('spans that it rejects in a response of status 200 are not counted as sent', async () => {
    fixture.answer = async () => answer(200, { body: '{"partialSuccess":{"rejectedSpans":"2"}}' });
    const exporter = fixture.exporter();
    for (const n of many(3)) exporter.add(span(n));
    await fixture.pass(2_000);
    expect(exporter.counts).toMatchObject({ sent: 1, dropped: { refused: 2 } });
  });

  test.each([
    '',
    'null',
    '{}',
    '<html>',
    '{"partialSuccess":{"rejectedSpans":"-1"}}',
    '{"partialSuccess":7}',
  ])('a response of status 200 with the body %j takes all', async (body) => {
    fixture.answer = async () => answer(200, { body });
    const exporter = fixture.exporter();
    exporter.add(span(1));
    await fixture.pass(2_000);
    expect(exporter.counts.sent).toBe(1);
  });
});

describe('bounds', () => {
  test('a full queue drops what comes, and requests may take half of it', async () => {
    fixture.answer = () => new Promise(() => undefined);
    const exporter = fixture.exporter({ waiting: 8, requests: 4, batch: 100 });
    for (const n of many(6)) exporter.add(span(n, 'server'));
    expect(exporter.counts).toMatchObject({ waiting: 4, dropped: { queue_full: 2 } });
    for (const n of many(6, 100)) exporter.add(span(n));
    expect(exporter.counts).toMatchObject({ waiting: 8, dropped: { queue_full: 4 } });
    expect(fixture.warnings).toHaveLength(1);
  });

  test('spans that are being sent take part in the bound', async () => {
    fixture.answer = () => new Promise(() => undefined);
    const exporter = fixture.exporter({ waiting: 4, batch: 2 });
    for (const n of many(2)) exporter.add(span(n));
    await settled();
    for (const n of many(4, 10)) exporter.add(span(n));
    expect(exporter.counts).toMatchObject({ waiting: 4, dropped: { queue_full: 2 } });
  });
});

describe('stopping', () => {
  test('sends what waits', async () => {
    const exporter = fixture.exporter({ batch: 2 });
    exporter.add(span(1));
    await exporter.stop(3_000);
    expect(fixture.posted).toEqual([[1]]);
    exporter.add(span(2));
    expect(exporter.counts).toMatchObject({ sent: 1, dropped: { queue_full: 0, undelivered: 1 } });
    expect(fixture.warnings).toEqual([expect.stringContaining('the program ends')]);
  });

  test('with nothing to send takes no time', async () => {
    await fixture.exporter().stop(3_000);
    expect(fixture.posted).toEqual([]);
  });

  test('does not wait for a pause between tries', async () => {
    fixture.answer = async () => answer(503, { retryAfterMs: 250_000 });
    const exporter = fixture.exporter();
    exporter.add(span(1));
    await fixture.pass(2_000);
    await exporter.stop(3_000);
    expect(exporter.counts).toMatchObject({ waiting: 0, dropped: { undelivered: 1 } });
  });

  test('ends in time when the collector does not answer', async () => {
    fixture.answer = (signal) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('cut'))));
    const exporter = fixture.exporter({ batch: 2 });
    for (const n of many(5)) exporter.add(span(n));
    const stopped = exporter.stop(3_000);
    await fixture.pass(3_000);
    await stopped;
    expect(exporter.counts).toMatchObject({ sent: 0, waiting: 0, dropped: { undelivered: 5 } });
  });
});
