// The governance domain: proposals, votes and the power behind them.

import { DAY_S } from '../../../platform/base/time.ts';
import {
  GOVERNANCE_SERIES,
  GovernanceFigureSchema,
  GovernanceRecordSchema,
} from '../../../schemas/governance.ts';
import { dailySeries, defineDataset } from '../../define/dataset.ts';
import { defineDomain } from '../../define/domain.ts';
import { governanceDemoSources } from '../../sources/demo/governance.ts';
import { governancePolicy } from './policy.ts';
import { governanceElectorate, governanceProposal, governanceVote } from './raw.ts';
import { governorEvent } from './raw-governor.ts';

// The published governance data: one document per protocol with its last seven days, as records (2.5) and with additional figures.

export const governanceRecords = defineDataset({
  id: 'governance',
  title: 'Proposals, votes and the spread of voting power of each protocol on the last seven days',
  table: 'out.governance',
  key: ['protocol'],
  separator: '/',
  shape: 'list',
  order: 'timestamp desc',
  day: 'timestamp',
  subject: { columns: { protocol: 'protocol' } },
  row: GovernanceRecordSchema,
  updateCadenceSeconds: DAY_S,
});

export const governanceFigures = defineDataset({
  id: 'governance-figures',
  title:
    'Governance of each protocol on the last seven days, with the power cast and the usual measures of concentration',
  table: 'out.governance_figure',
  key: ['protocol'],
  separator: '/',
  shape: 'list',
  order: 'timestamp desc',
  day: 'timestamp',
  subject: { columns: { protocol: 'protocol' } },
  row: GovernanceFigureSchema,
  updateCadenceSeconds: DAY_S,
  series: dailySeries({
    definition: GOVERNANCE_SERIES,
    table: 'derived.governance_record',
    key: ['protocol'],
  }),
});

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
