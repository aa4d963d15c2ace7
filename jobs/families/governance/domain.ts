// The governance domain: proposals, votes and the power behind them.

import { defineDomain } from '../../define/domain.ts';
import { governanceDemoSources } from '../../sources/demo/governance.ts';
import { governanceFigures, governanceRecords } from './dataset.ts';
import { governancePolicy } from './policy.ts';
import { governanceElectorate, governanceProposal, governanceVote } from './raw.ts';
import { governorEvent } from './raw-governor.ts';

export const governance = defineDomain({
  id: 'governance',
  title: 'Governance',
  folder: new URL('./', import.meta.url),
  raw: [governanceProposal, governanceVote, governorEvent, governanceElectorate],
  policy: [governancePolicy],
  datasets: [governanceRecords, governanceFigures],
  detectors: [],
  demo: governanceDemoSources,
});
