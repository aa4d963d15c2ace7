// What a run uses of fetched sources: their recordings as sources of landing, how far and how they were read, and which recordings it may
// remove.
import { DAY_S } from '../../platform/base/time.ts';
import type { Config } from '../config.ts';
import type { RawTable } from '../define/raw-table.ts';
import type { Source } from '../define/source.ts';
import type { Ingest } from '../ingest/land.ts';
import type { RecordingFolder } from '../sources/live/fetch/recording-store.ts';
import { landingSources } from '../sources/live/fetch/landing-sources.ts';
import { ReadingLog } from '../sources/live/fetch/source-readings.ts';
import { stateLog } from '../sources/live/fetch/state-log.ts';
import { type Tidied, tidyRecordings } from './tidy-recordings.ts';
import type { Reporter } from '../pipeline/run/report.ts';

/** In the order in which a run reads them: first the recordings, then the readings and states of the sources derived from them. */
export function liveLanding(
  config: Config,
  rawTables: readonly RawTable[],
  folder: RecordingFolder,
): readonly Source[] {
  const has = (table: string) => rawTables.some(({ name }) => name === table);
  const sources = config.live_sources.filter(({ table }) => has(table));
  const hasSecret = (name: string) => name in config.secrets;
  const readings = new ReadingLog();
  const unpublished = new Set(
    rawTables.filter(({ isAboutSources }) => isAboutSources).map(({ name }) => name),
  );
  const landing = landingSources(sources, folder, hasSecret, readings, unpublished);
  return [
    ...landing,
    ...(landing.length > 0 && has('source_reading') ? readings.sources() : []),
    ...(sources.length > 0 && has('source_state')
      ? [stateLog({ sources, folder, hasSecret, rawTables })]
      : []),
  ];
}

export interface TidyingTools {
  /** Sources of the run. */
  readonly sources: readonly Source[];
  readonly ingest: Pick<Ingest, 'receipts'>;
  readonly nowMs: () => number;
  readonly folder: RecordingFolder;
  readonly reporter: Pick<Reporter, 'step' | 'warn'>;
}

const MEGABYTE = 1_048_576;

/** Removes recordings that are no longer needed. Does nothing if nothing is fetched. */
export async function tidyLive(config: Config, tools: TidyingTools): Promise<void> {
  const { live_sources: sources, settings } = config;
  if (sources.length === 0) return;
  const { recordings_keep_days: days, recordings_max_mb: megabytes } = settings;
  const tidied = await tidyRecordings({
    sources,
    landing: new Set(tools.sources.map(({ facts }) => facts.id)),
    folder: tools.folder,
    receiptsOf: (table) => tools.ingest.receipts(table),
    limits: { keep_s: days * DAY_S, max_bytes: megabytes * MEGABYTE },
    now: tools.nowMs() / 1000,
  });
  report(tidied, megabytes, tools.reporter);
}

function report(
  { removed, removed_bytes, left_bytes }: Tidied,
  megabytes: number,
  { step, warn }: TidyingTools['reporter'],
): void {
  const inMegabytes = (bytes: number) => Math.round(bytes / MEGABYTE);
  if (removed > 0)
    step('removed recordings that have landed', { recordings: removed, mb: inMegabytes(removed_bytes) });
  if (left_bytes > megabytes * MEGABYTE)
    warn(
      `recordings take ${inMegabytes(left_bytes)} MB, but only ${megabytes} MB are allowed: those that remain have not landed, have rows in quarantine, or would be read again. Raise recordings_max_mb, or redrive the quarantine.`,
    );
}
