// The entry point of the jobs. Owns the environment, clock, signals and exit code; everything else receives them as arguments.
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { counted } from '../platform/base/plural.ts';
import { printableLines } from '../platform/base/printable.ts';
import { type FolderUse, withCommands } from '../platform/command-line/command-for.ts';
import { readCommandLine } from '../platform/command-line/command-line.ts';
import { programUsage } from '../platform/command-line/help.ts';
import { JOBS } from '../platform/command-line/jobs-commands.ts';
import { linePrinter, OutputClosedError } from '../platform/command-line/print-lines.ts';
import { UsageError } from '../platform/command-line/usage-error.ts';
import { keepRunning, runProcess, startProcess } from '../platform/processes/processes.ts';
import { every, stopSignal } from '../platform/processes/stop-signal.ts';
import { umaskOf } from '../platform/settings/file-access.ts';
import { nodeDisk } from '../platform/storage/disk.ts';
import { FLUSH_MS, openTraces, type Traces, tracerOf } from '../platform/tracing/open-traces.ts';
import { MIRROR_CATALOGUE } from '../snapshots/mirror-index.ts';
import { restrictAccess } from './app/file-access.ts';
import { LANDING_KEY_BYTES } from './app/installation-keys.ts';
import { replaceCatalogue } from './app/mirror-catalogue.ts';
import { perform } from './app/perform.ts';
import type { Surroundings } from './app/surroundings.ts';
import type { ProcessMemory } from './app/tidy-memory.ts';
import { EXIT, type ExitCode } from './commands/exit-codes.ts';
import { parseCommand } from './commands/parse.ts';
import { type Config, loadConfig } from './config.ts';
import { writeCatalogue } from './engine/duckdb/catalogue.ts';
import { jsonReporter, messageOf, type Reporter, terminalReporter } from './pipeline/run/report.ts';

const nowMs = () => Date.now();
const printLine = linePrinter(process.stdout);
const readText = (path: string) => readFileSync(path, 'utf8');
/** Known once the settings are. */
let use: FolderUse | null = null;
const complete = (text: string) => (use === null ? text : withCommands(text, use));
/** Other programs read lines of JSON, which stay as they are. */
const print = (line: string) => printLine(/^[[{]/.test(line) ? line : complete(line));

const packageVersion = (): string => JSON.parse(readText(`${import.meta.dirname}/../package.json`)).version;

const traceEffects = (reporter: Reporter) => ({
  nowMs,
  steadyMs: () => performance.now(),
  random: () => Math.random(),
  randomBytes,
  env: process.env,
  program: 'jobs',
  version: packageVersion(),
  instance: `jobs-${randomBytes(6).toString('hex')}`,
  warn: (message: string) => reporter.warn(message),
});

process.exitCode = await main(process.argv.slice(2));
// The launcher's channel would keep a program alive whose work has ended with an error.
if (process.connected) process.disconnect();

async function main(argv: readonly string[]): Promise<number> {
  try {
    const line = readCommandLine(JOBS, argv);
    if (line.help !== null) {
      for (const one of line.help.split('\n')) printLine(one);
      return EXIT.done;
    }
    const dotEnv = existsSync('.env') ? readText('.env') : undefined;
    const config = loadConfig({ flags: line.settings, env: process.env, dotEnv, readFile: readText });
    use = config;
    const reporter = reporterFor(config);
    for (const warning of config.warnings) reporter.warn(warning);
    if (line.command.name === 'export') return await exportMirror(line.command.flags.out, config, argv);
    process.umask(umaskOf(config.settings));
    restrictAccess(config, process.getuid?.() ?? -1);
    const command = parseCommand(line.command, nowMs() / 1000);
    const traces = openTraces(config.settings, traceEffects(reporter));
    try {
      return await perform(config, command, surroundings(argv, reporter, traces));
    } finally {
      await traces?.exporter.stop(FLUSH_MS);
    }
  } catch (error) {
    return explain(error);
  }
}

/** Only the server can render the responses of its endpoints, and only the jobs have an engine for the catalogue over them. */
async function exportMirror(out: string, { settings }: Config, argv: readonly string[]): Promise<number> {
  const code = await runProcess('server', argv);
  if (code !== EXIT.done) return code;
  if (settings.mirror_url === '') {
    print(`${out}: no ${MIRROR_CATALOGUE}, because MIRROR_URL does not say where the mirror will be served.`);
    return EXIT.done;
  }
  const { versions } = await replaceCatalogue({
    disk: nodeDisk,
    folder: resolve(out),
    write: writeCatalogue,
  });
  const datasets = Object.keys(versions[0]?.datasets ?? {}).length;
  print(
    `${out}: ${MIRROR_CATALOGUE} has ${counted(datasets, 'dataset')} in ${counted(versions.length, 'version')}.`,
  );
  return EXIT.done;
}

function surroundings(argv: readonly string[], reporter: Reporter, traces: Traces | undefined): Surroundings {
  const flags = argv.filter((_, index) => index !== argv.indexOf('schedule'));
  const steadyMs = () => performance.now();
  return {
    nowMs,
    steadyMs,
    random: () => Math.random(),
    makeKey: () => randomBytes(LANDING_KEY_BYTES),
    makeId: () => randomBytes(6).toString('hex'),
    cores: availableParallelism(),
    memory: processMemory(),
    path: process.env['PATH'] ?? '',
    print,
    every,
    wait: (ms) => delay(ms),
    stopped: () => stopSignal(process),
    fetchMeanwhile: (warn) =>
      keepRunning(() => startProcess('jobs', ['fetch', '--watch', ...flags]), warn, steadyMs),
    caller: { program: packageVersion(), invocation: JOBS.invocation, argv },
    reporter,
    tracer: tracerOf(traces),
  };
}

/** Node has the collector only behind a flag, which may be set while it runs. Other flavours keep the pages of what was freed for later use. */
function processMemory(): ProcessMemory {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as (options: object) => void;
  return {
    usedBytes() {
      const { heapUsed, arrayBuffers } = process.memoryUsage();
      return heapUsed + arrayBuffers;
    },
    collectGarbage() {
      collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
    },
  };
}

function reporterFor({ settings: { log_level: level } }: Config): Reporter {
  const write = (text: string) => void process.stderr.write(text);
  return (process.stderr.isTTY ? terminalReporter : jsonReporter)({ write, nowMs, level, complete });
}

function explain(error: unknown): ExitCode {
  if (error instanceof OutputClosedError) return EXIT.done;
  const isUse = error instanceof UsageError;
  const isWrong =
    isUse || (error instanceof Error && /^(Settings|Policy|Sources|Folder)Error$/.test(error.name));
  process.stderr.write(
    `${printableLines(complete(messageOf(error)))}\n${isUse ? `\n${programUsage(JOBS)}\n` : ''}`,
  );
  return isWrong ? EXIT.wrong_use : EXIT.failed;
}
