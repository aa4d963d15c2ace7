// Starts a program as a separate process. Only this file starts processes: the jobs and the server never start each other.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const ENTRY_POINTS = { server: '../server/main.ts', jobs: '../jobs/main.ts' } as const;

/** Removing types from the scripts of the pages is marked as experimental by Node. */
const QUIET = ['--disable-warning=ExperimentalWarning'];

export type ProcessName = keyof typeof ENTRY_POINTS;

/** Its output goes to the terminal. The channel closes when the launcher ends, however that happens. */
export const startProcess = (name: ProcessName, args: readonly string[]): ChildProcess =>
  spawn(process.execPath, [...QUIET, entryPoint(name), ...args], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });

/** Runs the program to its end. Returns its exit code; 1 if a signal ended it. */
export async function runProcess(name: ProcessName, args: readonly string[]): Promise<number> {
  const child = spawn(process.execPath, [...QUIET, entryPoint(name), ...args], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 1;
}

const entryPoint = (name: ProcessName) => fileURLToPath(new URL(ENTRY_POINTS[name], import.meta.url));

const RESTART_MS = 5_000;
const STOP_GRACE_MS = 5_000;

/** Starts a program again when it ends on its own. The returned function stops it and waits for its end. */
export function keepRunning(start: () => ChildProcess, warn: (message: string) => void): () => Promise<void> {
  let child = start();
  let isStopping = false;
  let timer: NodeJS.Timeout | undefined;
  const watch = () =>
    child.once('exit', (code, signal) => {
      if (isStopping) return;
      warn(`fetching ended (${signal ?? `exit code ${code}`}) and starts again in ${RESTART_MS / 1000} s.`);
      timer = setTimeout(() => {
        child = start();
        watch();
      }, RESTART_MS);
      timer.unref();
    });
  watch();
  return async () => {
    isStopping = true;
    clearTimeout(timer);
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    const force = setTimeout(() => child.kill('SIGKILL'), STOP_GRACE_MS);
    await ended;
    clearTimeout(force);
  };
}
