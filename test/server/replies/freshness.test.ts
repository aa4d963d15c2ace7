import { expect, test } from 'vitest';
import { NO_SOURCE } from '../../../schemas/provenance.ts';
import { freshnessAt } from '../../../server/replies/freshness.ts';

const computed_at = '2026-03-10T09:30:00Z';
const dataset = (...reasons: string[]) => ({
  computed_at,
  update_cadence_seconds: 300,
  confidence: { score: 1, level: 'high' as const, inputs_used: 1, inputs_expected: 1, reasons },
});
const at = (seconds: number) => Date.parse(computed_at) + seconds * 1000;

test.each([
  [0, 'fresh'],
  [330, 'fresh'],
  [331, 'aging'],
  [600, 'aging'],
  [601, 'stale'],
])('%i s after it was computed it is %s', (seconds, status) => {
  const freshness = freshnessAt(dataset(), at(seconds));
  expect(freshness).toMatchObject({ status, age_seconds: seconds, next_update_at: '2026-03-10T09:35:00Z' });
});

test('what was computed without a source is neither fresh nor stale, and has no age', () => {
  expect(freshnessAt(dataset(NO_SOURCE), at(0))).toEqual({
    age_seconds: null,
    status: 'unknown',
    update_cadence_seconds: 300,
    next_update_at: null,
    computed_at,
  });
});

test('a table without a source next to others does not make the dataset unknown', () => {
  expect(freshnessAt(dataset(`${NO_SOURCE} for market_oracle`), at(0)).status).toBe('fresh');
});
