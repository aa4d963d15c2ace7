// The inputs of every family that reads some.
import type { FamilyInputs } from './family-inputs.ts';
import {
  anomalyInputs,
  lendingInputs,
  mevInputs,
  oracleInputs,
  regimeInputs,
  restakingInputs,
  yieldInputs,
} from './market-inputs.ts';
import { layer2Inputs, networkAInputs, networkBInputs } from './network-inputs.ts';
import { developmentInputs, governanceInputs, socialInputs } from './people-inputs.ts';
import { backtestInputs, borrowingInputs, exposureInputs, poolInputs } from './structure-inputs.ts';

export const FAMILY_INPUTS: readonly FamilyInputs[] = [
  networkAInputs,
  networkBInputs,
  layer2Inputs,
  governanceInputs,
  developmentInputs,
  socialInputs,
  oracleInputs,
  lendingInputs,
  yieldInputs,
  restakingInputs,
  anomalyInputs,
  mevInputs,
  regimeInputs,
  borrowingInputs,
  exposureInputs,
  poolInputs,
  backtestInputs,
];
