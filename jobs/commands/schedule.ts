// `schedule`: catches up, then runs at every tick of the cron expression until it is stopped. Ticks never overlap: one that becomes due
// during another is skipped, and the next tick covers its interval.
import { schedule as cronSchedule, type Logger, validate } from 'node-cron';
import { UsageError } from '../../platform/command-line/usage-error.ts';
import { StaleWriterError } from '../../snapshots/claim.ts';
import { listVersions } from '../../snapshots/read.ts';
import type { Dataset } from '../define/dataset.ts';
import type { Domain } from '../define/domain.ts';
import { BEFORE_ALL } from '../define/source.ts';
import { causeAmong, DamagedWarehouseError, WarehouseLostError } from '../engine/errors.ts';
import type { PipelineContext } from '../pipeline/context.ts';
import { lineage } from '../pipeline/models/lineage.ts';
import { lastTick } from '../pipeline/run/ledger.ts';
import { messageOf, type Reporter } from '../pipeline/run/report.ts';
import { run } from '../pipeline/run/run.ts';
import { tidyMemory } from '../pipeline/run/tidy.ts';
import { nightlyBacktests } from './backtest.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { catchUp } from './work.ts';

/**
 * Starts when `ready` resolves. Once `stopped` resolves, starts no further run and resolves when the current one has ended. A failed tick
 * is reported and retried with the next.
 * @throws errors that a later tick cannot fix: a damaged warehouse, or another writer that has replaced this one
 */
export async function runSchedule(
  context: PipelineContext,
  stopped: Promise<unknown>,
  ready: Promise<unknown> = Promise.resolve(),
): Promise<ExitCode> {
  const { tick_cron: expression } = context.settings;
  if (!validate(expression))
    throw new UsageError(`tick_cron "${expression}" is not a cron expression, for example */5 * * * *.`);
  let isStopping = false;
  void stopped.then(() => {
    isStopping = true;
  });
  const isStopRequested = () => isStopping;
  const ended = Promise.withResolvers<never>();
  let underWay = Promise.race([ready, stopped])
    .then(() => begin(context, isStopRequested))
    .catch(ended.reject);
  const task = cronSchedule(
    expression,
    () => {
      underWay = underWay.then(() => tick(context, isStopRequested)).catch(ended.reject);
      return underWay;
    },
    { timezone: 'UTC', noOverlap: true, logger: cronLogger(context.reporter) },
  );
  try {
    await Promise.race([stopped, ended.promise]);
  } finally {
    await task.destroy();
    await underWay;
  }
  return EXIT.done;
}

/** Replaces the cron library's own logger, which prints to the console. The library warns about each tick that it skips. */
const cronLogger = (reporter: Reporter): Logger => ({
  debug: () => undefined,
  info: (message) => reporter.debug(message),
  warn: (message) => reporter.step('a tick was skipped; the next one covers its interval', { why: message }),
  error: (message) => reporter.error(`the scheduler failed: ${messageOf(message)}`),
});

const FATAL_ERRORS = [DamagedWarehouseError, WarehouseLostError, StaleWriterError];

const isFatal = (error: unknown): boolean => causeAmong(error, FATAL_ERRORS) !== null;

type StopCheck = () => boolean;

async function begin(context: PipelineContext, isStopping: StopCheck): Promise<void> {
  const isDemo = context.settings.profile === 'demo';
  if (!isDemo || isStopping() || !(await isEmpty(context))) return tick(context, isStopping);
  // The tick ends where the first look ended, so that it computes again only what depends on the other domains.
  const to = Math.floor(context.nowMs() / 1000);
  await firstLook(context, to);
  await tidyMemory(context);
  await tick(context, isStopping, to);
}

/** Also checks the published versions: if only the ledger was lost, a first version must not replace what is published. */
async function isEmpty({ ledger, snapshots }: PipelineContext): Promise<boolean> {
  const isNew = lastTick(ledger.entries) === null;
  return isNew && (await listVersions(snapshots)).length === 0;
}

/** `to`: the end of the interval if it is not the present. */
async function tick(context: PipelineContext, isStopping: StopCheck, to?: number): Promise<void> {
  if (isStopping()) return;
  try {
    await catchUp(context, isStopping, to);
  } catch (error) {
    if (isFatal(error)) throw error;
    context.reporter.error(`tick failed: ${messageOf(error)}`);
    return;
  }
  if (!isStopping()) await backtestByNight(context);
  if (!isStopping()) await tidyMemory(context);
}

async function backtestByNight(context: PipelineContext): Promise<void> {
  try {
    await nightlyBacktests(context);
  } catch (error) {
    if (isFatal(error)) throw error;
    context.reporter.error(`backtest failed: ${messageOf(error)}`);
  }
}

// The first version of an empty folder contains only what is quick to compute, so that there is something to read within seconds. The
// ledger does not record it: the tick that follows computes everything from the beginning and finds every event.

export async function firstLook(context: PipelineContext, to: number): Promise<void> {
  const interval = { from: BEFORE_ALL, to };
  try {
    const { version } = await run(narrowed(context), {
      interval,
      gather: true,
      detect: 'nothing',
      publish: true,
    });
    context.reporter.step('first look', { version });
  } catch (error) {
    context.reporter.warn(`no first look: ${messageOf(error)}`);
  }
}

/** The same context with only the datasets of the first version and the models that these need, without detectors and series, and in no need of memory. */
function narrowed({ tidyMemory: _tidy, ...context }: PipelineContext): PipelineContext {
  const domains = context.domains
    .filter(({ isFirstLook }) => isFirstLook)
    .map((domain) => withDatasets(domain, ({ isPostponed }) => isPostponed !== true))
    .map((domain) => ({ ...domain, datasets: domain.datasets.map(({ series: _, ...rest }) => rest) }));
  const tables = new Set(domains.flatMap(({ raw }) => raw.map(({ name }) => name)));
  const models = modelsOf(context.models, domains);
  const isComputed = (table: string) => models.has(table) || table.startsWith('policy.');
  return {
    ...context,
    domains,
    postponed: context.domains.map((domain) =>
      withDatasets(domain, ({ isPostponed }) => !domain.isFirstLook || isPostponed === true),
    ),
    models: {
      models: context.models.models.filter(({ name }) => models.has(name)),
      events: [],
      audits: context.models.audits.filter(({ table, reads }) => [table, ...reads].every(isComputed)),
    },
    sources: context.sources.filter(({ table }) => tables.has(table)),
  };
}

const withDatasets = (domain: Domain, isWanted: (dataset: Dataset) => boolean): Domain => ({
  ...domain,
  datasets: domain.datasets.filter(isWanted),
});

/** Names of the models that the datasets of these domains are built from, and of those that keep what lands. */
function modelsOf(models: PipelineContext['models'], domains: readonly Domain[]): ReadonlySet<string> {
  const landed = domains.flatMap(({ raw }) => raw.map(({ observations }) => observations.model));
  const built = domains.flatMap(({ datasets }) =>
    datasets.flatMap(({ table }) => [...lineage(models, table)]),
  );
  return new Set([...landed, ...built]);
}
