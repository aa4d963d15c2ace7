import { test } from 'vitest';
import { landAmounts } from './amounts-run.ts';

const ONE_HOUR_MS = 3_600_000;

test.each([1, 2])(
  'of 20,000 rows in twenty landings each, odd amounts land exactly or are refused, and damage no other row: %i threads',
  (threads) => landAmounts({ rows: 20_000, turns: 20, threads }),
  ONE_HOUR_MS,
);
