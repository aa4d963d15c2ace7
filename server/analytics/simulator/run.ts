// A simulator run: checks the spec, gathers its inputs, calculates in a worker, and charges the run.

import { GapList } from '../../../models/gaps.ts';
import { MIN_BETA_HOURS } from '../../../models/simulator/betas.ts';
import { canonicalJson, sha256Hex } from '../../../platform/storage/canonical.ts';
import type { Simulation } from '../../../schemas/simulator.ts';
import type { SimulatorRequest } from '../../../schemas/simulator-request.ts';
import { datasetsAsOf } from '../../../snapshots/layout.ts';
import type { Input, Reply } from '../../define/endpoint.ts';
import { currentVersion } from '../../define/missing-data.ts';
import type { LoadedVersion, Services } from '../../services.ts';
import type { RunResult } from '../charged-runs.ts';
import type { Job } from '../pool.ts';
import { runIdentity } from '../run-identity.ts';
import type { TASKS } from '../tasks.ts';
import { firedEvents } from './fired-events.ts';
import { withDoubts } from './oracle-doubts.ts';
import { PublishedDocuments } from './published-documents.ts';
import { resultOf, type SimulationFigures } from './result.ts';
import { simulationInputs } from './simulation-inputs.ts';
import { type SimulationSpec, specOf } from './simulation-spec.ts';
import { warningsOf } from './warnings.ts';

/** Incremented when the same inputs give other numbers. */
export const SIMULATOR_VERSION = 'simulator-5';
/** A server that does not query the detectors returns other bytes for the same inputs. */
const WITHOUT_EVENTS = `${SIMULATOR_VERSION}-without-events`;

/** @throws Failure */
export async function runSimulator(
  { body, caller, commit }: Input<unknown, unknown, SimulatorRequest>,
  services: Pick<Services, 'versions' | 'analytics' | 'identify'>,
): Promise<Reply> {
  const spec = specOf(body);
  const version = currentVersion(services);
  const gaps = new GapList();
  const published = new PublishedDocuments(version, (bytes) => services.identify(bytes));
  const inputs = simulationInputs(spec, published, gaps);
  const { pool, runs, whatIf } = services.analytics;
  const model_version = whatIf === undefined ? WITHOUT_EVENTS : SIMULATOR_VERSION;
  const { run_key, seed } = identityOf(spec, { version, model_version, seed: body.seed });
  const simulated = async (job: Job<typeof TASKS>): Promise<RunResult<Reply>> => {
    const { calculation, documents } = inputs;
    const calculated = await job.run('simulate', calculation, documents);
    for (const [asset, have_hours] of calculated.unknown_betas)
      gaps.add('beta_unknown', asset, { have_hours, need_hours: MIN_BETA_HOURS });
    for (const market of calculated.loans_left_out) gaps.add('borrowers_unknown', market);
    for (const asset of calculated.outcome.sold_at_unknown_depth) gaps.add('depth_unknown', asset);
    const figures = resultOf(spec, inputs, calculated);
    for (const { id } of calculation.input.markets) published.document('exit-inputs', id);
    const positions = withDoubts(figures.positions, spec, { published, vaults: calculation.input.vaults });
    const facts = { published, outcome: calculated.outcome, input: calculation.input };
    const fired = await firedEvents({ ...facts, as_of: version.manifest.as_of }, whatIf);
    for (const type of fired.unavailable) gaps.add('detectors_unavailable', type);
    const payload: Simulation = {
      ...headOf(spec, { version, model_version, seed }, published.used),
      ...figures,
      positions,
      events_that_would_fire: fired.events,
      assumed: assumedIn(spec),
      gaps: [...gaps.list],
      warnings: warningsOf(spec, inputs, figures),
    };
    return { reply: { payload }, isCharged: hasFigures(figures) };
  };
  const run = { kind: 'simulator', run_key, caller, commit } as const;
  // The place in the queue comes first, because a run without one must not reserve quota.
  return pool.inJob((job) => runs.perform(run, () => simulated(job)));
}

/** Whether anything is known of any position. */
const hasFigures = ({ positions }: SimulationFigures): boolean =>
  positions.some(({ loss_usd, after }) => loss_usd !== null || (after?.withdrawable_usd ?? null) !== null);

interface Run<Seed> {
  readonly version: LoadedVersion;
  readonly model_version: string;
  readonly seed: Seed;
}

const identityOf = (spec: SimulationSpec, { version, model_version, seed }: Run<number | undefined>) =>
  runIdentity(
    {
      endpoint: '/v2/simulator/run',
      id: null,
      request: requestOf(spec),
      snapshot_version: version.version,
      model_version,
      policy_version: version.manifest.policy_version,
    },
    seed,
  );

const requestOf = ({ scenario, subject, shocks, positions, horizon_hours, assumptions }: SimulationSpec) => ({
  ...(scenario === null
    ? { shocks }
    : { scenario_id: scenario.id, scenario_version: scenario.version, subject }),
  positions,
  horizon_hours,
  assumptions,
});

function headOf(
  spec: SimulationSpec,
  { version: { version, manifest }, model_version, seed }: Run<number>,
  used: ReadonlyMap<string, string>,
) {
  const { scenario, subject } = spec;
  const inputs = Object.fromEntries(used);
  return {
    scenario: scenario && { id: scenario.id, version: scenario.version, title: scenario.title, subject },
    seed,
    snapshot: { version, as_of: datasetsAsOf(manifest) },
    model_version,
    policy_version: manifest.policy_version,
    inputs_hash: sha256Hex(canonicalJson(inputs)),
    request: { ...requestOf(spec), seed },
  };
}

/** Request paths of assumptions that replace published inputs. */
function assumedIn({ positions, assumptions }: SimulationSpec): string[] {
  const named = Object.entries(assumptions).flatMap(([name, given]) =>
    given === true
      ? [`assumptions/${name}`]
      : [...(given || []).keys()].map((index) => `assumptions/${name}/${index}`),
  );
  const own = positions.flatMap(({ oracle, collateral = [], rules, assets }, index) => [
    ...(rules === undefined ? [] : [`positions/${index}/rules`]),
    ...(oracle === undefined ? [] : [`positions/${index}/oracle`]),
    ...(assets === undefined ? [] : [`positions/${index}/assets`]),
    ...collateral.flatMap((entry, at) =>
      (['liquidation_threshold', 'liquidation_bonus', 'protocol_fee'] as const)
        .filter((name) => entry[name] !== undefined)
        .map((name) => `positions/${index}/collateral/${at}/${name}`),
    ),
  ]);
  return [...named, ...own];
}
