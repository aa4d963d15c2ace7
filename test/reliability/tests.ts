// The tests that `npm run test:reliability` runs at their release counts.

/** The soak cannot be shortened: a simulated day on a quiet machine. */
const MINUTES: { readonly [row: string]: number } = { 'test/reliability/soak/soak': 60 };

/** The time limit of a row: of most, the usual one. */
export const maxMinutesOf = (row: string, usual: number): number => Math.max(usual, MINUTES[row] ?? 0);

/** Test files without their endings. */
export const RELIABILITY_TESTS: readonly string[] = [
  ...['kill', 'faults', 'corruption', 'locale', 'events', 'gc'].map((name) => `test/snapshots/${name}`),
  ...['amounts', 'kill', 'faults', 'poison', 'receipts/integrity'].map((name) => `test/jobs/ingest/${name}`),
  'test/operations/backup/under-load',
  'test/programs/failing-folders',
  'test/jobs/kill',
  'test/jobs/landing-damage',
  'test/jobs/app/copies/landing',
  ...['stress-walks', 'time-zones'].map((name) => `test/jobs/sources/demo/${name}`),
  'test/jobs/pipeline/publish/seven-day-corrections',
  ...['mapping-mistakes', 'supersede-faults'].map((name) => `test/jobs/pipeline/undo/${name}`),
  'test/jobs/app/with-context',
  ...['run', 'walks', 'clock-jumps', 'skipping'].map((name) => `test/jobs/pipeline/run/${name}`),
  ...['kill', 'damage'].map((name) => `test/server/store/${name}`),
  'test/server/keys',
  'test/jobs/pipeline/gate/completeness/missing-inputs',
  ...['kill', 'retry-times', 'send', 'recorded-faults'].map((name) => `test/server/webhooks/${name}`),
  ...['seam', 'attacks', 'deaf-clients'].map((name) => `test/server/stream/${name}`),
  ...['channels-kill', 'jobs-kill'].map((name) => `test/end-to-end/${name}`),
  'test/reliability/integrity/integrity',
  ...['simulation', 'flaws'].map((name) => `test/reliability/simulation/${name}`),
  'test/reliability/soak/soak',
  ...['malformed', 'many-slow-sockets'].map((name) => `test/server/http/${name}`),
  ...['yields', 'governance', 'network-a', 'network-b', 'oracles', 'lending'].map(
    (name) => `test/jobs/families/${name}/walks`,
  ),
  ...['pegs', 'peg-sources', 'peg-arrangements', 'staleness'].map(
    (name) => `test/jobs/families/oracles/${name}`,
  ),
  'test/jobs/families/development/scores',
  'test/jobs/families/oracle-paths/losses',
  'test/platform/leases/paused-leaders',
  'test/server/mcp/usability-worlds',
  ...['many-at-once', 'key-guesses'].map((name) => `test/server/access/${name}`),
  ...['analytics-bytes', 'many-runs', 'run-kill'].map((name) => `test/server/analytics/${name}`),
  'test/models/calibration-test',
  ...['acceptance', 'bad-input'].map((name) => `test/pages/${name}`),
  'test/server/web/event-pages',
  'test/platform/processes/stop',
  'test/jobs/sources/live/evm/reorganisations',
  ...['sequences', 'logged-prices'].map((name) => `test/jobs/sources/live/evm/vaults/${name}`),
  ...['live-month', 'poller-kills'].map((name) => `test/jobs/sources/live/${name}`),
  'test/jobs/sources/live/evm/reorganisations-tables',
];
