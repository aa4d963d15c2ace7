// Programs from PyPI in a folder of their own, which is removed afterwards.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const run = promisify(execFile);

export interface PythonPrograms {
  /** Absolute path of an installed program. */
  path(program: string): string;
  /** `name version` of the packages that were asked for. */
  readonly versions: string;
}

/** Null if the packages are not available; `explain` gets the reason. */
export async function installPython(
  packages: readonly string[],
  explain: (line: string) => void,
): Promise<PythonPrograms | null> {
  const folder = temporaryFolder('peers-python');
  const path = (program: string) => join(folder, 'bin', program);
  try {
    await run('python3', ['-m', 'venv', folder]);
    await run(path('pip'), ['install', '--quiet', '--disable-pip-version-check', ...packages], {
      maxBuffer: 1e8,
    });
    const { stdout } = await run(path('pip'), ['list', '--disable-pip-version-check', '--format=freeze']);
    const names = packages.map((one) => one.split(/[[=<>]/)[0] ?? one);
    const found = stdout.split('\n').filter((line) => names.some((name) => line.startsWith(`${name}==`)));
    return { path, versions: found.join(', ').replaceAll('==', ' ') };
  } catch (error) {
    explain(`not measured, because ${packages.join(' ')} cannot be installed: ${lastLine(error)}`);
    return null;
  }
}

/** The result of a peer's work; null, with a line that says why, if it fails. */
export async function attempt<T>(
  name: string,
  explain: (line: string) => void,
  work: () => Promise<T>,
): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    explain(`${name} was not measured: ${lastLine(error)}`);
    return null;
  }
}

const lastLine = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).trim().split('\n').at(-1) ?? '';
