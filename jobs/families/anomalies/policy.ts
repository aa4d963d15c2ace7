// When a figure counts as an anomaly (decision 25): its distance from its own past in robust deviations, and a minimum size below which
// even a rare move is ignored. For value locked and flows, that size alone gives a warning: on hand-marked incidents this found twice
// as many as requiring a deviation as well, with no false alarm in calm months.
import { definePolicy, oneRow, Strict, Type } from '../../define/policy/define.ts';

const Days = (value: number, description: string) =>
  Type.Integer({ minimum: 2, maximum: 60, default: value, description });
const Deviations = (value: number, grade: string) =>
  Type.Number({
    minimum: 0,
    maximum: 1_000,
    default: value,
    description: `Robust z (distance from the median over 1.4826 × MAD) at which ${grade} begins`,
  });
const Fraction = (value: number, description: string) =>
  Type.Number({ minimum: 0, maximum: 10, default: value, description });
const Usd = (value: number, description: string) =>
  Type.Number({ minimum: 0, maximum: 1e15, default: value, description });

const schema = Strict({
  baseline_days: Days(14, 'Days before the judged day whose median and MAD form the baseline'),
  min_days: Days(10, 'Minimum number of those days with a figure; below it there is no verdict'),
  warn_z: Deviations(3, '`warn`'),
  high_z: Deviations(4, '`high`'),
  critical_z: Deviations(6, '`critical`'),
  reading_max_age_s: Type.Integer({
    minimum: 1,
    maximum: 172_800,
    default: 93_600,
    description:
      'Maximum age of the reading that a figure is compared with; beyond it the event is degraded, seconds',
  }),
  tvl_change: Fraction(0.15, 'Minimum change of value locked against the day before, as a fraction'),
  tvl_tolerance: Fraction(
    0.01,
    'Maximum difference between statements about value locked at one instant, as a fraction of the larger; beyond it they contradict each other',
  ),
  flow_of_tvl: Fraction(0.1, 'Minimum net flow of a day, as a fraction of the value locked the day before'),
  concentration_change: Fraction(
    0.05,
    'Minimum rise of the largest holders’ share against the day before, as a fraction',
  ),
  whale_usd: Usd(1_000_000, 'Minimum size of a transfer, USD'),
  mev_hour_usd: Usd(10_000, 'Minimum extraction of one hour, USD'),
});

export const anomalyPolicy = definePolicy({
  section: 'anomaly',
  schema,
  tables: [oneRow('anomaly', schema)],
});
