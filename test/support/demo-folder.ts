// Data folders of the demo after one run, made once for all test files.
import { runOnce } from '../../jobs/commands/work.ts';
import { coverage } from '../../jobs/coverage/domain.ts';
import { lending } from '../../jobs/lending/domain.ts';
import { oracles } from '../../jobs/oracles/domain.ts';
import { sources } from '../../jobs/sources/domain.ts';
import { inWorld, type TestWorldOptions } from './pipeline-world.ts';
import { preparedCopy } from './run-folder.ts';
import { withEvents } from './with-events.ts';

/** Unix seconds. */
export const DEMO_NOW = Date.UTC(2026, 2, 10, 9, 30) / 1000;

/** Every family over nine days, in which events of every type happen. */
export const DEMO: TestWorldOptions = { flags: ['--demo-days', '9'], now: DEMO_NOW };

/** Feeds, markets and the events of feeds over two days: a whole pipeline whose runs take a second. */
export const SMALL_DEMO: TestWorldOptions = {
  flags: ['--demo-days', '2'],
  now: DEMO_NOW,
  domains: withEvents([sources, oracles, lending, coverage], 'oracle.', 'peg.'),
};

/** A folder of the caller's own in which `DEMO` ran once. */
export const demoFolder = (): Promise<string> => ranOnce('demo', DEMO);

/** A folder of the caller's own in which `SMALL_DEMO` ran once. */
export const smallDemoFolder = (): Promise<string> => ranOnce('small-demo', SMALL_DEMO);

const ranOnce = (name: string, options: TestWorldOptions): Promise<string> =>
  preparedCopy(name, async (folder) => {
    const code = await inWorld(folder, { ...options, checkpointOnClose: true }, (world) =>
      runOnce(world, null),
    );
    if (code !== 0) throw new Error(`the first run of ${name} ended with ${code}`);
  });
