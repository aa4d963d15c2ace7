import { availableParallelism } from 'node:os';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';

/** The first replaces modules; three measure the memory of their own process; the last is slow in a process that ran other files. */
const ISOLATED = [
  'test/jobs/eighth-family/registered.test.ts',
  'test/server/metrics/under-load.test.ts',
  'test/server/stream/deaf-clients.slow.test.ts',
  'test/server/webhooks/recorded-faults.slow.test.ts',
  'test/snapshots/faults.slow.test.ts',
];
/** `npm run test:quick` leaves them out: kills, random histories, browsers, databases, and what else takes more than three seconds. */
const SLOW = 'test/**/*.slow.test.ts';

/** A worker may use more than a core, and a gigabyte. */
const MAX_WORKERS = Math.min(6, Math.max(2, availableParallelism() - 1));

/** Files share their worker's modules: importing them for each file takes longer than most files do. */
const shared = (name: string, include: string, exclude: string[]): TestProjectInlineConfiguration => ({
  extends: true,
  test: {
    name,
    include: [include],
    exclude,
    isolate: false,
    // A worker runs hundreds of files: room enough that old objects are hardly ever marked, and functions stay compiled between files.
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
    globalSetup: 'test/support/global-setup.ts',
    setupFiles: 'test/support/remove-leftovers.ts',
    projects: [
      shared('shared', 'test/**/*.test.ts', [...ISOLATED, SLOW]),
      isolated(
        'isolated',
        ISOLATED.filter((file) => !file.endsWith('.slow.test.ts')),
      ),
      shared('slow', SLOW, ISOLATED),
      isolated(
        'slow-isolated',
        ISOLATED.filter((file) => file.endsWith('.slow.test.ts')),
      ),
    ],
  },
});
