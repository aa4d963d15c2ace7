// Runs the reliability tests at their release counts (or those of RELIABILITY_SCALE) and shows their figures: kills during publication,
// landing and whole runs, double starts, faults at every disk call, corruptions, time zones, clock steps and restarts. Names after `--`
// select some: `npm run test:reliability -- stream/seam webhooks`.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { RELIABILITY_TESTS } from './tests.ts';

const names = process.argv.slice(2);
const chosen = RELIABILITY_TESTS.filter(
  (file) => names.length === 0 || names.some((name) => file.includes(name)),
);
const unknown = names.filter((name) => !RELIABILITY_TESTS.some((file) => file.includes(name)));
const VITEST = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url));

if (unknown.length > 0) {
  console.error(
    `No reliability test is named ${unknown.join(', ')}. The tests are:\n  ${RELIABILITY_TESTS.join('\n  ')}`,
  );
  process.exit(2);
}

const runner = spawn(
  process.execPath,
  [VITEST, 'run', '--reporter=verbose', '--test-timeout=7200000', ...chosen.map((path) => `${path}.`)],
  {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    env: { RELIABILITY_SCALE: '100', ...process.env },
    stdio: 'inherit',
  },
);
runner.on('exit', (code) => {
  process.exitCode = code ?? 1;
});
