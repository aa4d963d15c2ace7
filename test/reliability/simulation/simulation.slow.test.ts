// Both programs in one process over simulated disk, store, network and clock: whatever fails at any call, nothing acknowledged is lost,
// repeated without need, changed or shown in part. A seed that failed is repeated alone by SIMULATION_SEED=<seed>.
import { expect, test } from 'vitest';
import { COUNTS } from '../counts.ts';
import { progressOf } from '../progress.ts';
import { runSeed } from './world.ts';

test('a seed determines everything', async () => {
  const [one, again, other] = [await runSeed(7), await runSeed(7), await runSeed(8)];
  expect(again).toEqual(one);
  expect(other.trace).not.toBe(one.trace);
});

test('after any faults everything is as in a run without them', { timeout: 7_200_000 }, async () => {
  const { simulationSeed: only, simulations } = COUNTS;
  if (only !== undefined) {
    expect((await runSeed(only)).violations, `seed: ${only}`).toEqual([]);
    return;
  }
  const beginning: Stage = { seeds: 0, turns: 0, faults: {} };
  const progress = progressOf('seeds', beginning);
  let stage = progress.from;
  while (stage.seeds < simulations) {
    stage = await oneMore(stage);
    progress.save(stage);
  }
  expect(Object.keys(stage.faults).sort()).toEqual(FAULTS);
  const { seeds, turns, faults } = stage;
  console.info({ seeds, turns, ...faults });
});

type Stage = {
  /** Seeds 1 to this one are done. */
  readonly seeds: number;
  readonly turns: number;
  /** How often each fault was injected. */
  readonly faults: { readonly [name: string]: number };
};

async function oneMore({ seeds, turns, faults }: Stage): Promise<Stage> {
  const seed = seeds + 1;
  const result = await runSeed(seed);
  expect(result.violations, `seed: ${seed}`).toEqual([]);
  const sums = { ...faults };
  for (const [name, count] of Object.entries(result.faults)) sums[name] = (sums[name] ?? 0) + count;
  return { seeds: seed, turns: turns + result.turns, faults: sums };
}

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
