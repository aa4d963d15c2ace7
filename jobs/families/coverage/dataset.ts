// The published coverage: one document per covered subject, one with the totals, and one per scope with its history.
import {
  COVERAGE_SERIES,
  CoverageFiguresSchema,
  CoverageRowSchema,
  ManifestCountsSchema,
} from '../../../schemas/coverage.ts';
import { defineDataset } from '../../define/dataset.ts';

const TICK_SECONDS = 300;
export const coverageRows = defineDataset({
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

export const manifestSummary = defineDataset({
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

export const coverageHistory = defineDataset({
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
