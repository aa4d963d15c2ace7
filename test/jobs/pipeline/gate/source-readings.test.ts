import { describe, expect, it } from 'vitest';
import { staleInputs } from '../../../../jobs/pipeline/gate/input-checks.ts';
import { judgeReadings, readSourceReadings } from '../../../../jobs/pipeline/gate/source-readings.ts';

const NOW = 1_000_000;
const source = (change: object) => ({
  source: 'pools',
  table: 'yield_pool',
  state: 'reading',
  reason: null,
  is_on: true,
  every_s: 3_600,
  last_try_at: NOW,
  next_try_at: NOW + 100,
  last_read_at: NOW - 100,
  overdue_at: NOW + 100,
  ...change,
});
const judge = (...sources: ReturnType<typeof source>[]) =>
  judgeReadings({ sources, tables: new Map() }, ['yield_pool', 'yield_coin'], NOW);

describe('the check of live sources', () => {
  it('is not made for data without live sources', () => {
    expect(judge(source({ table: 'vault_log' }))).toEqual({ checks: [], doubts: [] });
  });

  it('passes while all are read in time, even while one waits for its next attempt', () => {
    const { checks, doubts } = judge(source({}), source({ overdue_at: NOW, state: 'failing' }));
    expect(checks).toEqual([{ name: 'every live source is read', verdict: 'pass', detail: null }]);
    expect(doubts).toEqual([]);
  });

  it('names those that are late, with the time and the reason, and lowers the confidence by their share', () => {
    const late = source({ overdue_at: NOW - 1, reason: 'HTTP 500' });
    const { checks, doubts } = judge(source({ source: 'coins', table: 'yield_coin' }), late);
    const words = 'pools (yield_pool) was last read at 1970-01-12T13:45:00Z: HTTP 500';
    expect(checks).toEqual([{ name: 'every live source is read', verdict: 'warn', detail: words }]);
    expect(doubts).toEqual([{ reason: words, weight: 0.5 }]);
  });

  it('one that was never read is named; as a missing input it is not counted twice', () => {
    const { checks, doubts } = judge(source({ last_read_at: null, overdue_at: null }));
    expect(checks[0]?.detail).toBe('pools (yield_pool) has not been read');
    expect(doubts).toEqual([]);
  });

  it('sources that are off are named with what turns them on, and get no pass', () => {
    const { checks } = judge(
      source({ is_on: false, state: 'needs_key', reason: 'set the environment variable K' }),
    );
    expect(checks).toEqual([
      {
        name: 'sources that are off',
        verdict: 'not_evaluated',
        detail: 'pools (yield_pool): set the environment variable K',
      },
    ]);
  });
});

describe('the age of the newest row', () => {
  const maxAges = { yield_pool: 100 };
  const verdict = (last_time: number, reading: object) =>
    staleInputs([{ table: 'yield_pool', last_time }], {
      now: NOW,
      maxAges,
      readings: new Map([
        ['yield_pool', { read_through_at: NOW, accepted_at: null, is_overdue: false, ...reading }],
      ]),
    }).verdict;

  it('ends where reading ended', () => {
    expect(verdict(NOW - 300, { read_through_at: NOW - 200 })).toBe('pass');
    expect(verdict(NOW - 301, { read_through_at: NOW - 200 })).toBe('warn');
  });

  it('is measured by the clock once reading has stopped', () => {
    expect(verdict(NOW - 300, { read_through_at: NOW - 200, is_overdue: true })).toBe('warn');
    expect(verdict(NOW - 300, { read_through_at: null })).toBe('warn');
  });

  it('is zero for rows that a later reading confirmed', () => {
    expect(verdict(NOW - 300, { accepted_at: NOW - 300 })).toBe('pass');
    expect(verdict(NOW - 301, { accepted_at: NOW - 300 })).toBe('warn');
  });
});

it('without computed states there are no readings', async () => {
  const results = { rows: () => Promise.reject(new Error('not asked')) };
  const none = { models: [], events: [], audits: [] };
  expect(await readSourceReadings({ models: none, results })).toEqual({ sources: [], tables: new Map() });
});
