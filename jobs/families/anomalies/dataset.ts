// The published anomaly watch: every figure with its verdict, or the reason why there is none.
import { AnomalyWatchSchema } from '../../../schemas/anomalies.ts';
import { defineDataset } from '../../define/dataset.ts';

export const anomalyWatch = defineDataset({
  id: 'anomaly-watch',
  title: 'Figures watched for anomalies',
  table: 'out.anomaly_watch',
  key: ['metric'],
  separator: '/',
  shape: 'list',
  order: 'entity',
  subject: { columns: { entity: 'entity', chain: 'chain' } },
  row: AnomalyWatchSchema,
  updateCadenceSeconds: 300,
});
