// More worlds than held-property.test.ts. HELD_WORLDS says how many, HELD_SEED where they begin: `HELD_WORLDS=1000 npm run test:slow -- held-property`.
import { expect, test, vi } from 'vitest';
import { checkRound, roundOf } from './held-property.ts';
import { MUTATIONS } from './mutated-world.ts';

const worlds = Number(process.env['HELD_WORLDS'] ?? 2 * MUTATIONS.length);
const first = Number(process.env['HELD_SEED'] ?? MUTATIONS.length);
vi.setConfig({ testTimeout: worlds * 60_000 });

test(`what is held back fires nothing and is published nowhere, in ${worlds} worlds`, async () => {
  const failed: string[] = [];
  for (let seed = first; seed < first + worlds; seed++)
    await checkRound(roundOf(seed)).catch((error: Error) => {
      failed.push(`seed ${seed}: ${error.message}`);
    });
  expect(failed).toEqual([]);
});
