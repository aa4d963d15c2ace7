// The coverage domain: what the service has and lacks, across all other domains.

import { defineDomain } from '../../define/domain.ts';
import type { SubjectLink } from '../../define/subject.ts';
import { coverageHistory, coverageRows, manifestSummary } from './dataset.ts';

const COVERAGE_ID = "concat(chain, '|', scope, '|', scope_id)";

const ofScope = (scope: string, field: string): SubjectLink => ({
  tables: `derived.coverage where scope = '${scope}'`,
  of: { chain: 'chain', [field]: 'scope_id' },
  to: { coverage_id: COVERAGE_ID },
});

export const coverage = defineDomain({
  id: 'coverage',
  title: 'Coverage',
  folder: new URL('./', import.meta.url),
  isFirstLook: true,
  raw: [],
  policy: [],
  datasets: [coverageRows, manifestSummary, coverageHistory],
  detectors: [],
  links: [
    ofScope('oracle_feed', 'feed_address'),
    ofScope('lending_market', 'market_id'),
    ofScope('lending_vault', 'vault_address'),
    {
      tables: "derived.coverage where scope = 'protocol'",
      of: { protocol: 'scope_id' },
      to: { coverage_id: COVERAGE_ID },
    },
  ],
});
