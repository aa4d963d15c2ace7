// Every way in which a delivery can be wrong, once. More worlds: held-property.slow.test.ts.
import { expect, test, vi } from 'vitest';
import { checkRound, roundOf } from './held-property.ts';
import { MUTATIONS } from './mutated-world.ts';

vi.setConfig({ testTimeout: 300_000 });

test('there are at least twenty ways', () => expect(MUTATIONS.length).toBeGreaterThanOrEqual(20));

test.each(MUTATIONS.map(({ name }, seed) => [name, seed] as const))('%s', (_, seed) =>
  checkRound(roundOf(seed)),
);
