// `npm start`: runs three processes that share only files and a socket: the jobs (schedule), the server, and the detectors for simulations
// (what-if). Prints what is published and what to try. Stops all of them on Ctrl-C, on SIGTERM and when npm itself ends.
import type { ChildProcess } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type LoadedSettings, loadSettings, SettingsError } from '../settings/load-settings.ts';
import { SETTINGS, type Settings } from '../settings/settings.ts';
import { announcement, completion, isFirstLook, type ServerStart } from './announcement.ts';
import { withCommands } from '../command-line/command-for.ts';
import { readCommandLine } from '../command-line/command-line.ts';
import { programUsage } from '../command-line/help.ts';
import { tolerateClosedPipe } from '../command-line/print-lines.ts';
import { START } from '../command-line/start-command.ts';
import { UsageError } from '../command-line/usage-error.ts';
import { FolderError, hasTables, readInstallation, refuseOtherUse } from './data-folder.ts';
import { type ProcessName, startProcess } from './processes.ts';
import { published } from './published.ts';
import { stopSignal } from './stop-signal.ts';
import { dataFolder, FailingDiskError, refuseUnwritable } from './writable-folder.ts';

const EXIT_FAILED = 1;
const EXIT_WRONG_USE = 2;
/** Grace period for stopping. A tick that takes longer is interrupted; the next start completes it. */
const STOP_GRACE_MS = 5_000;
const REQUEST_MS = 5_000;
const WHAT_IF_RESTART_MS = 5_000;

tolerateClosedPipe(process.stdout);
const flags = process.argv.slice(2);
const use = settingsOrExit();
const tick = tickFlags(use.settings);
const children = new Set<ChildProcess>();
let stopping = false;

/** The jobs check the sections of the configuration file. */
function settingsOrExit(): LoadedSettings {
  try {
    const line = readCommandLine(START, flags);
    if (line.help !== null) {
      console.log(line.help);
      return process.exit(0);
    }
    const readFile = (path: string) => readFileSync(path, 'utf8');
    const dotEnv = existsSync('.env') ? readFile('.env') : undefined;
    const loaded = loadSettings({ flags: line.settings, env: process.env, dotEnv, readFile });
    refuseUnwritable(dataFolder(loaded.settings.data_dir), String(process.pid));
    refuseOtherFolder(loaded);
    return loaded;
  } catch (error) {
    if (error instanceof FailingDiskError) {
      console.error(error.message);
      return process.exit(EXIT_FAILED);
    }
    if (!(error instanceof SettingsError || error instanceof FolderError || error instanceof UsageError))
      throw error;
    console.error(error.message);
    if (error instanceof UsageError) console.error(`\n${programUsage(START)}`);
    return process.exit(EXIT_WRONG_USE);
  }
}

/** The jobs check it again, and those of a folder that is a copy of a bucket. */
function refuseOtherFolder(loaded: LoadedSettings): void {
  const { version: program } = JSON.parse(readFileSync(`${import.meta.dirname}/../../package.json`, 'utf8'));
  const { data_dir: dir } = loaded.settings;
  const known = readInstallation(dir, program);
  if (known !== null && hasTables(join(dir, 'landing')))
    refuseOtherUse(known, loaded, { program, invocation: START.invocation, argv: flags });
}

/** The demo and live data are for watching, so they tick every minute unless another tick is configured. */
function tickFlags(settings: Settings): readonly string[] {
  const isConfigured = SETTINGS.some(
    ({ name, default: usual }) => name.startsWith('tick_') && String(settings[name]) !== String(usual),
  );
  if (settings.profile === 'files' || isConfigured) return [];
  return ['--tick-cron', '* * * * *', '--tick-seconds', '60'];
}

function start(name: ProcessName, args: readonly string[]): ChildProcess {
  const child = startProcess(name, [...args, ...flags, ...tick]);
  children.add(child);
  child.once('exit', (code, signal) => {
    children.delete(child);
    if (!stopping) {
      process.stderr.write(`${name} ended (${signal ?? `exit code ${code}`}); stopping the others.\n`);
      stop(code === 0 ? 1 : (code ?? 1));
    }
  });
  return child;
}

function stop(exitCode: number): void {
  if (stopping) return;
  stopping = true;
  process.exitCode = exitCode;
  for (const child of children) child.kill('SIGTERM');
  setTimeout(() => {
    for (const child of children) child.kill('SIGKILL');
  }, STOP_GRACE_MS).unref();
}

/** Without it, simulations are refused, so it starts again if it ends. Starts last, so that it does not delay the first version. */
function startWhatIf(): void {
  if (stopping) return;
  const child = startProcess('jobs', ['what-if', ...flags]);
  children.add(child);
  child.once('exit', (code, signal) => {
    children.delete(child);
    if (stopping) return;
    process.stderr.write(
      `what-if ended (${signal ?? `exit code ${code}`}); simulations are refused until it runs again.\n`,
    );
    setTimeout(startWhatIf, WHAT_IF_RESTART_MS).unref();
  });
}

/** Bounds a request, so that a server that hangs does not silence the terminal. */
const fetchSoon = (url: string) => fetch(url, { signal: AbortSignal.timeout(REQUEST_MS) });

async function announce(started: ServerStart): Promise<void> {
  const say = (line: string) => process.stderr.write(`${line}\n`);
  const steadyMs = () => performance.now();
  const waiting = { fetch: fetchSoon, pause: wait, isStopping: () => stopping, say, steadyMs };
  const status = await published(started.address, waiting);
  process.stdout.write(`${withCommands(announcement(started, status), use)}\n`);
  if (isFirstLook(status))
    process.stdout.write(
      `${withCommands(completion(await published(started.address, waiting, status.version)), use)}\n`,
    );
  startWhatIf();
}

void stopSignal(process).then(() => stop(0));
const server = start('server', []);
start('jobs', ['schedule']);
server.once('message', (started: ServerStart) => {
  announce(started).catch((error: Error) => {
    if (stopping) return;
    process.stderr.write(`${error.message}\n`);
    stop(1);
  });
});
