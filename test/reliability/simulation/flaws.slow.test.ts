// The simulation finds faults: with a worse disk or store, or a mistake in a program, some seed fails.
import { expect, test } from 'vitest';
import { type Flaws, runSeed } from './world.ts';

const MAX_SEEDS = 300;

const FLAWS: { readonly [flaw in keyof Required<Flaws>]: string } = {
  losesSyncedBytes: 'a disk that loses synced bytes',
  losesSyncedNames: 'a disk that loses synced names',
  hasTornRenames: 'a disk on which half a file is seen during a rename',
  acknowledgesUnsynced: 'a store that acknowledges what is not on disk',
  ignoresTerms: 'a job host that goes on after its term',
  numbersByClock: 'ids of events by the clock instead of logical time',
  pointsFirst: 'a pointer that is replaced before its files are there',
  claimsCompleteness: 'a gate that does not name what is missing',
  resumesAfterSent: 'a stream client that resumes after what was sent instead of what arrived',
};

test.each(Object.entries(FLAWS))('%s is found: %s', async (flaw) => {
  let seed = 0;
  let violations: readonly string[] = [];
  while (violations.length === 0 && seed < MAX_SEEDS)
    violations = (await runSeed(++seed, { [flaw]: true })).violations;
  expect(violations, `${seed} seeds`).not.toEqual([]);
});
