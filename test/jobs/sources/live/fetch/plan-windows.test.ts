// Windows of a source on a chain, minute by minute across midnight. A model of a node serves data up to its final block, as far behind the
// clock as on real chains. Nothing is left out, no reading fails because its window was cut too early, and none is made too often.
import { describe, expect, it, test } from 'vitest';
import type { Window } from '../../../../../jobs/sources/live/fetch/live-source.ts';
import { joined, planWindows, readThrough } from '../../../../../jobs/sources/live/fetch/plan-windows.ts';
import type { Recording } from '../../../../../jobs/sources/live/fetch/recording.ts';
import { sourceOf } from '../fetching-fixture.ts';

const MINUTE = 60;
const HOUR = 3_600;
const DAY = 86_400;
const MIDNIGHT = Date.UTC(2026, 0, 11) / 1000;
const CHAIN = { id: 1, read: 'vault_logs' as const };

const chainSource = (every: string) =>
  sourceOf({
    table: 'vault_log',
    every,
    window: { history: '2d', step: '1d', overlap: '1m' },
    request: { url: 'https://node.example', chain: CHAIN },
  });

/** The recording of a window on a chain whose final block has time `head`. */
function recorded({ from, to, urgency }: Window, now: number, head: number): Recording {
  const isBehind = urgency === 'history' ? head <= from : head < from;
  const end = Math.max(from, Math.min(head, to));
  return {
    outcome: isBehind ? 'failed' : 'accepted',
    urgency,
    window: { from, to: isBehind ? to : end },
    fetched_at: now,
    as_of: isBehind ? now : head,
    retry_at: null,
    block: isBehind ? null : { chain: '1', number: head, hash: '0x', tag: 'finalized' },
  } as unknown as Recording;
}

interface Lived {
  readonly recordings: readonly Recording[];
  /** Minutes after midnight in which a past window was read. */
  readonly past: readonly number[];
  readonly endS: number;
}

/** A process that checks the source every minute, from the first to the last minute relative to midnight. */
function lived(
  every: string,
  [first, last]: readonly [number, number],
  lagOf: (now: number) => number,
): Lived {
  const source = chainSource(every);
  const recordings: Recording[] = [];
  const past: number[] = [];
  let head = 0;
  for (let minute = first; minute <= last; minute++) {
    const now = MIDNIGHT + minute * MINUTE;
    head = Math.max(head, now - lagOf(now));
    const tried = new Set<string>();
    for (;;) {
      const [partition] = source.partitions;
      if (partition === undefined) throw new Error('a source has a partition');
      const windows = planWindows({ source, partition, recordings, now });
      const next = windows.find(({ from, to }) => !tried.has(`${from} ${to}`));
      if (next === undefined) break;
      tried.add(`${next.from} ${next.to}`);
      recordings.push(recorded(next, now, head));
      if (next.urgency === 'history') past.push(minute);
    }
  }
  return { recordings, past, endS: head };
}

const failures = ({ recordings }: Lived) => recordings.filter(({ outcome }) => outcome === 'failed');
const spans = ({ recordings }: Lived) =>
  joined(recordings.filter(({ outcome }) => outcome === 'accepted').map(({ window }) => window));

const LAGS: readonly (readonly [name: string, lagOf: (now: number) => number])[] = [
  ['15 minutes', () => 15 * MINUTE],
  ['13 to 19 minutes', (now) => (13 + ((now / MINUTE) % 7)) * MINUTE],
  ['45 minutes', () => 45 * MINUTE],
  ['three hours', () => 3 * HOUR],
  ['20 hours', () => 20 * HOUR],
];

for (const every of ['1m', '5m', '1h', '6h'])
  describe(`a chain that is read every ${every}`, () => {
    it.each(LAGS)('is read across midnight without a failure, %s behind', (_, lagOf) => {
      const life = lived(every, [-600, 600], lagOf);
      // The first response shows how far behind the chain is.
      expect(failures(life).filter(({ fetched_at }) => fetched_at > MIDNIGHT - 600 * MINUTE)).toEqual([]);
      expect(spans(life)).toHaveLength(1);
      const through = readThrough(life.recordings, true) ?? 0;
      expect(life.endS - through).toBeLessThanOrEqual(chainSource(every).every_s + 6 * MINUTE);
      expect(through).toBeLessThanOrEqual(life.endS);
    });

    it.each(LAGS)('is read in the first minutes of a day, %s behind', (_, lagOf) => {
      for (const minute of [0, 1, 5, 29, 30, 31, 59, 60, 61]) {
        const life = lived(every, [minute, minute + 600], lagOf);
        expect(failures(life).length).toBeLessThanOrEqual(1);
        expect(spans(life)).toHaveLength(1);
        expect(spans(life)[0]?.from).toBeLessThanOrEqual(MIDNIGHT + minute * MINUTE - 2 * DAY);
      }
    });

    it('is read at its pace as far as possible, with named failures, more than a step behind', () => {
      const life = lived(every, [-600, 600], () => 30 * HOUR);
      expect(failures(life).length).toBeGreaterThan(0);
      expect(spans(life)).toHaveLength(1);
      expect(life.endS - (readThrough(life.recordings, true) ?? 0)).toBeLessThanOrEqual(6 * HOUR);
      const { every_s } = chainSource(every);
      const looks = [...new Set(life.past)];
      expect(looks.length).toBeGreaterThan(1);
      const apart = looks.slice(1).map((minute, index) => (minute - (looks[index] ?? 0)) * MINUTE);
      expect(Math.min(...apart)).toBeGreaterThanOrEqual(every_s);
    });

    it('is read to its end when finality stops before midnight and resumes after it', () => {
      const stop = MIDNIGHT - 80 * MINUTE;
      const resumed = MIDNIGHT + 100 * MINUTE;
      const lagOf = (now: number) => 15 * MINUTE + (now > stop && now < resumed ? now - stop : 0);
      const life = lived(every, [-600, 600], lagOf);
      expect(failures(life)).toEqual([]);
      expect(spans(life)).toHaveLength(1);
    });
  });

test('a past window that was read only in part waits, others do not', () => {
  const source = chainSource('1h');
  const [partition] = source.partitions;
  if (partition === undefined) throw new Error('a source has a partition');
  const now = MIDNIGHT + 2 * HOUR;
  const tip = { partition, from: MIDNIGHT, to: now, urgency: 'tip' as const };
  const open = { partition, from: MIDNIGHT - DAY, to: MIDNIGHT, urgency: 'history' as const };
  const recordings = [recorded(tip, now, now - MINUTE), recorded(open, now, MIDNIGHT - 10 * MINUTE)];
  const plan = (at: number) =>
    planWindows({ source, partition, recordings, now: at }).map(({ from, to, urgency }) => [
      urgency,
      from,
      to,
    ]);
  const older = ['history', now + MINUTE - 2 * DAY, MIDNIGHT - DAY];
  expect(plan(now + MINUTE)).toEqual([older]);
  expect(plan(now + HOUR - 1)).toHaveLength(1);
  expect(plan(now + HOUR)).toEqual([
    ['tip', now - 2 * MINUTE, now + HOUR],
    ['history', MIDNIGHT - 11 * MINUTE, MIDNIGHT],
    ['history', now + HOUR - 2 * DAY, MIDNIGHT - DAY],
  ]);
});
