// The Python that runs the Python client in tests: the one of the readers, if it has what the client needs.
import { spawnSync } from 'node:child_process';
import { READERS_PYTHON } from '../support/python-readers.ts';

export const PYTHON_SOURCE = new URL('../../packages/python/src', import.meta.url).pathname;

const has = (...modules: readonly string[]): boolean =>
  spawnSync(READERS_PYTHON, ['-c', `import ${modules.join(', ')}`]).status === 0;

/** Whether the packages of tables are there too. */
export const areTablesInstalled = (): boolean => has('httpx', 'pandas', 'polars', 'pyarrow');

/** Undefined where it is not installed. */
export const PACKAGES_PYTHON = has('httpx', 'websockets') ? READERS_PYTHON : undefined;
