// Figures watched for anomalies, as published. A figure without a verdict states the reason; a score that cannot be computed is null,
// never 0.
import { Nullable, type Static, Strict, Type, UnixSeconds } from './define.ts';
import {
  detected_at,
  type EventSample,
  type EventType,
  Growing,
  MADE_UP_AT,
  sampleOf,
  type Severity,
  suppression,
} from './event.ts';
import { FACTS_ACCESS } from './plans.ts';

export const ANOMALY_METRICS = ['tvl', 'flow', 'concentration', 'whale', 'mev'] as const;

export const AnomalyWatchSchema = Strict({
  metric: Type.Enum([...ANOMALY_METRICS], { description: 'Figure watched' }),
  chain: Nullable(Type.String({ description: 'Chain; null for a figure over all chains' })),
  protocol: Nullable(Type.String({ description: 'Protocol' })),
  part: Nullable(Type.String({ description: 'Pool, token or vault; null for the whole protocol' })),
  metric_value: Nullable(Type.Number({ description: 'Last measure, in the unit of the metric' })),
  score: Nullable(Type.Number({ description: 'Robust z of the last measure, with its sign' })),
  baseline_days: Type.Integer({ minimum: 0, description: 'Number of days in the baseline' }),
  gap: Nullable(
    Type.Enum(
      ['no_reading', 'value_zero', 'sources_contradict', 'no_value_before', 'too_few_days', 'no_spread'],
      {
        description:
          'Why there is no verdict. value_zero: nothing is locked, which counts once it has lasted six hours, and then once; sources_contradict: statements about the same instant differ',
      },
    ),
  ),
  observed_at: Nullable(UnixSeconds('Time of the last measure')),
});
export type AnomalyWatch = Static<typeof AnomalyWatchSchema>;

export const AnomalyData = Growing({
  anomaly_id: Type.String(),
  anomaly_type: Type.String(),
  severity: Type.String(),
  pool_id: Nullable(Type.String()),
  chain: Nullable(Type.String()),
  protocol: Nullable(Type.String()),
  wallet_id: Nullable(Type.String()),
  entity_id: Nullable(Type.String()),
  description: Type.String(),
  score: Type.Number(),
  metric_value: Nullable(Type.Number()),
  baseline_value: Nullable(Type.Number()),
  deviation_pct: Nullable(Type.Number({ description: 'Percent' })),
  detected_at,
  ...suppression,
});

export const ANOMALY_SUBJECT = 'anomaly:<id>';
export const sampleAnomaly = (anomaly_type: string, severity: Severity): EventSample =>
  sampleOf(severity, 'anomaly:sample-1', {
    anomaly_id: 'sample-1',
    anomaly_type,
    severity,
    pool_id: 'sample-pool',
    chain: 'ethereum',
    protocol: 'sample',
    wallet_id: null,
    entity_id: null,
    description: 'A made-up anomaly',
    score: 4.2,
    metric_value: 80,
    baseline_value: 100,
    deviation_pct: -20,
    detected_at: MADE_UP_AT,
  });

export const EVENTS: readonly EventType[] = [
  {
    type: 'risk.anomaly',
    severities: ['warn', 'high', 'critical'],
    severity_rule: 'the grade that the detector gives',
    summary:
      'An anomaly that is not MEV: TVL, concentration, flow, whale movement, or a redemption rate that falls',
    subject: ANOMALY_SUBJECT,
    data: AnomalyData,
    sample: sampleAnomaly('tvl_drop', 'high'),
  },
];

/** Who may read the datasets that no endpoint serves. */
export const ACCESS = {
  'anomaly-watch': FACTS_ACCESS,
};
