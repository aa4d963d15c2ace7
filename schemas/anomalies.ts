// What is watched for anomalies, as published. A figure without a verdict says why; a score that cannot be computed is null, never 0.
import { Nullable, type Static, Strict, Type, UnixSeconds } from './define.ts';

export const ANOMALY_METRICS = ['tvl', 'flow', 'concentration', 'whale', 'mev'] as const;

export const AnomalyWatchSchema = Strict({
  metric: Type.Enum([...ANOMALY_METRICS], { description: 'Which figure is watched' }),
  chain: Nullable(Type.String({ description: 'Chain; null for a figure over all' })),
  protocol: Nullable(Type.String({ description: 'Protocol' })),
  part: Nullable(Type.String({ description: 'Pool, token or vault; null for the whole protocol' })),
  metric_value: Nullable(Type.Number({ description: 'Last measure, in the unit of the metric' })),
  score: Nullable(Type.Number({ description: 'Robust z of the last measure, with its sign' })),
  baseline_days: Type.Integer({ minimum: 0, description: 'Days that the baseline rests on' }),
  gap: Nullable(
    Type.Enum(['no_reading', 'no_value_before', 'too_few_days', 'no_spread'], {
      description: 'Why there is no verdict',
    }),
  ),
  observed_at: Nullable(UnixSeconds('When the last measure was taken')),
});
export type AnomalyWatch = Static<typeof AnomalyWatchSchema>;
