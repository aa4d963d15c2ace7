// Runs the reliability tests at their release counts (or those of RELIABILITY_SCALE) and shows their figures: kills during publication,
// landing and whole runs, double starts, faults at every disk call, corruptions, time zones, clock steps and restarts. Names after `--`
// select some: `npm run test:reliability -- stream/seam webhooks`.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Test files without their endings. */
const FILES = [
  ...['kill', 'faults', 'corruption', 'locale', 'events', 'gc'].map((name) => `test/snapshots/${name}`),
  ...['amounts', 'kill', 'faults', 'poison', 'receipts/integrity'].map((name) => `test/jobs/ingest/${name}`),
  'test/jobs/kill',
  'test/jobs/landing-damage',
  ...['stress-walks', 'time-zones'].map((name) => `test/jobs/sources/demo/${name}`),
  'test/jobs/pipeline/publish/seven-day-corrections',
  'test/jobs/app/with-context',
  ...['run', 'walks', 'clock-jumps', 'skipping'].map((name) => `test/jobs/pipeline/run/${name}`),
  ...['kill', 'damage'].map((name) => `test/server/store/${name}`),
  'test/server/keys',
  'test/jobs/pipeline/gate/completeness/missing-inputs',
  ...['kill', 'retry-times', 'send', 'recorded-faults'].map((name) => `test/server/webhooks/${name}`),
  ...['seam', 'attacks', 'deaf-clients'].map((name) => `test/server/stream/${name}`),
  ...['channels-kill', 'jobs-kill'].map((name) => `test/end-to-end/${name}`),
  'test/reliability/integrity/integrity',
  'test/server/http/malformed',
  ...['yields', 'governance', 'network-a', 'network-b', 'oracles', 'lending'].map(
    (name) => `test/jobs/families/${name}/walks`,
  ),
  ...['pegs', 'peg-sources', 'peg-arrangements', 'staleness'].map(
    (name) => `test/jobs/families/oracles/${name}`,
  ),
  'test/jobs/families/development/scores',
  'test/platform/leases/paused-leaders',
  ...['many-at-once', 'key-guesses'].map((name) => `test/server/access/${name}`),
  ...['analytics-bytes', 'many-runs', 'run-kill'].map((name) => `test/server/analytics/${name}`),
  'test/models/calibration-test',
  ...['acceptance', 'bad-input'].map((name) => `test/pages/${name}`),
  'test/platform/processes/stop',
  'test/jobs/sources/live/evm/reorganisations',
  ...['live-month', 'poller-kills'].map((name) => `test/jobs/sources/live/${name}`),
  'test/jobs/sources/live/evm/reorganisations-tables',
];
const names = process.argv.slice(2);
const chosen = FILES.filter((file) => names.length === 0 || names.some((name) => file.includes(name)));
const unknown = names.filter((name) => !FILES.some((file) => file.includes(name)));
const VITEST = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url));

if (unknown.length > 0) {
  console.error(
    `No reliability test is named ${unknown.join(', ')}. The tests are:\n  ${FILES.join('\n  ')}`,
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
