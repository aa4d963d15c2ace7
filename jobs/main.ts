// The entry point of the jobs. Owns the environment, clock, signals and exit code; everything else receives them as arguments.
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { commandFor } from '../platform/command-line/command-for.ts';
import { readCommandLine } from '../platform/command-line/command-line.ts';
import { programUsage } from '../platform/command-line/help.ts';
import { JOBS } from '../platform/command-line/jobs-commands.ts';
import { linePrinter, OutputClosedError } from '../platform/command-line/print-lines.ts';
import { UsageError } from '../platform/command-line/usage-error.ts';
import type { Caller } from '../platform/processes/data-folder.ts';
import { keepRunning, runProcess, startProcess } from '../platform/processes/processes.ts';
import { every, stopSignal } from '../platform/processes/stop-signal.ts';
import { umaskOf } from '../platform/settings/file-access.ts';
import { printableLines } from '../platform/base/printable.ts';
import { WHAT_IF_SOCKET } from '../schemas/what-if.ts';
import { nodeDisk } from '../platform/storage/disk.ts';
import type { TermMark } from '../platform/storage/fence.ts';
import { backtest } from './commands/backtest.ts';
import { showWhatWouldFire } from './commands/detect.ts';
import { diff } from './commands/diff.ts';
import { printEvents } from './commands/events.ts';
import { EXIT, type ExitCode } from './commands/exit-codes.ts';
import { adoptLost, listLost } from './commands/lost-found.ts';
import { type Command, type DetectRequest, parseCommand } from './commands/parse.ts';
import { listQuarantine } from './commands/quarantine.ts';
import { recordSkip } from './commands/record-skip.ts';
import { runSchedule } from './commands/schedule.ts';
import { serveWhatIf } from './commands/serve-what-if.ts';
import { sourceStates } from './commands/sources.ts';
import { readStatus, statusLines } from './commands/status.ts';
import { supersede } from './commands/supersede.ts';
import { showTables } from './commands/tables.ts';
import { verify } from './commands/verify.ts';
import { backfill, rebuild, redrive, runOnce } from './commands/work.ts';
import { type Config, loadConfig } from './config.ts';
import { copyToBuckets } from './app/copy-to-buckets.ts';
import { openRecordings, refreshCopy } from './app/data-store.ts';
import { restrictAccess } from './app/file-access.ts';
import { InstanceRunningError } from './app/folder-lock.ts';
import { LANDING_KEY_BYTES } from './app/landing-key.ts';
import { claimFolder, refuseOtherFolder } from './app/installation.ts';
import { type LeaderEffects, leadInTurn, whileLeading } from './app/lead.ts';
import { type Effects, withLockedFolder } from './app/open-context.ts';
import { readySources } from './app/open-fetching.ts';
import { type LeaseEffects, openLeases } from './app/open-leases.ts';
import { openSnapshots } from './app/open-snapshots.ts';
import { type FetchingCommand, performFetching, sourcesContext } from './app/perform-fetching.ts';
import { namedHomes } from './app/placement.ts';
import { takeBack } from './app/take-back.ts';
import { askWhatIf } from './app/what-if.ts';
import { openWhatIfEngine } from './app/what-if-engine.ts';
import { withContext } from './app/with-context.ts';
import { exampleSource } from './sources/files/example-source.ts';
import { firstArrivals } from './sources/live/fetch/first-arrivals.ts';
import { systemClock } from './sources/live/http/clock.ts';
import type { PipelineContext } from './pipeline/context.ts';
import { jsonReporter, messageOf, type Reporter, terminalReporter } from './pipeline/run/report.ts';
import { domains } from './registry.ts';

const nowMs = () => Date.now();
const random = () => Math.random();
const makeKey = () => randomBytes(LANDING_KEY_BYTES);
const print = linePrinter(process.stdout);
const readText = (path: string) => readFileSync(path, 'utf8');

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

process.exitCode = await main(process.argv.slice(2));
// The launcher's channel would keep a program alive whose work has ended with an error.
if (process.connected) process.disconnect();

async function main(argv: readonly string[]): Promise<number> {
  try {
    const line = readCommandLine(JOBS, argv);
    if (line.help !== null) {
      for (const one of line.help.split('\n')) print(one);
      return EXIT.done;
    }
    const dotEnv = existsSync('.env') ? readText('.env') : undefined;
    const config = loadConfig({ flags: line.settings, env: process.env, dotEnv, readFile: readText });
    const reporter = reporterFor(config);
    for (const warning of config.warnings) reporter.warn(warning);
    // Only the server can render the responses of its endpoints, so its process runs this command.
    if (line.command.name === 'export') return await runProcess('server', argv);
    process.umask(umaskOf(config.settings));
    restrictAccess(config, process.getuid?.() ?? -1);
    const command = parseCommand(line.command, nowMs() / 1000);
    if (!WITHOUT_FOLDER.has(command.name)) await refuseOtherFolder(config, { nowMs, random }, callerOf(argv));
    if (READING.has(command.name)) await refreshCopy(config, { nowMs, random });
    return await perform(config, reporter, command, argv);
  } catch (error) {
    return explain(error);
  }
}

function callerOf(argv: readonly string[]): Caller {
  const { version } = JSON.parse(readText(`${import.meta.dirname}/../package.json`));
  return { program: version, invocation: JOBS.invocation, argv };
}

function reporterFor({ settings: { log_level: level } }: Config): Reporter {
  const write = (text: string) => void process.stderr.write(text);
  return (process.stderr.isTTY ? terminalReporter : jsonReporter)({ write, nowMs, level });
}

async function perform(
  config: Config,
  reporter: Reporter,
  command: Command,
  argv: readonly string[],
): Promise<ExitCode> {
  const view = viewOf(config);
  const snapshots = openSnapshots(config, { nowMs, random });
  switch (command.name) {
    case 'status':
      return showStatus(config, command.json);
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
      return detect(config, reporter, command);
    case 'what-if':
      return answerWhatIf(config, reporter);
    case 'sources list':
      return withFetching(config, reporter, { name: command.name, json: command.json });
    case 'fetch':
    case 'sources check':
      return withFetching(config, reporter, command);
    case 'schedule':
      return config.live_sources.length === 0
        ? withPipeline(config, reporter, command, argv)
        : fetchingMeanwhile(argv, reporter, () => withPipeline(config, reporter, command, argv));
    default:
      return withPipeline(config, reporter, command, argv);
  }
}

async function withFetching(config: Config, reporter: Reporter, command: FetchingCommand): Promise<ExitCode> {
  const stopped = () => stopSignal(process);
  const path = process.env['PATH'] ?? '';
  const lease = leaseEffects(reporter);
  const effects = {
    nowMs,
    random,
    makeKey,
    path,
    cores: availableParallelism(),
    reporter,
    print,
    stopped,
    lease,
  };
  try {
    return await performFetching(config, command, effects);
  } catch (error) {
    if (!(error instanceof InstanceRunningError)) throw error;
    reporter.warn(error.message);
    return EXIT.skipped;
  }
}

/** Fetches in a separate process, so that no run waits for the network. */
async function fetchingMeanwhile(
  argv: readonly string[],
  reporter: Reporter,
  work: () => Promise<ExitCode>,
): Promise<ExitCode> {
  const flags = argv.filter((_, index) => index !== argv.indexOf('schedule'));
  const start = () => startProcess('jobs', ['fetch', '--watch', ...flags]);
  const warn = (message: string) => reporter.warn(message);
  const stop = keepRunning(start, warn, () => performance.now());
  try {
    return await work();
  } finally {
    await stop();
  }
}

async function withPipeline(
  config: Config,
  reporter: Reporter,
  command: Command,
  argv: readonly string[],
): Promise<ExitCode> {
  const isStart = command.name === 'schedule';
  const effects = {
    nowMs,
    random,
    reporter,
    cores: availableParallelism(),
    makeKey,
    isStart,
    isRebuild: command.name === 'rebuild',
  };
  const stopped = isStart ? stopSignal(process) : Promise.resolve();
  const leases = await openLeases(config, leaseEffects(reporter));
  const claim = (term: TermMark | null) => claimFolder(config, { ...callerOf(argv), reporter, term });
  const leading = { leases, config, reporter, effects, claim };
  try {
    if (isStart) return (await leadInTurn(leading, stopped, scheduled(config, effects))) ?? EXIT.done;
    return await whileLeading(leading, (leader) => workOnce(config, command, { ...effects, ...leader }));
  } catch (error) {
    if (!(error instanceof InstanceRunningError)) throw error;
    reporter.warn(error.message);
    recordSkip(config.paths.ledger, command, nowMs());
    return EXIT.skipped;
  } finally {
    await leases.close();
  }
}

function leaseEffects(reporter: Reporter): LeaseEffects {
  const owner = `jobs-${randomBytes(6).toString('hex')}`;
  const warn = (message: string) => reporter.warn(message);
  return { owner, steadyMs: () => performance.now(), every, wait: (ms) => delay(ms), warn };
}

type LeaderWork = Effects & LeaderEffects;

function scheduled(config: Config, effects: Effects) {
  return (leader: LeaderEffects, over: Promise<unknown>): Promise<ExitCode> =>
    withContext(config, { ...effects, ...leader }, (context) =>
      runSchedule(context, over, recordingsReady(config, over)),
    );
}

async function workOnce(config: Config, command: Command, effects: LeaderWork): Promise<ExitCode> {
  const { disk } = effects;
  if (command.name === 'copy') return copyToBuckets(config, command, { nowMs, random, makeKey, print });
  if (command.name === 'retract') return takeBack(config, command.to, { ...effects, makeKey, print });
  if (command.name === 'lost+found adopt')
    return withLockedFolder(config, effects, (tools) =>
      adoptLost({ ...tools, dataFolder: { disk, dir: config.settings.data_dir } }, print),
    );
  return withContext(config, effects, (context) => work(context, command));
}

function detect(config: Config, reporter: Reporter, request: DetectRequest): Promise<ExitCode> {
  const processId = randomBytes(6).toString('hex');
  const effects = { nowMs, random, reporter, cores: availableParallelism(), processId };
  return askWhatIf({ config, effects, question: request }, (context) =>
    showWhatWouldFire(context, request, print),
  );
}

async function answerWhatIf(config: Config, reporter: Reporter): Promise<ExitCode> {
  const stopped = stopSignal(process);
  const effects = { nowMs, reporter, processId: randomBytes(6).toString('hex') };
  const engine = await openWhatIfEngine(config, effects);
  try {
    const path = join(config.settings.data_dir, WHAT_IF_SOCKET);
    return await serveWhatIf({ path, answer: (question) => engine.answer(question), reporter, stopped });
  } finally {
    await engine.close();
  }
}

function recordingsReady(config: Config, stopped: Promise<unknown>): Promise<void> {
  const stopping = new AbortController();
  void stopped.then(() => stopping.abort());
  const { signal } = stopping;
  const { folder } = openRecordings(config, { nowMs, random });
  return firstArrivals(readySources(config), folder, { clock: systemClock(nowMs), signal });
}

function work(context: PipelineContext, command: Command): Promise<ExitCode> {
  switch (command.name) {
    case 'run':
      return runOnce(context, command.as_of);
    case 'backfill':
      return backfill(context, command);
    case 'backtest':
      return backtest(context);
    case 'rebuild':
      return rebuild(context);
    case 'quarantine redrive':
      return redrive(context, command.batch);
    case 'reland':
    case 'drop':
      return supersede(context, command, print);
    default:
      throw new UsageError(`${command.name} does not work on a data folder`);
  }
}

function viewOf(config: Config) {
  const { data_dir: dataDir } = config.settings;
  return { disk: nodeDisk, dataDir, commandFor: (message: string) => commandFor(config, message), print };
}

async function showStatus(config: Config, json: boolean): Promise<ExitCode> {
  const { paths, settings } = config;
  const { data_dir: dataDir } = settings;
  const sources = await sourceStates(sourcesContext(config, { nowMs, random }));
  const snapshots = openSnapshots(config, { nowMs, random });
  const homes = Object.fromEntries(namedHomes(settings));
  const context = { disk: nodeDisk, dataDir, snapshots, ledger: paths.ledger, sources, homes };
  const read = await readStatus({ ...context, nowMs: nowMs() });
  for (const line of json ? [JSON.stringify(read)] : statusLines(read)) print(line);
  return EXIT.done;
}

function explain(error: unknown): ExitCode {
  if (error instanceof OutputClosedError) return EXIT.done;
  const isUse = error instanceof UsageError;
  const isWrong =
    isUse || (error instanceof Error && /^(Settings|Policy|Sources|Folder)Error$/.test(error.name));
  process.stderr.write(`${printableLines(messageOf(error))}\n${isUse ? `\n${programUsage(JOBS)}\n` : ''}`);
  return isWrong ? EXIT.wrong_use : EXIT.failed;
}
