// The grades and least sizes of anomalies as a table of one row.
import type { AnomalyPolicy } from '../../schemas/anomaly-policy.ts';
import { definePolicyTable } from '../define.ts';

const NAMES = [
  'baseline_days',
  'min_days',
  'warn_z',
  'high_z',
  'critical_z',
  'reading_max_age_s',
  'tvl_change',
  'flow_of_tvl',
  'concentration_change',
  'whale_usd',
  'mev_hour_usd',
] as const satisfies readonly (keyof AnomalyPolicy)[];

export const anomalyPolicy = definePolicyTable({
  name: 'anomaly_policy',
  columns: NAMES.map((name) => ({ name, type: /_(days|s)$/.test(name) ? 'BIGINT' : 'DOUBLE' }) as const),
  rows: ({ anomaly }) => [NAMES.map((name) => anomaly[name])],
});
