// Creates the environment of test/support/python-readers.ts: `npm run install:readers -- [FOLDER]`. Needs python3 with its venv
// module, and PyPI.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { READERS_FOLDER } from './python-readers.ts';

const READERS = ['pyarrow', 'polars', 'duckdb', 'standardwebhooks', 'openapi-core'];

const folder = process.argv[2] ?? READERS_FOLDER;
const run = (program: string, args: readonly string[]) => execFileSync(program, args, { stdio: 'inherit' });
const pip = join(folder, 'bin/pip');

run('python3', ['-m', 'venv', folder]);
run(pip, ['install', '--quiet', '--disable-pip-version-check', '--only-binary', ':all:', ...READERS]);
run(pip, ['list', '--disable-pip-version-check']);
