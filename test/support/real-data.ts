// Real observations for tests: a folder outside the repository, named by REAL_DATA_DIR. Tests that need it skip, and say so, where
// it is absent.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, test } from 'vitest';

const PROJECT = fileURLToPath(new URL('../../', import.meta.url));

export const REAL_DATA_DIR = resolve(PROJECT, process.env['REAL_DATA_DIR'] ?? '../shared/data');

/** Absolute path of a file or folder of the real data. Call it inside `describeRealData`. */
export function realData(path: string): string {
  const absolute = join(REAL_DATA_DIR, path);
  if (!existsSync(absolute))
    throw new Error(`${absolute} is missing; set REAL_DATA_DIR to a complete folder`);
  return absolute;
}

/** The text of an example configuration, its inputs replaced by the real files of the same names. */
export const withRealInputs = (text: string): string => text.replaceAll('"data/', `"${REAL_DATA_DIR}/`);

/**
 * A `describe` that is skipped, with the reason in its name, where there is no real data; otherwise its name ends with `(real data)`.
 * `fn` does not run when it is skipped: it may read files itself.
 */
export function describeRealData(name: string, fn: () => void): void {
  if (existsSync(REAL_DATA_DIR)) describe(`${name} (real data)`, fn);
  else describe(name, () => test.skip(`needs real data at ${REAL_DATA_DIR}; set REAL_DATA_DIR`));
}
