import { describe, expect, it } from 'vitest';
import type { DuckDb } from '../../../../jobs/engine/duckdb/session.ts';
import type { Row } from '../../../../jobs/engine/rows.ts';
import { detect, detectionWindow } from '../../../../jobs/pipeline/events/emit.ts';

const engineWith = (answers: { readonly [sql: string]: readonly Row[] }) =>
  ({ rows: async (sql: string) => answers[sql] ?? [] }) as unknown as DuckDb;
const query = (type: string, sql = type) => ({ detector: { type }, sql });
const row = (changes: Row = {}): Row => ({
  event_key: 'k',
  event_at: 60,
  subject_id: 'peg:c:S',
  freshness_status: 'fresh',
  ...changes,
});

describe('detection', () => {
  it('builds an envelope from a row: data columns without their prefix, absent members left out', async () => {
    const engine = engineWith({
      t: [row({ severity: 'high', chain: null, doubts: null, data_chain: 'c', data_x: null })],
    });
    expect(await detect(engine, [query('t')])).toEqual([
      {
        key: 't|k',
        event_at: 60,
        type: 't',
        envelope: {
          type: 't',
          severity: 'high',
          subject_id: 'peg:c:S',
          ts: '1970-01-01T00:01:00Z',
          data: { chain: 'c', x: null },
          meta: { _agentic: { freshness: { status: 'fresh' } } },
        },
      },
    ]);
  });

  it('degrades an event with doubts, and names them', async () => {
    const engine = engineWith({ t: [row({ doubts: 'outlier,close_missing' }), row({ doubts: '' })] });
    const [doubted, sound] = await detect(engine, [query('t')]);
    expect(doubted?.envelope).toMatchObject({
      data_quality: 'degraded',
      meta: {
        _agentic: {
          quality_gate: {
            verdict: 'warn',
            checks: [
              { name: 'outlier', verdict: 'warn', detail: 'the source calls its figures an outlier' },
              { name: 'close_missing', verdict: 'warn', detail: 'the day before has no close' },
            ],
          },
        },
      },
    });
    expect(sound?.envelope).not.toHaveProperty('data_quality');
    expect(sound?.envelope['meta']).toEqual({ _agentic: { freshness: { status: 'fresh' } } });
  });

  it('refuses a doubt that is not in the catalogue', async () => {
    const engine = engineWith({ t: [row({ doubts: 'hunch' })] });
    await expect(detect(engine, [query('t')])).rejects.toThrow('event.t.sql: hunch is not a doubt');
  });

  it('carries the status of the input, and refuses a query that states none', async () => {
    const engine = engineWith({ t: [row({ freshness_status: 'stale' })] });
    const [found] = await detect(engine, [query('t')]);
    expect(found?.envelope['meta']).toEqual({ _agentic: { freshness: { status: 'stale' } } });
    for (const freshness_status of [null, '', 'new'])
      await expect(detect(engineWith({ t: [row({ freshness_status })] }), [query('t')])).rejects.toThrow(
        'event.t.sql',
      );
  });

  it('orders candidates by instant, type and key, however the queries returned them', async () => {
    const engine = engineWith({
      b: [
        row({ event_key: '2', event_at: 5 }),
        row({ event_key: '1', event_at: 5 }),
        row({ event_key: '0', event_at: 9 }),
      ],
      a: [row({ event_key: '9', event_at: 5 })],
    });
    const found = await detect(engine, [query('b'), query('a')]);
    expect(found.map(({ key }) => key)).toEqual(['a|9', 'b|1', 'b|2', 'b|0']);
  });

  it('states when an event happened if it was confirmed later, and keeps the order of confirmation', async () => {
    const engine = engineWith({
      t: [row({ event_key: 'a', event_at: 90, occurred_at: 30 }), row({ event_key: 'b', event_at: 60 })],
    });
    const found = await detect(engine, [query('t')]);
    expect(found.map(({ key, envelope }) => [key, envelope['ts']])).toEqual([
      ['t|b', '1970-01-01T00:01:00Z'],
      ['t|a', '1970-01-01T00:00:30Z'],
    ]);
  });

  it('names the event that a row retracts by the key and time under which it was logged', async () => {
    const engine = engineWith({ t: [row({ retracts_key: 'other', retracts_at: 30 })] });
    const [found] = await detect(engine, [query('t')]);
    expect(found?.retracts).toEqual({ key: 't|other', second: 30 });
  });

  it('refuses rows without a key, a subject or an instant, naming the query', async () => {
    for (const column of ['event_key', 'event_at', 'subject_id']) {
      await expect(detect(engineWith({ t: [row({ [column]: null })] }), [query('t')])).rejects.toThrow(
        `event.t.sql: column ${column}`,
      );
    }
  });

  it('covers an interval that is open at its start and closed at its end', () => {
    expect(detectionWindow({ from: 300, to: 600 }, 900)).toEqual({ start: 301, end: 601, now: 900 });
  });
});
