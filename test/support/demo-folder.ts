// Data folders of the demo after one run, made once for all test files.
import { runOnce } from '../../jobs/commands/work.ts';
import { coverage } from '../../jobs/families/coverage/domain.ts';
import { lending } from '../../jobs/families/lending/domain.ts';
import { oracles } from '../../jobs/families/oracles/domain.ts';
import { pools } from '../../jobs/families/pools/domain.ts';
import { sources } from '../../jobs/families/sources/domain.ts';
import { neededFor } from './needed-models.ts';
import { inWorld, type TestWorldOptions } from './pipeline-world.ts';
import { preparedCopy } from './run-folder.ts';
import { withEvents } from './with-events.ts';

/** Unix seconds. */
export const DEMO_NOW = Date.UTC(2026, 2, 10, 9, 30) / 1000;

/** Every family over nine days, which produce events of every type. */
export const DEMO: TestWorldOptions = { flags: ['--demo-days', '9'], now: DEMO_NOW };

/** Feeds, markets and feed events over two days: a whole pipeline whose runs take a second. */
export const SMALL_DEMO: TestWorldOptions = {
  flags: ['--demo-days', '2'],
  now: DEMO_NOW,
  domains: withEvents([sources, oracles, pools, lending, coverage], 'oracle.', 'peg.'),
};

/** Feeds only, with their history, daily figures, refused rounds and two types of event: a pipeline whose runs take a third of a second. */
export const FEED_DEMO: TestWorldOptions = {
  flags: ['--demo-days', '2'],
  now: DEMO_NOW,
  domains: neededFor({
    datasets: ['feeds', 'oracle-parameters'],
    events: ['oracle.stale', 'oracle.feed.invalid'],
  }),
};

/** The caller's own folder in which `DEMO` ran once. */
export const demoFolder = (): Promise<string> => ranOnce('demo', DEMO);

/** The caller's own folder in which `SMALL_DEMO` ran once. */
export const smallDemoFolder = (): Promise<string> => ranOnce('small-demo', SMALL_DEMO);

/** A folder of the caller's own in which `FEED_DEMO` ran once. */
export const feedDemoFolder = (): Promise<string> => ranOnce('feed-demo', FEED_DEMO);

const ranOnce = (name: string, options: TestWorldOptions): Promise<string> =>
  preparedCopy(name, async (folder) => {
    const code = await inWorld(folder, { ...options, checkpointOnClose: true }, (world) =>
      runOnce(world, null),
    );
    if (code !== 0) throw new Error(`the first run of ${name} ended with ${code}`);
  });
