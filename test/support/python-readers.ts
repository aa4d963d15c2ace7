// Readers of published forms that are not ours: pyarrow, polars and DuckDB's Python package, in an environment of their own that
// `node test/support/install-readers.ts` makes, or the one whose Python READERS_PYTHON names. Tests skip, and say so, without it.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe } from 'vitest';

const PROJECT = fileURLToPath(new URL('../../', import.meta.url));
export const READERS_FOLDER = join(PROJECT, 'var/readers');
const PYTHON = process.env['READERS_PYTHON'] ?? join(READERS_FOLDER, 'bin/python');

/** What a script prints as JSON. */
export function readWithPython(script: string, args: readonly string[]): unknown {
  const path = fileURLToPath(new URL(script, import.meta.url));
  return JSON.parse(execFileSync(PYTHON, [path, ...args], { encoding: 'utf8', maxBuffer: 1 << 28 }));
}

/** A `describe` that is skipped, with the reason in its name, when the readers are not here. */
export function describeReaders(name: string, fn: () => void): void {
  if (existsSync(PYTHON)) describe(name, fn);
  else
    describe.skip(
      `${name} (skipped: no pyarrow, polars and duckdb: node test/support/install-readers.ts)`,
      fn,
    );
}
