// Starts a program as a separate process. Only this file starts processes: the jobs and the server never start each other.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const ENTRY_POINTS = { server: '../../server/main.ts', jobs: '../../jobs/main.ts' } as const;

/** Node marks type stripping, which the page scripts use, as experimental. */
const QUIET = ['--disable-warning=ExperimentalWarning'];

/** The jobs make few objects at a time: with a larger young generation, V8 only keeps more memory. */
const OPTIONS = { server: QUIET, jobs: [...QUIET, '--max-semi-space-size=4'] } as const;

export type ProcessName = keyof typeof ENTRY_POINTS;

/** Starts a program whose output goes to the terminal. Its channel closes when the launcher ends for any reason. */
export const startProcess = (name: ProcessName, args: readonly string[]): ChildProcess =>
  spawn(process.execPath, [...OPTIONS[name], entryPoint(name), ...args], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });

/** Runs a program to its end. Returns its exit code, or 1 if a signal ended it. */
export async function runProcess(name: ProcessName, args: readonly string[]): Promise<number> {
  const child = spawn(process.execPath, [...OPTIONS[name], entryPoint(name), ...args], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 1;
}

const entryPoint = (name: ProcessName) => fileURLToPath(new URL(ENTRY_POINTS[name], import.meta.url));

const RESTART_MS = 5_000;
const MAX_RESTART_MS = 300_000;
/** A program that has run for this long has recovered: its next restart is as quick as the first. */
const SOUND_MS = 600_000;
const STOP_GRACE_MS = 5_000;

/** Pause before the next restart: doubled while the program keeps ending soon after its start. */
export const nextRestartMs = (previousMs: number | null, ranMs: number): number =>
  previousMs === null || ranMs >= SOUND_MS ? RESTART_MS : Math.min(MAX_RESTART_MS, previousMs * 2);

/** Restarts a program whenever it ends unasked. The returned function stops the program and waits for its end. */
export function keepRunning(
  start: () => ChildProcess,
  warn: (message: string) => void,
  steadyMs: () => number,
): () => Promise<void> {
  let child = start();
  let startedMs = steadyMs();
  let pauseMs: number | null = null;
  let isStopping = false;
  let timer: NodeJS.Timeout | undefined;
  const watch = () =>
    child.once('exit', (code, signal) => {
      if (isStopping) return;
      pauseMs = nextRestartMs(pauseMs, steadyMs() - startedMs);
      warn(`fetching ended (${signal ?? `exit code ${code}`}) and restarts in ${pauseMs / 1000} s.`);
      timer = setTimeout(() => {
        child = start();
        startedMs = steadyMs();
        watch();
      }, pauseMs);
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
