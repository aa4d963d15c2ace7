// When a long-running program has to stop: on a signal, or when the program that started it, or npm, ends.
// npm passes SIGTERM only to its shell, which ends without passing it on: a program run by an npm script only sees that its parent is gone.

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

/** Resolves once, with the first reason to stop. Outside npm a program may outlive its parent, so the parent is watched under npm alone. */
export function stopSignal(program: StoppableProcess): Promise<StopReason> {
  return new Promise((resolve) => {
    // The launcher holds a channel to its programs: when it is gone, however it ended, they stop too.
    const onDisconnect = () => resolve('disconnect');
    // Listening keeps the channel, and with it the process, alive: a program that is signalled alone would stop and never end.
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
