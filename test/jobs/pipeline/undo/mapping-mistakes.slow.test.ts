// Whatever was mapped wrong: once the mapping is corrected and the source has landed again, readers see what they would see if the mistake had
// never been made. `mapping-mistakes.ts` says exactly what is compared.
import { isDeepStrictEqual } from 'node:util';
import { expect, test, vi } from 'vitest';
import { COUNTS } from '../../../reliability/counts.ts';
import type { FamilyInputs } from '../gate/completeness/family-inputs.ts';
import {
  anomalyInputs,
  lendingInputs,
  mevInputs,
  oracleInputs,
  regimeInputs,
  restakingInputs,
  yieldInputs,
} from '../gate/completeness/market-inputs.ts';
import { layer2Inputs, networkAInputs, networkBInputs } from '../gate/completeness/network-inputs.ts';
import { developmentInputs, governanceInputs, socialInputs } from '../gate/completeness/people-inputs.ts';
import { borrowingInputs, exposureInputs, poolInputs } from '../gate/completeness/structure-inputs.ts';
import { corrected, neverMistaken, type Reference } from './mapping-mistakes.ts';

vi.setConfig({ testTimeout: 7_200_000 });

const FAMILIES: readonly FamilyInputs[] = [
  anomalyInputs,
  poolInputs,
  oracleInputs,
  governanceInputs,
  layer2Inputs,
  lendingInputs,
  developmentInputs,
  restakingInputs,
  networkBInputs,
  socialInputs,
  yieldInputs,
  regimeInputs,
  networkAInputs,
  borrowingInputs,
  exposureInputs,
  mevInputs,
];
const TRIALS = Array.from({ length: COUNTS.mappingMistakes }, (_, seed) => {
  const family = FAMILIES[seed % Math.min(FAMILIES.length, COUNTS.mappingMistakes)] ?? anomalyInputs;
  return { seed, family, id: family.id };
});

const references = new Map<string, Promise<Reference>>();
function referenceOf(family: FamilyInputs): Promise<Reference> {
  const known = references.get(family.id) ?? neverMistaken(family);
  references.set(family.id, known);
  return known;
}

/** Mistakes that changed what readers saw. */
const visible: string[] = [];

test.each(TRIALS)('mistake $seed, in $id, leaves nothing behind', async ({ seed, family }) => {
  const { mistake, before, report, now, later } = await corrected(family, seed);
  const reference = await referenceOf(family);
  if (!isDeepStrictEqual(before, reference.now)) visible.push(mistake);
  expect({ mistake, report, now, later }).toEqual({ mistake, report, ...reference });
});

test('most mistakes could be seen before', () => {
  expect(visible.length).toBeGreaterThan(TRIALS.length / 2);
});
