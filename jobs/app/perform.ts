// Performs a command: those that read here, those that write where the folder is opened and led (perform-work.ts).
import { join } from 'node:path';
import { dataFolder, refuseBelowFile, refuseUnwritable } from '../../platform/processes/writable-folder.ts';
import { nodeDisk } from '../../platform/storage/disk.ts';
import { WHAT_IF_SOCKET } from '../../schemas/what-if.ts';
import { showWhatWouldFire } from '../commands/detect.ts';
import { diff } from '../commands/diff.ts';
import { printEvents } from '../commands/events.ts';
import { EXIT, type ExitCode } from '../commands/exit-codes.ts';
import { listLost } from '../commands/lost-found.ts';
import type { Command, DetectRequest } from '../commands/parse.ts';
import { listQuarantine } from '../commands/quarantine.ts';
import { lazyEngine, serveWhatIf } from '../commands/serve-what-if.ts';
import { sourceStates } from '../commands/sources.ts';
import { readStatus, statusLines } from '../commands/status.ts';
import { showTables } from '../commands/tables.ts';
import { verify } from '../commands/verify.ts';
import type { Config } from '../config.ts';
import { domains } from '../registry.ts';
import { exampleSource } from '../sources/files/example-source.ts';
import { refreshCopy } from './data-store.ts';
import { InstanceRunningError } from './folder-lock.ts';
import { refuseOtherFolder } from './installation.ts';
import { openSnapshots } from './open-snapshots.ts';
import { type FetchingCommand, performFetching, sourcesContext } from './perform-fetching.ts';
import { performWork } from './perform-work.ts';
import { namedHomes } from './placement.ts';
import { leaseEffects, type Surroundings, viewOf } from './surroundings.ts';
import { askWhatIf } from './what-if.ts';
import { openWhatIfEngine } from './what-if-engine.ts';

/** Commands that only read landing or the ledger. They run on any job host, so they first refresh its copy of shared data. */
const READING: ReadonlySet<Command['name']> = new Set([
  'status',
  'verify',
  'quarantine list',
  'lost+found list',
  'detect',
  'what-if',
]);

/** Commands that neither change what a data folder holds nor depend on it: they answer for the configuration that they are given. */
const WITHOUT_FOLDER: ReadonlySet<Command['name']> = new Set(['tables', 'sources list', 'sources check']);

/** Commands that write nothing: a folder that is mounted read-only serves them. */
const WITHOUT_WRITING: ReadonlySet<Command['name']> = new Set([
  'status',
  'verify',
  'diff',
  'events',
  'quarantine list',
  'lost+found list',
]);

/** @throws FolderError, or FailingDiskError if the disk is full */
function refuseUselessFolder(
  { settings: { data_dir, work_dir } }: Config,
  command: Command['name'],
  { makeId }: Surroundings,
): void {
  if (WITHOUT_FOLDER.has(command)) return;
  refuseBelowFile(dataFolder(data_dir));
  if (WITHOUT_WRITING.has(command)) return;
  refuseUnwritable(dataFolder(data_dir), makeId());
  refuseUnwritable({ dir: work_dir, chosenBy: '--work-dir (WORK_DIR)' }, makeId());
}

export async function perform(config: Config, command: Command, effects: Surroundings): Promise<ExitCode> {
  refuseUselessFolder(config, command.name, effects);
  if (!WITHOUT_FOLDER.has(command.name)) await refuseOtherFolder(config, effects, effects.caller);
  if (READING.has(command.name)) await refreshCopy(config, effects);
  const { print } = effects;
  const view = viewOf(config, effects);
  const snapshots = openSnapshots(config, effects);
  switch (command.name) {
    case 'status':
      return showStatus(config, command.json, effects);
    case 'verify':
      return verify({ ...view, snapshots });
    case 'diff':
      return diff({ snapshots, print }, command.versions);
    case 'tables':
      return showTables(domains, { name: command.table, json: command.json, example: exampleSource, print });
    case 'quarantine list':
      return listQuarantine(view, command.json);
    case 'lost+found list':
      return listLost(view, command.json);
    case 'events':
      return printEvents({ snapshots, print }, command);
    case 'detect':
      return detect(config, command, effects);
    case 'what-if':
      return answerWhatIf(config, effects);
    case 'sources list':
      return withFetching(config, { name: command.name, json: command.json }, effects);
    case 'fetch':
    case 'sources check':
      return withFetching(config, command, effects);
    case 'schedule':
      return withFetcher(config, command, effects);
    default:
      return performWork(config, command, effects);
  }
}

/** Sources are fetched in a separate process meanwhile, so that no run waits for the network. */
async function withFetcher(config: Config, command: Command, effects: Surroundings): Promise<ExitCode> {
  if (config.live_sources.length === 0) return performWork(config, command, effects);
  const stopFetching = effects.fetchMeanwhile((message) => effects.reporter.warn(message));
  try {
    return await performWork(config, command, effects);
  } finally {
    await stopFetching();
  }
}

async function withFetching(
  config: Config,
  command: FetchingCommand,
  effects: Surroundings,
): Promise<ExitCode> {
  try {
    return await performFetching(config, command, { ...effects, lease: leaseEffects(effects) });
  } catch (error) {
    if (!(error instanceof InstanceRunningError)) throw error;
    effects.reporter.warn(error.message);
    return EXIT.skipped;
  }
}

function detect(config: Config, request: DetectRequest, effects: Surroundings): Promise<ExitCode> {
  const { nowMs, random, reporter, cores, makeId, print } = effects;
  const whatIf = { nowMs, random, reporter, cores, processId: makeId() };
  return askWhatIf({ config, effects: whatIf, question: request }, (context) =>
    showWhatWouldFire(context, request, print),
  );
}

async function answerWhatIf(config: Config, effects: Surroundings): Promise<ExitCode> {
  const { nowMs, reporter, makeId } = effects;
  const stopped = effects.stopped();
  const engine = lazyEngine(() => openWhatIfEngine(config, { nowMs, reporter, processId: makeId() }));
  try {
    const path = join(config.settings.data_dir, WHAT_IF_SOCKET);
    return await serveWhatIf({ path, answer: engine.answer, reporter, stopped });
  } finally {
    await engine.close();
  }
}

async function showStatus(config: Config, json: boolean, effects: Surroundings): Promise<ExitCode> {
  const { paths, settings } = config;
  const sources = await sourceStates(sourcesContext(config, effects));
  const snapshots = openSnapshots(config, effects);
  const homes = Object.fromEntries(namedHomes(settings));
  const folder = { disk: nodeDisk, dataDir: settings.data_dir, snapshots, ledger: paths.ledger };
  const read = await readStatus({ ...folder, sources, homes, nowMs: effects.nowMs() });
  for (const line of json ? [JSON.stringify(read)] : statusLines(read, viewOf(config, effects).commandFor))
    effects.print(line);
  return EXIT.done;
}
