// The hub alone, over an in-memory log whose reads finish after a random delay: every interleaving of reading, joining and appending.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { LoggedEnvelope, StretchQuery } from '../../../server/replay/replay-log.ts';
import type { EventFilter } from '../../../server/stream/event-filter.ts';
import type { Batch } from '../../../server/stream/frame.ts';
import { Hub, type Receiver } from '../../../server/stream/hub.ts';

const ALL: EventFilter = {
  types: undefined,
  severities: undefined,
  subject: undefined,
  chain: undefined,
  protocol: undefined,
};
const idOf = (n: number) => String(n).padStart(26, '0');
const turns = async (count: number) => {
  for (let turn = 0; turn < count; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
};

class MemoryLog {
  readonly asOfMs = 0;
  readonly ids: string[] = [];
  readonly #delay: () => number;

  constructor(count: number, delay: () => number) {
    this.#delay = delay;
    this.append(count);
  }

  get lastId(): string | undefined {
    return this.ids.at(-1);
  }

  append(count: number): void {
    for (let n = 0; n < count; n++) this.ids.push(idOf(this.ids.length + 1));
  }

  async envelopes(after: string | undefined, limit: number): Promise<readonly LoggedEnvelope[]> {
    await turns(this.#delay());
    return this.#between(after ?? '', '9').slice(0, Math.min(limit, 3));
  }

  async stretch({ after, upTo, limit }: StretchQuery) {
    const seen = this.#between(after, upTo).slice(0, Math.min(limit, 2));
    await turns(this.#delay());
    return { events: seen, end: seen.at(-1)?.id ?? upTo };
  }

  #between(after: string, upTo: string): LoggedEnvelope[] {
    return this.ids
      .filter((id) => id > after && id <= upTo)
      .map((id) => ({ id, bytes: Buffer.from(`{"event_id":"${id}","type":"t","subject_id":"s:${id}"}`) }));
  }
}

class Reader implements Receiver {
  readonly facts: { readonly after: string };
  readonly got: string[] = [];
  readonly isHalfFull = false;
  readonly #delay: () => number;
  isOpen = true;

  constructor(after: string, delay: () => number) {
    this.facts = { after };
    this.#delay = delay;
  }

  get lastId(): string {
    return this.got.at(-1) ?? this.facts.after;
  }

  send({ frames }: Batch): void {
    if (this.isOpen) this.got.push(...frames.flatMap(({ id }) => id ?? []));
  }

  async room(): Promise<void> {
    await turns(this.#delay());
  }

  close(): void {
    this.isOpen = false;
  }
}

const scene = fc.record({
  before: fc.nat(8),
  delays: fc.array(fc.nat(4), { minLength: 1, maxLength: 7 }),
  steps: fc.array(
    fc.oneof(
      fc.record({ append: fc.integer({ min: 1, max: 7 }) }),
      fc.record({ joinAt: fc.integer({ min: -8, max: 3 }) }),
      fc.record({ turns: fc.nat(4) }),
    ),
    { minLength: 1, maxLength: 25 },
  ),
});

test('a client that joins at any time gets every event after the one it names, once and in order', async () => {
  await fc.assert(
    fc.asyncProperty(scene, async ({ before, delays, steps }) => {
      let turn = 0;
      const delay = () => delays[turn++ % delays.length] ?? 0;
      const log = new MemoryLog(before, delay);
      const hub = new Hub({ events: log, wait: () => turns(1), log: { warn: () => undefined } });
      await hub.wake();
      const readers: Reader[] = [];
      for (const step of steps) {
        if ('turns' in step) await turns(step.turns);
        else if ('append' in step) {
          log.append(step.append);
          void hub.wake();
        } else {
          const number = Math.max(0, log.ids.length + step.joinAt);
          const reader = new Reader(number === 0 ? '' : idOf(number), delay);
          readers.push(reader);
          void hub.follow(reader, ALL);
        }
      }
      log.append(4);
      await hub.wake();
      const isDone = () => readers.every(({ lastId }) => lastId === log.lastId);
      for (let patience = 0; patience < 400 && !isDone(); patience++) await turns(1);
      await turns(10);
      const expected = readers.map(({ facts }) => log.ids.filter((id) => id > facts.after));
      expect(readers.map(({ got }) => got)).toEqual(expected);
    }),
    { numRuns: 300 },
  );
});

test('a client that closes is removed, even while it waits for events or reads its backlog', async () => {
  const log = new MemoryLog(5, () => 2);
  const hub = new Hub({ events: log, wait: () => turns(1), log: { warn: () => undefined } });
  await hub.wake();
  const readers = ['', idOf(5), idOf(99)].map((after) => new Reader(after, () => 1));
  const followed = readers.map((reader) => hub.follow(reader, ALL));
  await turns(1);
  for (const reader of readers) {
    reader.close();
    hub.leave(reader);
  }
  await Promise.all(followed);
  log.append(3);
  await hub.wake();
  expect(readers.map(({ got }) => got.length)).toEqual([expect.any(Number), 0, 0]);
  expect(hub.sent).toBeLessThanOrEqual(5);
});

test('a log that cannot be read is reported once, and the delayed events arrive once it can be', async () => {
  const log = new MemoryLog(1, () => 0);
  const warnings: string[] = [];
  let isBroken = false;
  const read = log.envelopes.bind(log);
  log.envelopes = (after, limit) => (isBroken ? Promise.reject(new Error('EIO')) : read(after, limit));
  const hub = new Hub({
    events: log,
    wait: () => turns(1),
    log: { warn: (_, message) => warnings.push(message) },
  });
  await hub.wake();
  const reader = new Reader(idOf(1), () => 0);
  await hub.follow(reader, ALL);
  isBroken = true;
  log.append(2);
  await hub.wake();
  await hub.wake();
  expect([reader.got, warnings]).toEqual([[], ['new events cannot be read for the stream']]);
  isBroken = false;
  await hub.wake();
  expect(reader.got).toEqual([idOf(2), idOf(3)]);
});

test('a backlog that cannot be read closes its client, which may reconnect', async () => {
  const log = new MemoryLog(3, () => 0);
  log.stretch = () => Promise.reject(new Error('EIO'));
  const hub = new Hub({ events: log, wait: () => turns(1), log: { warn: () => undefined } });
  await hub.wake();
  const reader = new Reader('', () => 0);
  await hub.follow(reader, ALL);
  expect(reader.isOpen).toBe(false);
});
