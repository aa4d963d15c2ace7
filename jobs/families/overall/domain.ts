// The overall domain: six component scores of each protocol, the domain's own data for three of them, and the combined score.

import { DAY_S } from '../../../platform/base/time.ts';
import { OVERALL_SERIES, OverallReceiptSchema, OverallScoreSchema } from '../../../schemas/overall.ts';
import { dailySeries, defineDataset } from '../../define/dataset.ts';
import { defineDomain } from '../../define/domain.ts';
import { overallDemoSources } from '../../sources/demo/overall.ts';
import { overallPolicy } from './policy.ts';
import { overallOperator, overallPool, overallProtocol, overallSecurity, overallToken } from './raw.ts';

// The published data of the overall score: the records of each protocol, and a receipt for every day, with or without a record.

const overallScores = defineDataset({
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
const overallReceipts = defineDataset({
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

export const overall = defineDomain({
  id: 'overall',
  title: 'Overall scores',
  folder: new URL('./', import.meta.url),
  raw: [overallProtocol, overallPool, overallSecurity, overallOperator, overallToken],
  essential: [overallProtocol],
  policy: [overallPolicy],
  datasets: [overallScores, overallReceipts],
  detectors: [],
  links: [
    { tables: 'obs.overall_protocol', of: { path: 'development_path' }, to: { protocol: 'protocol' } },
    {
      tables: 'obs.overall_protocol',
      of: { protocol: 'social_id' },
      to: { protocol: 'protocol' },
      domain: 'social',
    },
    {
      tables: 'obs.overall_protocol',
      of: { protocol: 'governance_id' },
      to: { protocol: 'protocol' },
      domain: 'governance',
    },
  ],
  demo: overallDemoSources,
});
