// Twenty ways of taking something away from the inputs of each family: either what is published is unchanged, or a gate, a gap or a doubt
// names what is missing.
import { describe, expect, test, vi } from 'vitest';
import { COUNTS } from '../../../../reliability/counts.ts';
import { progressOf } from '../../../../reliability/progress.ts';
import { seededRandom } from '../../../../support/seeded-random.ts';
import { FAMILY_INPUTS } from './all-inputs.ts';
import type { FamilyInputs } from './family-inputs.ts';
import { MUTATIONS } from './mutations.ts';
import { baselineOf, type Published, silencesOf, type Trial, tablesOf } from './trial.ts';

vi.setConfig({ testTimeout: 7_200_000, hookTimeout: 600_000 });

const KINDS = Object.keys(MUTATIONS);

test('there are twenty kinds', () => expect(KINDS).toHaveLength(20));

/** Trials determined by a seed: every kind and every table get their turn. */
function trialsOf(family: FamilyInputs, count: number, from: number): readonly Trial[] {
  const tables = tablesOf(family).map(({ raw }) => raw.name);
  return Array.from({ length: count }, (_, index) => {
    const seed = from + index;
    const random = seededRandom(seed);
    const table = tables[Math.floor(random() * tables.length)] ?? '';
    return { family, seed, kind: KINDS[seed % KINDS.length] ?? '', table };
  });
}

const TRIED = FAMILY_INPUTS.filter((_, index) => index % COUNTS.missingInputFamilies === 0);

describe.each(TRIED.map((family) => [family.id, family] as const))('%s', (_id, family) => {
  test('says what is missing', async () => {
    const baselines = new Map<string, Published>();
    const from = Number(process.env['MISSING_FROM'] ?? FAMILY_INPUTS.indexOf(family) * 3);
    const progress = progressOf<number>(family.id, 0);
    for (const [index, trial] of trialsOf(family, COUNTS.missingInputs, from).entries()) {
      if (index < progress.from) continue;
      const baseline = baselines.get(trial.table) ?? (await baselineOf(trial));
      expect(Object.keys(baseline).length).toBeGreaterThan(0);
      baselines.set(trial.table, baseline);
      const silences = await silencesOf(trial, baseline);
      expect(silences, `seed: ${trial.seed}, ${trial.table}, ${trial.kind}`).toEqual([]);
      progress.save(index + 1);
    }
  });
});
