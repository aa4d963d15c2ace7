// What benchmarks share that measure in processes of their own.
import { fork } from 'node:child_process';
import { once } from 'node:events';

/** Processor milliseconds of this process. */
export async function cpuMs(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/** The figures that a process sends before it ends. `flags`: of Node, besides those of this process. */
export async function figuresSent<Figures>(
  file: URL,
  args: readonly string[],
  flags: readonly string[] = [],
): Promise<Figures> {
  const child = fork(file, [...args], { execArgv: [...process.execArgv, ...flags] });
  const exit = once(child, 'exit');
  const first = await Promise.race([once(child, 'message'), exit.then(() => null)]);
  await exit;
  if (first === null) throw new Error(`${file.pathname} ${args.join(' ')} ended without figures`);
  return first[0] as Figures;
}
