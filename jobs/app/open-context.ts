// Opens the context of a run from the configuration: the lock, the warehouse, landing, models, sources.
import { existsSync, realpathSync } from 'node:fs';
import { join, relative } from 'node:path';
import { ALL_ON, type SwitchedOff } from '../../platform/base/switches.ts';
import { commandFor } from '../../platform/command-line/command-for.ts';
import { type Disk, nodeDisk } from '../../platform/storage/disk.ts';
import type { TermMark } from '../../platform/storage/fence.ts';
import type { ProcessLock } from '../../platform/storage/process-lock.ts';
import { NO_TRACER, type Tracer } from '../../platform/tracing/tracer.ts';
import { IntactFiles } from '../../snapshots/intact.ts';
import { ManifestCache } from '../../snapshots/manifest-cache.ts';
import type { Config } from '../config.ts';
import { type Domain, policyTablesOf } from '../define/domain.ts';
import type { RawTable } from '../define/raw-table.ts';
import type { Source } from '../define/source.ts';
import { openDuckDb } from '../engine/duckdb/duckdb.ts';
import { loadReadings, saveReadings } from '../engine/duckdb/readings.ts';
import type { DuckDb } from '../engine/duckdb/session.ts';
import { DuckDbWarehouse } from '../engine/duckdb/warehouse.ts';
import type { ModelTable } from '../engine/model.ts';
import type { Warehouse } from '../engine/warehouse.ts';
import { openCaches } from '../incremental/caches.ts';
import { QueryResults } from '../incremental/results.ts';
import { READERS } from '../incremental/sql/time-use.ts';
import { openIngest } from '../ingest/land.ts';
import type { Adoption } from '../ingest/receipts/adopt.ts';
import { LOST_AND_FOUND } from '../ingest/receipts/lost-and-found.ts';
import type { PipelineContext } from '../pipeline/context.ts';
import { loadModels } from '../pipeline/models/load-models.ts';
import type { ModelSet } from '../pipeline/models/model.ts';
import { openLedger } from '../pipeline/run/ledger.ts';
import { type Reporter, StandingWarnings } from '../pipeline/run/report.ts';
import { domains as everything } from '../registry.ts';
import { readDemoWorld } from '../sources/demo/scenario/state-file.ts';
import { fileSources } from '../sources/files/sources.ts';
import type { SharedFolder } from './copies/landing-disk.ts';
import { openRecordings, type Recordings } from './data-store.ts';
import { lockFolder } from './folder-lock.ts';
import { landingKey, personalFolders } from './installation-keys.ts';
import { liveLanding, tidyLive } from './live-landing.ts';
import { type DraftTools, openDraft, removeDrafts } from './open-draft.ts';
import { claimSnapshots, openSnapshots } from './open-snapshots.ts';
import { type OpenedWarehouse, openWarehouse } from './open-warehouse.ts';
import { refuseLinksOut } from './outside-links.ts';
import { memoryCare, type ProcessMemory } from './tidy-memory.ts';

export interface Effects {
  readonly nowMs: () => number;
  readonly random: () => number;
  readonly reporter: Reporter;
  /** Records nothing by default. */
  readonly tracer?: Tracer;
  readonly cores: number;
  /** Fresh random bytes for a landing key. */
  readonly makeKey: () => Uint8Array;
  /** Domains to compute; all by default. */
  readonly domains?: readonly Domain[];
  /** The leader's term, if several hosts take turns. */
  readonly term?: TermMark | null;
  /** Set by the scheduler: the demo then stages incidents within minutes. */
  readonly isStart: boolean;
  /** Start with an empty warehouse, even if one exists. */
  readonly isRebuild: boolean;
  /** Where landing and publication write; the disk itself by default. */
  readonly disk?: Disk;
  /** The leader's copy of landing, if job hosts share landing in a bucket. */
  readonly shared?: SharedFolder;
  /** Nothing by default. */
  readonly memory?: ProcessMemory;
  /** As for `openDuckDb`. */
  readonly checkpointOnClose?: boolean;
  /** Caches to switch off, for tests and benchmarks. */
  readonly off?: SwitchedOff;
  /** Opens the warehouse; by default the one that the settings name. */
  readonly open?: typeof openWarehouse;
}

export interface OpenedContext {
  readonly context: PipelineContext;
  close(): Promise<void>;
}

/** @throws InstanceRunningError when another process holds the folder's lock. */
export async function openContext(config: Config, effects: Effects): Promise<OpenedContext> {
  const lock = lockFolder(config);
  try {
    await refuseLinks(config);
    removeDrafts(config.paths.temporary);
    const opened = await (effects.open ?? openWarehouse)(config, effects);
    try {
      const context = await assemble(config, effects, opened);
      return { context, close: () => closeBoth(opened, lock) };
    } catch (error) {
      await opened.close();
      throw error;
    }
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** A snapshot folder outside the data folder is separate and may itself be a link. */
async function refuseLinks({ settings, paths }: Config): Promise<void> {
  const { data_dir: data, snapshot_dir: snapshots } = settings;
  await refuseLinksOut(data, [paths.landing, paths.quarantine, join(data, LOST_AND_FOUND)]);
  if (!relative(data, snapshots).startsWith('..')) await refuseLinksOut(data, [snapshots]);
  else if (existsSync(snapshots)) await refuseLinksOut(snapshots, [realpathSync(snapshots)]);
}

async function closeBoth(opened: OpenedWarehouse, lock: ProcessLock): Promise<void> {
  await opened.close();
  lock.release();
}

async function assemble(
  config: Config,
  effects: Effects,
  { db, warehouse }: OpenedWarehouse,
): Promise<PipelineContext> {
  const { settings, policy, paths } = config;
  const { nowMs, reporter, shared, domains = everything, disk = nodeDisk } = effects;
  const ledger = openLedger(paths.ledger, shared && ((line) => shared.noteRun(line)));
  if (ledger.repaired !== null) reporter.warn(ledger.repaired);
  const { models, changed } = await loadParsedWarehouse({ db, warehouse }, { policy, domains }, effects.off);
  for (const model of changed) reporter.step('model changed, computed again', { table: model.name });
  const recordings = openRecordings(config, effects);
  const { ingest, openDraft } = await openLanding(config, effects, { db, models, files: recordings.files });
  const hasRows = ingest.receipts().some(({ source }) => source.kind === 'simulated');
  const sources = sourcesOf(config, effects, { folder: recordings.folder, hasRows });
  await shared?.keep(SHARED_NOTES.map((path) => relative(settings.data_dir, path(paths))));
  const snapshots = openSnapshots(config, effects, disk);
  return {
    settings,
    policy,
    domains,
    models,
    sources,
    warehouse,
    ...remembered({ warehouse, models: models.models, ...(effects.off && { off: effects.off }) }),
    ingest,
    openDraft,
    commandFor: (message) => commandFor(config, message),
    ...memoryCare(db, effects.memory),
    tidyRecordings: () => tidyLive(config, { sources, ingest, nowMs, reporter, folder: recordings.folder }),
    collectUnnamed: shared && (() => shared.collect(nowMs())),
    ledger,
    disk,
    snapshots,
    claim: await claimSnapshots(config, snapshots, effects),
    nowMs,
    reporter,
    tracer: effects.tracer ?? NO_TRACER,
  };
}

async function openLanding(
  config: Config,
  effects: Effects,
  { db, models, files }: Pick<Recordings, 'files'> & { readonly db: DuckDb; readonly models: ModelSet },
): Promise<Pick<PipelineContext, 'ingest' | 'openDraft'>> {
  const { settings, policy, paths } = config;
  const { domains = everything, disk = nodeDisk, cores } = effects;
  const options = ingestOptions(config, effects, { raw: domains.flatMap(({ raw }) => raw), files });
  const ingest = await openIngest({ dir: settings.data_dir, db, disk, ...options });
  const tools: DraftTools = {
    temporary: paths.temporary,
    memoryLimit: settings.duckdb_memory_limit,
    ...{ cores, policy, domains, models },
    landing: ingest,
    ingestOptions: options,
  };
  return { ingest, openDraft: (request) => openDraft(tools, request) };
}

/** What the process remembers from one run to the next. */
const remembered = (tools: ConstructorParameters<typeof QueryResults>[0]) => ({
  results: new QueryResults(tools),
  caches: openCaches(tools.off),
  ...(tools.off && { off: tools.off }),
  standingWarnings: new StandingWarnings(),
  standingReminders: new StandingWarnings(),
  intact: new IntactFiles(tools.off),
  manifests: new ManifestCache(tools.off),
});

/** Small files of the installation that must be the same on all hosts. */
const SHARED_NOTES = [
  ({ world }: Config['paths']) => world,
  ({ landing }: Config['paths']) => join(landing, FINGERPRINT),
];
const FINGERPRINT = 'key-fingerprint.txt';

function ingestOptions(
  { settings, paths }: Config,
  { reporter, makeKey }: Effects,
  { raw, files }: { readonly raw: readonly RawTable[]; readonly files: Recordings['files'] },
): DraftTools['ingestOptions'] {
  return {
    files,
    quarantineLimitPct: settings.quarantine_limit_pct,
    notices: reporter,
    gzipLimits: { maxBytes: settings.gzip_max_mb * 1_048_576, maxRatio: settings.gzip_max_ratio },
    key: landingKey({
      file: settings.landing_key_file,
      fingerprint: join(paths.landing, FINGERPRINT),
      folders: personalFolders(raw, [paths.landing, paths.quarantine]),
      makeKey,
    }),
  };
}

interface Engines<W extends Warehouse> {
  /** Reads the text of queries. */
  readonly db: DuckDb;
  readonly warehouse: W;
}

/** Reuses the query analyses that an earlier process saved, so that unchanged queries are not parsed again. */
async function loadParsedWarehouse<W extends Warehouse>(
  engines: Engines<W>,
  families: Parameters<typeof loadModelsInto>[1],
  off: SwitchedOff = ALL_ON,
): Promise<LoadedWarehouse<W>> {
  const { db } = engines;
  if (!off.has('parsed-queries')) await loadReadings(db, db.readings, READERS);
  const loaded = await loadModelsInto(engines, families);
  await saveReadings(db, db.readings, READERS);
  return loaded;
}

interface LoadedWarehouse<W extends Warehouse> {
  readonly warehouse: W;
  readonly models: ModelSet;
  /** Models whose query has changed since their rows were computed. */
  readonly changed: readonly ModelTable[];
}

/** A warehouse in this database. */
export const loadWarehouse = (
  db: DuckDb,
  families: Parameters<typeof loadModelsInto>[1],
): Promise<LoadedWarehouse<DuckDbWarehouse>> =>
  loadModelsInto({ db, warehouse: new DuckDbWarehouse(db) }, families);

/** Binds the policy and prepares the tables of all models. */
async function loadModelsInto<W extends Warehouse>(
  { db, warehouse }: Engines<W>,
  { policy, domains }: Pick<PipelineContext, 'policy' | 'domains'>,
): Promise<LoadedWarehouse<W>> {
  for (const table of policyTablesOf(domains)) await warehouse.bindPolicy(table, table.rows(policy));
  const models = await loadModels(db, domains);
  const raw = domains.flatMap((domain) => domain.raw);
  const together = [...models.events, ...models.audits].map(({ reads }) => reads);
  const { changed } = await warehouse.prepare({ models: models.models, raw, together });
  return { warehouse, models, changed };
}

/**
 * Holds the folder's lock and passes an in-memory engine to `work`. The folder's landing may be damaged.
 * @throws InstanceRunningError when another process holds the lock
 */
export async function withLockedFolder<T>(
  config: Config,
  effects: Effects,
  work: (tools: Omit<Adoption, 'dataFolder'>) => Promise<T>,
): Promise<T> {
  const { paths, settings } = config;
  const lock = lockFolder(config);
  try {
    await refuseLinks(config);
    const options = {
      memoryLimit: settings.duckdb_memory_limit,
      threads: effects.cores,
      tempDir: paths.temporary,
    };
    const db = await openDuckDb({ file: ':memory:', ...options });
    try {
      const tables = (effects.domains ?? everything).flatMap(({ raw }) => raw);
      const sources = sourcesOf(config, effects, {
        folder: openRecordings(config, effects).folder,
        hasRows: existsSync(paths.landing),
      }).map(({ facts }) => facts);
      return await work({ db, tables, sourceOf: (id) => sources.find((facts) => facts.id === id) });
    } finally {
      await db.close();
    }
  } finally {
    lock.release();
  }
}

/** Profile `files` without any source is a mistake, which `fileSources` reports. */
function sourcesOf(
  config: Config,
  { nowMs, isStart, domains = everything }: Pick<Effects, 'nowMs' | 'isStart' | 'domains'>,
  { folder, hasRows }: Pick<Recordings, 'folder'> & { readonly hasRows: boolean },
): readonly Source[] {
  const { settings, paths } = config;
  const rawTables = domains.flatMap(({ raw }) => raw);
  if (settings.profile === 'demo') {
    const now = Math.floor(nowMs() / 1000);
    const demo = readDemoWorld(paths.world, settings, { now, isStart, hasRows });
    const sources = domains.flatMap((domain) => domain.demo?.(demo) ?? []);
    return sources.filter(({ table }) => rawTables.some(({ name }) => name === table));
  }
  const { live_sources: live } = config;
  const files =
    config.sources === undefined && (live.length > 0 || settings.profile === 'live')
      ? []
      : fileSources(config.sources, { rawTables, baseDir: config.base_dir });
  return [...files, ...liveLanding(config, rawTables, folder)];
}
