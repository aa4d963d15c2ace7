import { availableParallelism } from 'node:os';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Files that need a process of their own: the first two replace modules, three measure the memory of their process, and the last is slow in a
 * process that has run other files.
 */
const ISOLATED = [
  'test/jobs/families/eighth-family/registered.test.ts',
  'test/jobs/sources/live/evm/selectors.test.ts',
  'test/server/metrics/under-load.test.ts',
  'test/server/stream/deaf-clients.slow.test.ts',
  'test/server/webhooks/recorded-faults.slow.test.ts',
  'test/snapshots/faults.test.ts',
];
/** The files that take longest: `npm run test:slow`, not `npm test`. CI runs both. */
const SLOW = 'test/**/*.slow.test.ts';
const isSlow = (file: string): boolean => file.endsWith('.slow.test.ts');

/**
 * Files that repeat one property in many worlds, for minutes: `npm run test:nightly`, which CI calls if `CI_WHOLE` is set. They are run every
 * night and before a release; a change runs their shorter siblings.
 */
const NIGHTLY = [
  'test/end-to-end/channels-kill.slow.test.ts',
  'test/examples/configurations.slow.test.ts',
  'test/jobs/additive.slow.test.ts',
  'test/jobs/app/copies/landing.slow.test.ts',
  'test/jobs/families/governance/bad-input.slow.test.ts',
  'test/jobs/families/governance/governor-rules.slow.test.ts',
  'test/jobs/families/lending/walks.slow.test.ts',
  'test/jobs/families/network-b/bad-input.slow.test.ts',
  'test/jobs/families/oracles/files.slow.test.ts',
  'test/jobs/families/oracles/peg-arrangements.slow.test.ts',
  'test/jobs/families/oracles/readings.slow.test.ts',
  'test/jobs/families/oracles/unknown-prices.slow.test.ts',
  'test/jobs/families/oracles/walks.slow.test.ts',
  'test/jobs/families/vaults/unknown-inputs.slow.test.ts',
  'test/jobs/ingest/amounts.slow.test.ts',
  'test/jobs/ingest/check/repeated-keys.slow.test.ts',
  'test/jobs/pipeline/gate/completeness/missing-inputs.slow.test.ts',
  'test/jobs/pipeline/held/held-crashes.slow.test.ts',
  'test/jobs/pipeline/held/held-events.slow.test.ts',
  'test/jobs/pipeline/held/held-property.slow.test.ts',
  'test/jobs/pipeline/held/refused-tables.slow.test.ts',
  'test/jobs/pipeline/held/unfit-rows.slow.test.ts',
  'test/jobs/pipeline/publish/restatements.slow.test.ts',
  'test/jobs/pipeline/run/skipping.slow.test.ts',
  'test/jobs/pipeline/run/stretches.slow.test.ts',
  'test/jobs/pipeline/run/walks.slow.test.ts',
  'test/jobs/pipeline/undo/supersede-faults.slow.test.ts',
  'test/jobs/pipeline/undo/supersede.slow.test.ts',
  'test/jobs/sources/demo/stress-walks.slow.test.ts',
  'test/jobs/sources/live/secret-echo.slow.test.ts',
  'test/models/calibration-test.slow.test.ts',
  'test/operations/backup/under-load.slow.test.ts',
  'test/operations/formats/old-folders.slow.test.ts',
  'test/operations/proxies.slow.test.ts',
  'test/pages/input-trouble.slow.test.ts',
  'test/programs/data-folder.slow.test.ts',
  'test/programs/failing-folders.slow.test.ts',
  'test/programs/fetching-ends.slow.test.ts',
  'test/programs/secrets.slow.test.ts',
  'test/reliability/simulation/flaws.slow.test.ts',
  'test/reliability/soak/soak.slow.test.ts',
  'test/server/data/mirror-readers.slow.test.ts',
  'test/server/http/many-slow-sockets.slow.test.ts',
  'test/server/webhooks/grouping-kill.slow.test.ts',
];

/** Files that take ten seconds or more start first: otherwise one of them is still running when all others have ended. */
const LONG = [
  'test/programs/every-command.slow.test.ts',
  'test/operations/backup/under-load.slow.test.ts',
  'test/operations/backup/restore.slow.test.ts',
  'test/operations/doctor.slow.test.ts',
  'test/operations/proxies.slow.test.ts',
  'test/programs/failing-folders.slow.test.ts',
  'test/jobs/pipeline/held/refused-tables.slow.test.ts',
  'test/programs/data-folder.slow.test.ts',
  'test/pages/acceptance.slow.test.ts',
  'test/jobs/kill.slow.test.ts',
  'test/reliability/simulation/simulation.slow.test.ts',
  'test/end-to-end/live.slow.test.ts',
  'test/jobs/pipeline/held/held-property.slow.test.ts',
  'test/jobs/ingest/check/repeated-keys.slow.test.ts',
  'test/jobs/sources/live/secret-echo.slow.test.ts',
  'test/pages/bad-input.slow.test.ts',
  'test/pages/input-trouble.slow.test.ts',
  'test/examples/configurations.slow.test.ts',
  'test/jobs/pipeline/run/skipping.slow.test.ts',
  'test/platform/processes/stop.slow.test.ts',
  'test/jobs/sources/demo/published-datasets.slow.test.ts',
  'test/jobs/additive.slow.test.ts',
  'test/jobs/engine/warehouse.test.ts',
  'test/jobs/cases.test.ts',
];

class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) => LONG.some((name) => moduleId.endsWith(`/${name}`));
    const sorted = await super.sort(files);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

/** One more than there are cores, because some tests wait for timers and programs. Each worker may use a gigabyte. */
const MAX_WORKERS = Math.min(6, availableParallelism() + 1);

/** Files share the modules of their worker: importing them for each file takes longer than most files do. */
const shared = (name: string, include: string[], exclude: string[]): TestProjectInlineConfiguration => ({
  extends: true,
  test: {
    name,
    include,
    exclude,
    isolate: false,
    // A worker runs hundreds of files: enough room that old objects are rarely marked, and that functions stay compiled between files.
    execArgv: [
      '--max-semi-space-size=64',
      '--initial-old-space-size=1024',
      '--no-memory-reducer',
      '--no-flush-bytecode',
    ],
  },
});

const isolated = (name: string, include: string[]): TestProjectInlineConfiguration => ({
  extends: true,
  test: { name, include, isolate: true },
});

// biome-ignore lint/style/noDefaultExport: vitest reads its configuration from the default export
export default defineConfig({
  test: {
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: 'forks',
    maxWorkers: MAX_WORKERS,
    sequence: { sequencer: LongFilesFirst },
    globalSetup: 'test/support/global-setup.ts',
    setupFiles: 'test/support/remove-leftovers.ts',
    projects: [
      shared('shared', ['test/**/*.test.ts'], [...ISOLATED, SLOW]),
      isolated(
        'isolated',
        ISOLATED.filter((file) => !isSlow(file)),
      ),
      shared('slow', [SLOW], [...ISOLATED, ...NIGHTLY]),
      shared('nightly', NIGHTLY, []),
      isolated('slow-isolated', ISOLATED.filter(isSlow)),
    ],
  },
});
