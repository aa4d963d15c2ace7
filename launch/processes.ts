// Starts a program as a separate process. Only this file starts processes: the jobs and the server never start each other.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const ENTRY_POINTS = { server: '../server/main.ts', jobs: '../jobs/main.ts' } as const;

export type ProcessName = keyof typeof ENTRY_POINTS;

/** Its output goes to the terminal. The channel closes when the launcher ends, however that happens. */
export const startProcess = (name: ProcessName, args: readonly string[]): ChildProcess =>
  spawn(process.execPath, [entryPoint(name), ...args], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });

/** Runs the program to its end. Returns its exit code; 1 if a signal ended it. */
export async function runProcess(name: ProcessName, args: readonly string[]): Promise<number> {
  const child = spawn(process.execPath, [entryPoint(name), ...args], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 1;
}

const entryPoint = (name: ProcessName) => fileURLToPath(new URL(ENTRY_POINTS[name], import.meta.url));
