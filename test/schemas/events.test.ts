import { Compile } from 'typebox/compile';
import { describe, expect, test } from 'vitest';
import { EventSchema } from '../../schemas/event.ts';
import { EVENT_CATALOGUE, EVENT_TYPES } from '../../schemas/events.ts';

const event = {
  event_id: '01HZX3K9Q4T2V7B8N6M5P1R0SD',
  type: 'oracle.stale',
  subject_id: 'oracle:ethereum:0xa:AAA-USD',
  ts: '2026-01-31T09:00:00Z',
  data: { stale_age_s: 1, something_new: true },
  meta: { _agentic: { freshness: { status: 'fresh' } } },
};

/** Types that were added to those of the specification. */
const ADDED = [
  'oracle.assumption.broken',
  'oracle.assumption.restored',
  'oracle.path.changed',
  'vault.change.pending',
  'vault.change.executed',
  'vault.change.revoked',
  'vault.share_price.fell',
  'vault.liquidity.low',
];

test('the catalogue has the twenty types of the specification and those added since, each once', () => {
  expect(EVENT_TYPES).toEqual(expect.arrayContaining(ADDED));
  expect(EVENT_TYPES).toHaveLength(20 + ADDED.length);
  expect(new Set(EVENT_TYPES).size).toBe(EVENT_TYPES.length);
});

test('a type with several severities says what decides', () => {
  const silent = EVENT_CATALOGUE.filter(
    ({ severities, severity_rule }) => severities.length > 1 && severity_rule === undefined,
  );
  expect(silent).toEqual([]);
});

describe('the envelope', () => {
  const checker = Compile(EventSchema);

  test('may lack chain, protocol, severity and data quality, and its data may hold more than is described', () => {
    expect(checker.Check(event)).toBe(true);
  });

  test.each([
    ['an id that is not a ULID', { event_id: '1' }],
    ['an unknown severity', { severity: 'fatal' }],
    ['a time without a zone', { ts: '2026-01-31T09:00:00' }],
    ['no freshness', { meta: {} }],
    ['an unknown member', { extra: 1 }],
  ])('is refused with %s', (_, change) => {
    expect(checker.Check({ ...event, ...change })).toBe(false);
  });
});
