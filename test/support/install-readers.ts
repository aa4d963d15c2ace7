// Makes the environment of test/support/python-readers.ts: `node test/support/install-readers.ts`. Needs python3 and PyPI.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { READERS_FOLDER } from './python-readers.ts';

execFileSync('python3', ['-m', 'venv', READERS_FOLDER], { stdio: 'inherit' });
execFileSync(join(READERS_FOLDER, 'bin/pip'), ['install', '--quiet', 'pyarrow', 'polars', 'duckdb'], {
  stdio: 'inherit',
});
