// Finds local processes by a path in their command line.
import { execFileSync } from 'node:child_process';

/** Command lines of the processes that mention a path, each preceded by its process id. */
export const workingOn = (path: string): readonly string[] =>
  execFileSync('ps', ['-Ao', 'pid=,args='], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes(path));
