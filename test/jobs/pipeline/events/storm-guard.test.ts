import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Candidate } from '../../../../jobs/pipeline/events/emit.ts';
import { type Span, withoutStorms } from '../../../../jobs/pipeline/events/storm-guard.ts';

const COOLDOWN = 100;
const POLICY = { is_enabled: true, cooldown_s: { guarded: COOLDOWN, off: 0 }, count_reach_s: 250 };

interface Given {
  readonly at: number;
  readonly subject?: string;
  readonly severity?: string;
  readonly type?: string;
}

const candidate = ({ at, subject = 's', severity = 'warn', type = 'guarded' }: Given): Candidate => ({
  key: `${type}|${subject}|${at}|${severity}`,
  event_at: at,
  type,
  envelope: { type, severity, subject_id: subject, data: { at } },
});

/** Provides the candidates of a span as detectors would, and keeps track of how far back they were queried. */
async function guard(all: readonly Candidate[], span: Span = { start: 0, end: 10_000 }, policy = POLICY) {
  const inside = ({ start, end }: Span) => all.filter((one) => one.event_at >= start && one.event_at < end);
  const looked: Span[] = [];
  const kept = await withoutStorms(inside(span), {
    policy,
    span,
    candidates: async (type, wanted) => {
      looked.push(wanted);
      return inside(wanted).filter((one) => one.type === type);
    },
  });
  return { kept, looked };
}

const suppressedOf = (kept: readonly Candidate[]) =>
  kept.map(({ event_at, envelope }) => [
    event_at,
    (envelope['data'] as { readonly suppressed_count?: number }).suppressed_count,
  ]);

const at = (...instants: readonly number[]) => instants.map((instant) => candidate({ at: instant }));

describe('the guard against storms', () => {
  it('passes the first candidate, and then the first one that comes a whole cooldown after the last that passed', async () => {
    const { kept } = await guard(at(0, 1, 99, 100, 150, 199, 200, 500));
    expect(suppressedOf(kept)).toEqual([
      [0, 0],
      [100, 2],
      [200, 2],
      [500, 0],
    ]);
  });

  it('lists the keys of the newest candidates that it held back', async () => {
    const { kept } = await guard(at(0, ...Array.from({ length: 60 }, (_, index) => 1 + index), 100));
    const data = kept.at(-1)?.envelope['data'] as { readonly suppressed_keys: readonly string[] };
    expect(suppressedOf(kept).at(-1)).toEqual([100, 60]);
    expect(data.suppressed_keys).toHaveLength(50);
    expect(data.suppressed_keys.at(-1)).toBe('guarded|s|60|warn');
    expect(kept[0]?.envelope['data']).not.toHaveProperty('suppressed_keys');
  });

  it('can be switched off', async () => {
    const { kept } = await guard(at(0, 1, 2), undefined, { ...POLICY, is_enabled: false });
    expect(suppressedOf(kept)).toEqual([0, 1, 2].map((instant) => [instant, undefined]));
  });

  it('holds back a candidate that is a second too early, and counts it in the next one', async () => {
    expect(suppressedOf((await guard(at(0, 99, 150))).kept)).toEqual([
      [0, 0],
      [150, 1],
    ]);
  });

  it('counts no further back than its limit', async () => {
    expect(suppressedOf((await guard(at(0, 50, 301))).kept)).toEqual([
      [0, 0],
      [301, 0],
    ]);
    expect(suppressedOf((await guard(at(0, 51, 301))).kept).at(-1)).toEqual([301, 1]);
  });

  it('never holds back a candidate that is more severe than the last one that passed', async () => {
    const storm = [
      candidate({ at: 0 }),
      candidate({ at: 10, severity: 'high' }),
      candidate({ at: 20 }),
      candidate({ at: 30, severity: 'high' }),
      candidate({ at: 40, severity: 'critical' }),
    ];
    expect(suppressedOf((await guard(storm)).kept)).toEqual([
      [0, 0],
      [10, 0],
      [40, 2],
    ]);
  });

  it('keeps subjects and types apart, and leaves alone types without a cooldown', async () => {
    const mixed = [
      candidate({ at: 0, subject: 'a' }),
      candidate({ at: 1, subject: 'b' }),
      candidate({ at: 2, type: 'off' }),
      candidate({ at: 3, type: 'off' }),
      candidate({ at: 4, type: 'unknown' }),
    ];
    const { kept, looked } = await guard(mixed);
    expect(suppressedOf(kept)).toEqual([
      [0, 0],
      [1, 0],
      [2, undefined],
      [3, undefined],
      [4, undefined],
    ]);
    expect(looked).toHaveLength(1);
  });

  it('counts by the subject of the guard if a candidate names one', async () => {
    const anomalies = at(0, 10).map((one, index) => ({
      ...one,
      envelope: { ...one.envelope, subject_id: `anomaly:${index}` },
      guard_subject: 'tvl|x',
    }));
    expect((await guard(anomalies)).kept).toHaveLength(1);
  });

  it('never holds back a retraction', async () => {
    const retraction = { ...candidate({ at: 10 }), retracts: { key: 'guarded|s|0|warn', second: 0 } };
    expect((await guard([candidate({ at: 0 }), retraction])).kept).toHaveLength(2);
  });

  it('looks no further back than the silence before the storm, and not at all when nothing is found', async () => {
    expect((await guard(at(100), { start: 5_000, end: 5_300 })).looked).toEqual([]);
    expect((await guard(at(4_000, 5_000), { start: 5_000, end: 5_300 })).looked).toEqual([
      { start: 4_500, end: 5_300 },
    ]);
    const long = at(...Array.from({ length: 100 }, (_, index) => 50 * index));
    expect((await guard(long, { start: 4_900, end: 5_000 })).looked).toHaveLength(5);
  });

  it('finds the same however time is divided', async () => {
    const instants = fc.array(fc.integer({ min: 0, max: 3_000 }), { maxLength: 60 });
    const cuts = fc.array(fc.integer({ min: 1, max: 3_000 }), { maxLength: 8 });
    const words = fc.constantFrom('warn', 'high', 'critical');
    await fc.assert(
      fc.asyncProperty(
        instants,
        cuts,
        fc.array(words, { minLength: 60, maxLength: 60 }),
        async (times, where, severities) => {
          const all = [...new Set(times)]
            .sort((a, b) => a - b)
            .map((time, index) =>
              candidate({ at: time, severity: severities[index] ?? 'warn', subject: `s${index % 2}` }),
            );
          const whole = (await guard(all, { start: 0, end: 3_001 })).kept;
          const ends = [...new Set(where)].sort((a, b) => a - b).concat(3_001);
          const pieces: Candidate[] = [];
          for (const [index, end] of ends.entries())
            pieces.push(...(await guard(all, { start: ends[index - 1] ?? 0, end })).kept);
          expect(pieces).toEqual(whole);
        },
      ),
      { numRuns: 300, seed: 7 },
    );
  });
});
