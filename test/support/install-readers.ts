// Creates the environment of test/support/python-readers.ts: `npm run install:readers -- [FOLDER]`. Needs python3 with its venv
// module, and PyPI.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { READERS_FOLDER } from './python-readers.ts';

/** DuckDB in the version of the engine that writes the catalogue. */
const READERS = [
  ...['pyarrow', 'polars', 'pandas', 'duckdb==1.5.5', 'duckdb-extensions', 'duckdb-extension-httpfs==1.5.5'],
  ...['standardwebhooks', 'openapi-core', 'feedparser==6.0.14', 'frictionless==5.21.0', 'mlcroissant==1.1.1'],
  ...['httpx', 'websockets'],
];
/** Offered as source only. */
const FROM_SOURCE = ['jsonpath-rw'];

const folder = process.argv[2] ?? READERS_FOLDER;
const run = (program: string, args: readonly string[]) => execFileSync(program, args, { stdio: 'inherit' });
const pip = join(folder, 'bin/pip');

run('python3', ['-m', 'venv', folder]);
run(pip, [
  'install',
  '--quiet',
  '--disable-pip-version-check',
  '--only-binary',
  ':all:',
  '--no-binary',
  FROM_SOURCE.join(),
  ...READERS,
]);
run(pip, ['list', '--disable-pip-version-check']);
