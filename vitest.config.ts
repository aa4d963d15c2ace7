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
          // Most of what tests make is soon garbage: more room for young objects saves a twentieth of the processor time.
          execArgv: ['--max-semi-space-size=64'],
        },
      },
      { extends: true, test: { name: 'isolated', include: ISOLATED, isolate: true } },
    ],
  },
});
