// Real observations for tests, in a folder outside the repository that REAL_DATA_DIR names. Without it, tests that need it are skipped with
// a notice.
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

/** The text of an example configuration whose inputs are replaced by the real files of the same names. */
export const withRealInputs = (text: string): string => text.replaceAll('"data/', `"${REAL_DATA_DIR}/`);

/**
 * A `describe` that is skipped, with the reason in its name, without real data; otherwise its name ends with `(real data)`. `fn` may read
 * files itself, because it does not run when skipped.
 */
export function describeRealData(name: string, fn: () => void): void {
  if (existsSync(REAL_DATA_DIR)) describe(`${name} (real data)`, fn);
  else describe(name, () => test.skip(`needs real data at ${REAL_DATA_DIR}; set REAL_DATA_DIR`));
}
