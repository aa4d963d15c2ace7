import { test } from 'vitest';
import { landAmounts } from './amounts-run.ts';

test.each([1, 2])('odd amounts land exactly or are refused, and damage no other row: %i threads', (threads) =>
  landAmounts({ rows: 2_500, turns: 1, threads }),
);
