import { expect, test } from 'vitest';
import { calibrationGaps } from '../../models/calibration-gaps.ts';

test.each([
  [null, 'not_calibrated', null, null],
  [{ verdict: 'fail', fortnights: 20 }, 'not_calibrated', null, null],
  [{ verdict: 'pass', fortnights: 7 }, 'calibration_short', 2_352, 4_368],
  [{ verdict: 'pass', fortnights: 12 }, 'calibration_short', 4_032, 4_368],
  [{ verdict: 'pass', fortnights: null }, 'calibration_short', null, 4_368],
] as const)('a backtest %j leaves the gap %s', (calibration, gap, have_hours, need_hours) => {
  expect(calibrationGaps(calibration, 'e:m')).toEqual([
    { gap, subject: 'e:m', have_hours, need_hours, share: null },
  ]);
});

test('a pass over half a year leaves none', () => {
  expect(calibrationGaps({ verdict: 'pass', fortnights: 13 })).toEqual([]);
});
