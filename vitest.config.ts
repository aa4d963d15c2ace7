import { defineConfig } from 'vitest/config';

/** The first replaces modules; three measure the memory of their own process; the last is slow in a process that ran other files. */
const ISOLATED = [
  'test/jobs/eighth-family/registered.test.ts',
  'test/server/metrics/under-load.test.ts',
  'test/server/stream/deaf-clients.test.ts',
  'test/server/webhooks/recorded-faults.test.ts',
  'test/snapshots/faults.test.ts',
];

// biome-ignore lint/style/noDefaultExport: vitest reads its configuration from the default export
export default defineConfig({
  test: {
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: 'forks',
    maxWorkers: 2,
    globalSetup: 'test/support/global-setup.ts',
    setupFiles: 'test/support/remove-leftovers.ts',
    projects: [
      // Files share their worker's modules: importing them for each file takes longer than most files do.
      {
        extends: true,
        test: {
          name: 'shared',
          include: ['test/**/*.test.ts'],
          exclude: ISOLATED,
          isolate: false,
          // A worker runs hundreds of files: room enough that old objects are hardly ever marked, and functions stay compiled between files.
          execArgv: [
            '--max-semi-space-size=64',
            '--initial-old-space-size=1024',
            '--no-memory-reducer',
            '--no-flush-bytecode',
          ],
        },
      },
      { extends: true, test: { name: 'isolated', include: ISOLATED, isolate: true } },
    ],
  },
});
