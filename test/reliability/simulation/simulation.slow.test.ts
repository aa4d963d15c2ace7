// Both programs in one process over simulated disk, store, network and clock: whatever fails at any call, nothing acknowledged is lost,
// repeated without need, changed or shown in part. A seed that failed is repeated alone by SIMULATION_SEED=<seed>.
import { expect, test } from 'vitest';
import { COUNTS } from '../counts.ts';
import { runSeed } from './world.ts';

test('a seed determines everything', async () => {
  const [one, again, other] = [await runSeed(7), await runSeed(7), await runSeed(8)];
  expect(again).toEqual(one);
  expect(other.trace).not.toBe(one.trace);
});

test('after any faults everything is as in a run without them', async () => {
  const { simulationSeed: only, simulations } = COUNTS;
  const seeds = only === undefined ? Array.from({ length: simulations }, (_, index) => index + 1) : [only];
  const faults = new Map<string, number>();
  let turns = 0;
  for (const seed of seeds) {
    const result = await runSeed(seed);
    expect(result.violations, `seed: ${seed}`).toEqual([]);
    turns += result.turns;
    for (const [name, count] of Object.entries(result.faults))
      faults.set(name, (faults.get(name) ?? 0) + count);
  }
  if (only === undefined) expect([...faults.keys()].sort()).toEqual(FAULTS);
  console.info({ seeds: seeds.length, turns, ...Object.fromEntries(faults) });
});

const FAULTS = [
  'bad answer',
  'clock jump',
  'cut fetch',
  'cut stream',
  'disk error',
  'kill',
  'locked store',
  'pause',
  'power failure',
];
