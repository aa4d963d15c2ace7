// Runs the reliability tests at their release counts (or those of RELIABILITY_SCALE) and shows their figures: kills during publication,
// landing and whole runs, double starts, faults at every disk call, corruptions, time zones, clock steps and restarts. Names behind `--`
// choose some: `npm run test:reliability -- stream/seam webhooks`.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const FILES = [
  ...['kill', 'faults', 'corruption', 'locale', 'events', 'gc'].map(
    (name) => `test/snapshots/${name}.test.ts`,
  ),
  ...['kill', 'faults', 'poison', 'receipts/integrity'].map((name) => `test/jobs/ingest/${name}.test.ts`),
  'test/jobs/kill.test.ts',
  'test/jobs/landing-damage.test.ts',
  ...['stress-walks', 'time-zones'].map((name) => `test/jobs/demo/${name}.test.ts`),
  'test/jobs/pipeline/publish/seven-day-corrections.test.ts',
  'test/jobs/context/with-context.test.ts',
  ...['run', 'walks', 'clock-jumps', 'skipping'].map((name) => `test/jobs/pipeline/run/${name}.test.ts`),
  ...['kill', 'damage'].map((name) => `test/server/store/${name}.test.ts`),
  'test/server/keys.test.ts',
  'test/jobs/pipeline/gate/completeness/missing-inputs.test.ts',
  ...['kill', 'retry-times', 'send', 'recorded-faults'].map((name) => `test/server/webhooks/${name}.test.ts`),
  ...['seam', 'attacks', 'deaf-clients'].map((name) => `test/server/stream/${name}.test.ts`),
  ...['channels-kill', 'jobs-kill'].map((name) => `test/end-to-end/${name}.test.ts`),
  'test/reliability/integrity/integrity.test.ts',
  'test/server/http/malformed.test.ts',
  ...['yields', 'governance', 'network-a', 'network-b', 'oracles', 'lending'].map(
    (name) => `test/jobs/${name}/walks.test.ts`,
  ),
  ...['pegs', 'peg-sources', 'peg-arrangements', 'staleness'].map(
    (name) => `test/jobs/oracles/${name}.test.ts`,
  ),
  'test/jobs/development/scores.test.ts',
  'test/coordination/paused-leaders.test.ts',
  ...['many-at-once', 'key-guesses'].map((name) => `test/server/access/${name}.test.ts`),
  ...['analytics-bytes', 'many-runs', 'run-kill'].map((name) => `test/server/analytics/${name}.test.ts`),
  'test/models/calibration-test.test.ts',
  ...['acceptance', 'bad-input'].map((name) => `test/pages/${name}.test.ts`),
  'test/launch/stop.test.ts',
  'test/jobs/live/evm/reorganisations.test.ts',
  ...['live-month', 'poller-kills'].map((name) => `test/jobs/live/${name}.test.ts`),
  'test/jobs/live/evm/reorganisations-tables.test.ts',
];
const names = process.argv.slice(2);
const chosen = FILES.filter((file) => names.length === 0 || names.some((name) => file.includes(name)));
const unknown = names.filter((name) => !FILES.some((file) => file.includes(name)));
const VITEST = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url));

if (unknown.length > 0) {
  console.error(`No reliability test is named ${unknown.join(', ')}. There are:\n  ${FILES.join('\n  ')}`);
  process.exit(2);
}

const runner = spawn(
  process.execPath,
  [VITEST, 'run', '--reporter=verbose', '--test-timeout=7200000', ...chosen],
  {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    env: { RELIABILITY_SCALE: '100', ...process.env },
    stdio: 'inherit',
  },
);
runner.on('exit', (code) => {
  process.exitCode = code ?? 1;
});
