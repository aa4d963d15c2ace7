// Twenty turns at release (`npm run test:reliability -- amounts`), which take twelve minutes of both cores; one turn in CI.
import { test } from 'vitest';
import { COUNTS } from '../../reliability/counts.ts';
import { landAmounts } from './amounts-run.ts';

const ONE_HOUR_MS = 3_600_000;
const turns = COUNTS.amountTurns;

test.each([1, 2])(
  `of 20,000 rows in each of ${turns} turns, odd amounts land exactly or are refused, and damage no other row: %i threads`,
  (threads) => landAmounts({ rows: 20_000, turns, threads }),
  ONE_HOUR_MS,
);
