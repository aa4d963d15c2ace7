// The published data of the overall score: the records of each protocol, and a receipt for every day, with or without a record.
import { DAY_S } from '../../../platform/base/time.ts';
import { OVERALL_SERIES, OverallReceiptSchema, OverallScoreSchema } from '../../../schemas/overall.ts';
import { defineDataset } from '../../define/dataset.ts';
import { dailySeries } from '../../define/series.ts';

export const overallScores = defineDataset({
  id: 'overall-scores',
  title: 'Overall score of each protocol on the last seven days',
  table: 'out.overall_score',
  key: ['protocol'],
  separator: '/',
  shape: 'list',
  order: 'day desc',
  subject: { columns: { protocol: 'protocol' } },
  subjectsOf: ['overall_protocol'],
  day: 'day',
  row: OverallScoreSchema,
  updateCadenceSeconds: DAY_S,
});

/** Without a `day`: a receipt names its policy, so any change of policy would otherwise be a correction of every old day. */
export const overallReceipts = defineDataset({
  id: 'overall-receipts',
  title: 'Inputs of the overall score of each protocol on the last seven days, or why there is no score',
  table: 'out.overall_receipt',
  key: ['protocol'],
  separator: '/',
  shape: 'list',
  order: 'day desc',
  recordDay: 'day',
  subject: { columns: { protocol: 'protocol' } },
  subjectsOf: ['overall_protocol'],
  row: OverallReceiptSchema,
  updateCadenceSeconds: DAY_S,
  series: dailySeries({
    definition: OVERALL_SERIES,
    table: 'derived.overall_point',
    key: ['protocol'],
  }),
});
