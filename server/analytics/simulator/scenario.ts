// Preset scenarios by id, and the shocks of a scenario for a subject that the caller chooses.
import { SCENARIOS, type Scenario } from '../../../schemas/scenarios.ts';
import type { Shock } from '../../../schemas/shocks.ts';
import { Failure, fieldFailure } from '../../define/failure.ts';

const BY_ID: ReadonlyMap<string, Scenario> = new Map(SCENARIOS.map((scenario) => [scenario.id, scenario]));

/** @throws Failure `SIMULATOR_SCENARIO_NOT_FOUND` */
export function scenarioOf(id: string): Scenario {
  const scenario = BY_ID.get(id);
  if (scenario === undefined)
    throw new Failure('SIMULATOR_SCENARIO_NOT_FOUND', undefined, {
      details: { scenario_ids: [...BY_ID.keys()] },
    });
  return scenario;
}

/** @throws Failure `validation_failed` for a subject if the scenario has fixed assets */
export function shocksOf(
  { id, shocks, default_subject }: Scenario,
  subject: string | undefined,
): readonly Shock[] {
  if (subject === undefined) return shocks;
  if (default_subject === null)
    throw fieldFailure('subject', `must be omitted: ${id} applies to fixed assets`);
  return shocks.map((shock) => ({ ...shock, subject }));
}
