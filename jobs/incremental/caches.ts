// Every cache of the jobs, from landed rows to the manifest, and the objects that hold those of the pipeline. docs/incremental.md lists the
// same caches, with what each of them earns.
import { ALL_ON, type SwitchedOff } from '../../platform/base/switches.ts';
import { LandedSubjects } from './landed-subjects.ts';
import { PastRows } from './past-rows.ts';
import { WrittenDocuments } from './written-documents.ts';
import { WrittenSeries } from './written-series.ts';

/** The names of the caches, each with the file that asks whether it is switched off. */
export const CACHES = {
  'computed-models': 'jobs/incremental/computed.ts',
  'query-results': 'jobs/incremental/results.ts',
  'passed-times': 'jobs/incremental/unchanged.ts',
  'row-needs': 'jobs/incremental/unchanged.ts',
  'column-values': 'jobs/incremental/unchanged.ts',
  'filled-tables': 'jobs/engine/versions.ts',
  'absorbed-files': 'jobs/engine/duckdb/absorbed-files.ts',
  'landed-subjects': 'jobs/incremental/landed-subjects.ts',
  'past-rows': 'jobs/incremental/past-rows.ts',
  'written-documents': 'jobs/incremental/written-documents.ts',
  'written-series': 'jobs/incremental/written-series.ts',
  'series-files': 'jobs/pipeline/publish/series/series-input.ts',
  'intact-files': 'snapshots/intact.ts',
  manifests: 'snapshots/manifest-cache.ts',
  'parsed-queries': 'jobs/app/open-context.ts',
} as const;

/** The caches of publication, for as long as the data folder is open. */
export interface Caches {
  readonly documents: WrittenDocuments;
  readonly series: WrittenSeries;
  readonly subjects: LandedSubjects;
  readonly past: PastRows;
}

export const openCaches = (off: SwitchedOff = ALL_ON): Caches => ({
  documents: new WrittenDocuments(off),
  series: new WrittenSeries(off),
  subjects: new LandedSubjects(off),
  past: new PastRows(off),
});
