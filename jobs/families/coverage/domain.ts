// The coverage domain: what the service has and lacks, across all other domains.

import {
  COVERAGE_SERIES,
  CoverageFiguresSchema,
  CoverageRowSchema,
  ManifestCountsSchema,
} from '../../../schemas/coverage.ts';
import { defineDataset } from '../../define/dataset.ts';
import { defineDomain } from '../../define/domain.ts';
import type { SubjectLink } from '../../define/subject.ts';

// The published coverage: one document per covered subject, one with the totals, and one per scope with its history.

const TICK_SECONDS = 300;
const coverageRows = defineDataset({
  id: 'coverage',
  title: 'Coverage of everything the service promises data about',
  table: 'out.coverage',
  key: ['id'],
  separator: '|',
  shape: 'one',
  order: '',
  subject: { columns: { coverage_id: 'id' } },
  row: CoverageRowSchema,
  updateCadenceSeconds: TICK_SECONDS,
});

const manifestSummary = defineDataset({
  id: 'manifest-summary',
  title: 'Coverage in numbers',
  table: 'out.manifest_summary',
  key: ['id'],
  separator: '|',
  shape: 'one',
  order: '',
  subject: { none: 'counts everything that is registered' },
  row: ManifestCountsSchema,
  updateCadenceSeconds: TICK_SECONDS,
});

const coverageHistory = defineDataset({
  id: COVERAGE_SERIES.dataset,
  title: 'Coverage of each scope, and its history by day',
  table: 'out.coverage_figures',
  key: ['scope'],
  separator: '|',
  shape: 'one',
  order: '',
  subject: { none: 'counts and means of a whole scope' },
  row: CoverageFiguresSchema,
  updateCadenceSeconds: TICK_SECONDS,
  recorded: COVERAGE_SERIES,
});

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
