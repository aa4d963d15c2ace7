// Detects when a long-running program has to stop: on a signal, or when its launcher or npm ends. npm sends SIGTERM only to its shell,
// which ends without passing it on, so a program run by an npm script notices only that its parent is gone.

/** The required part of Node's `process`. */
export interface StoppableProcess {
  readonly env: { readonly [name: string]: string | undefined };
  readonly ppid: number;
  once(event: StopEvent, listener: () => void): unknown;
  removeListener(event: StopEvent, listener: () => void): unknown;
}

type StopEvent = 'SIGINT' | 'SIGTERM' | 'disconnect';

export type StopReason = StopEvent | 'parent ended';

/** Calls `work` at an interval until the returned function is called; does not keep the process alive. */
export function every(ms: number, work: () => void): () => void {
  const timer = setInterval(work, ms);
  timer.unref();
  return () => clearInterval(timer);
}

const PARENT_CHECK_MS = 200;

/** Resolves once, with the first reason to stop. The parent is watched only under npm; elsewhere a program may outlive its parent. */
export function stopSignal(program: StoppableProcess): Promise<StopReason> {
  return new Promise((resolve) => {
    // The launcher holds a channel to its programs. The channel closes when the launcher ends for any reason, and the programs then stop.
    const onDisconnect = () => resolve('disconnect');
    // The listener keeps the channel, and with it the process, alive: a program signalled on its own would stop work but never exit.
    const onSignal = (signal: 'SIGINT' | 'SIGTERM') => {
      program.removeListener('disconnect', onDisconnect);
      resolve(signal);
    };
    program.once('SIGINT', () => onSignal('SIGINT'));
    program.once('SIGTERM', () => onSignal('SIGTERM'));
    program.once('disconnect', onDisconnect);
    if (program.env['npm_lifecycle_event'] === undefined) return;
    const parent = program.ppid;
    const stopWatching = every(PARENT_CHECK_MS, () => {
      if (program.ppid === parent) return;
      stopWatching();
      resolve('parent ended');
    });
  });
}
