// Has Schemathesis, an independent tool, make requests from the served API document and check every response:
// `npm run test:schemathesis`. `SCHEMATHESIS_EXAMPLES` sets the requests per operation and phase (default: a few); further arguments are
// passed on to Schemathesis. Needs python3 and PyPI: the tool is installed in an environment of its own under `var/`.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { servedDemo } from './served-demo.ts';

const FEW_EXAMPLES = '15';
const PACKAGE = 'schemathesis==4.32.5';
const HERE = fileURLToPath(new URL('.', import.meta.url));
const ENVIRONMENT = fileURLToPath(new URL('../../var/schemathesis', import.meta.url));
const TOOL = process.env['SCHEMATHESIS'] ?? join(ENVIRONMENT, 'bin/schemathesis');

if (!existsSync(TOOL)) {
  execFileSync('python3', ['-m', 'venv', ENVIRONMENT], { stdio: 'inherit' });
  execFileSync(join(ENVIRONMENT, 'bin/pip'), ['install', '--quiet', PACKAGE], { stdio: 'inherit' });
}

const { url, key, remove } = await servedDemo();
const args = [
  `--config-file=${join(HERE, 'schemathesis.toml')}`,
  'run',
  `${url}/openapi-public.json`,
  `--header=Authorization: Bearer ${key}`,
  `--max-examples=${process.env['SCHEMATHESIS_EXAMPLES'] ?? FEW_EXAMPLES}`,
  '--continue-on-failure',
  ...process.argv.slice(2),
];
// The tool keeps notes in its working directory.
mkdirSync(ENVIRONMENT, { recursive: true });
const child = spawn(TOOL, args, {
  cwd: ENVIRONMENT,
  stdio: 'inherit',
  env: { ...process.env, SCHEMATHESIS_HOOKS: 'wrong_method', PYTHONPATH: HERE },
});
const [code] = (await once(child, 'exit')) as [number | null];
await remove();
process.exitCode = code ?? 1;
