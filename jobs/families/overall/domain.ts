// The overall domain: six component scores of each protocol, the domain's own data for three of them, and the combined score.

import { defineDomain } from '../../define/domain.ts';
import { overallDemoSources } from '../../sources/demo/overall.ts';
import { overallReceipts, overallScores } from './dataset.ts';
import { overallPolicy } from './policy.ts';
import { overallOperator, overallPool, overallProtocol, overallSecurity, overallToken } from './raw.ts';

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
