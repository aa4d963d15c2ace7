// Ends a process that a test started.
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** Sends the signal and resolves when the process is gone. */
export async function endProcess(child: ChildProcess, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill(signal);
  await exit;
}
