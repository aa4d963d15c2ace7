// Small worlds of every family, each with one wrong delivery. HELD_WORLDS says how many, HELD_SEED where they begin:
// `HELD_WORLDS=1000 npm run test:slow -- held-property`.
import { expect, test, vi } from 'vitest';
import { checkRound, roundOf } from './held-property.ts';

const worlds = Number(process.env['HELD_WORLDS'] ?? 2);
/** The first worlds hold subjects back. */
const first = Number(process.env['HELD_SEED'] ?? 44);
vi.setConfig({ testTimeout: 240_000 + worlds * 60_000 });

test(`what is held back fires nothing and is published nowhere, in ${worlds} worlds`, async () => {
  const failed: string[] = [];
  for (let seed = first; seed < first + worlds; seed++) {
    const round = await roundOf(seed);
    await checkRound(round).catch((error: Error) => {
      failed.push(error.message);
    });
  }
  expect(failed).toEqual([]);
});
