// A simulation request with its defaults, checked beyond what its schema can express.
import type { ShockPath } from '../../../models/simulator/inputs.ts';
import { type Scenario, SCENARIOS } from '../../../schemas/scenarios.ts';
import { MAX_HORIZON_HOURS, type Shock } from '../../../schemas/shocks.ts';
import {
  DEFAULT_HORIZON_HOURS,
  type SimulatedPosition,
  type SimulatorRequest,
} from '../../../schemas/simulator-request.ts';
import { canonicalJson } from '../../../platform/storage/canonical.ts';
import type { Json } from '../../../platform/base/json.ts';
import { Failure, fieldFailure } from '../../define/failure.ts';

export interface ShockSpec extends Omit<Shock, 'path'> {
  readonly path: ShockPath;
}

export interface SimulationSpec {
  readonly scenario: Scenario | null;
  /** Subject of the scenario's shocks; null if it has none. */
  readonly subject: string | null;
  readonly shocks: readonly ShockSpec[];
  /** Symbols in upper case. */
  readonly positions: readonly SimulatedPosition[];
  readonly horizon_hours: number;
  readonly assumptions: NonNullable<SimulatorRequest['assumptions']>;
}

/** @throws Failure `validation_failed`, `SIMULATOR_SCENARIO_NOT_FOUND` */
export function specOf(request: SimulatorRequest): SimulationSpec {
  const { scenario_id, shocks: own, subject } = request;
  if ((scenario_id === undefined) === (own === undefined))
    throw fieldFailure('scenario_id', 'or shocks must be given, but not both');
  if (own !== undefined && subject !== undefined)
    throw fieldFailure('subject', 'is for preset scenarios only: custom shocks name their own subjects');
  const positions = request.positions.map(normalized);
  checkPositions(positions);
  if (own !== undefined) checkShocks(own);
  const scenario = scenario_id === undefined ? null : scenarioOf(scenario_id);
  const named = scenario === null ? (own ?? []) : shocksOf(scenario, subject);
  const shocks = named.map((shock) => ({ ...shock, subject: subjectOf(shock), path: pointsOf(shock) }));
  checkContradictions(shocks);
  const chosen = subject ?? scenario?.default_subject ?? null;
  return {
    scenario,
    subject: chosen,
    shocks,
    positions,
    horizon_hours: request.horizon_hours ?? scenario?.horizon_hours ?? DEFAULT_HORIZON_HOURS,
    assumptions: normalizedAssumptions(request.assumptions ?? {}),
  };
}

/** Converts points, which the schema has already checked. */
const pointsOf = ({ path }: Shock): ShockPath =>
  path.map(([hour = 0, factor = 1]) => [hour, factor] as const);

const ABOUT_ASSETS: ReadonlySet<string> = new Set(['price', 'peg', 'depth']);

/** Symbols become upper case; ids of markets and vaults are unchanged. */
const subjectOf = ({ kind, subject }: Shock): string =>
  ABOUT_ASSETS.has(kind) || !subject.includes(':') ? subject.toUpperCase() : subject;

const upper = <T extends { readonly asset: string }>(entry: T): T => ({
  ...entry,
  asset: entry.asset.toUpperCase(),
});

function normalized(position: SimulatedPosition): SimulatedPosition {
  const { collateral, debt, assets } = position;
  return {
    ...position,
    ...(collateral === undefined ? {} : { collateral: collateral.map(upper) }),
    ...(debt === undefined ? {} : { debt: debt.map(upper) }),
    ...(assets === undefined ? {} : { assets: assets.map((asset) => asset.toUpperCase()) }),
  };
}

function normalizedAssumptions(assumptions: SimulationSpec['assumptions']): SimulationSpec['assumptions'] {
  const { depth_usd, oracles, beta, first_to_leave } = assumptions;
  checkUnique(
    'assumptions/depth_usd',
    depth_usd?.map(({ asset }) => asset.toUpperCase()),
  );
  checkUnique(
    'assumptions/oracles',
    oracles?.map(({ market }) => market),
  );
  checkUnique(
    'assumptions/beta',
    beta?.map(({ asset }) => asset.toUpperCase()),
  );
  return {
    ...(depth_usd === undefined ? {} : { depth_usd: depth_usd.map(upper) }),
    ...(oracles === undefined ? {} : { oracles }),
    ...(beta === undefined ? {} : { beta: beta.map(upper) }),
    ...(first_to_leave === true ? { first_to_leave } : {}),
  };
}

function checkUnique(field: string, names: readonly string[] = []): void {
  const index = names.findIndex((name, index) => names.indexOf(name) !== index);
  if (index !== -1) throw fieldFailure(`${field}/${index}`, `repeats ${names[index]}`);
}

function checkShocks(shocks: readonly Shock[]): void {
  for (const [index, { kind, subject, path, others }] of shocks.entries()) {
    const field = `shocks/${index}`;
    const hours = path.map(([hour = 0]) => hour);
    const odd = hours.findIndex((hour) => !Number.isInteger(hour) || hour > MAX_HORIZON_HOURS);
    if (odd !== -1)
      throw fieldFailure(`${field}/path/${odd}/0`, `must be a whole hour up to ${MAX_HORIZON_HOURS}`);
    const early = hours.findIndex((hour, index) => index > 0 && hour <= (hours[index - 1] ?? 0));
    if (early !== -1)
      throw fieldFailure(`${field}/path/${early}`, 'must be at a later hour than the previous point');
    const steps = path.findIndex(([, factor]) => factor !== 0 && factor !== 1);
    if (kind === 'oracle_freeze' && steps !== -1)
      throw fieldFailure(`${field}/path/${steps}`, 'must be 0 for a frozen oracle or 1 for a live one');
    if (others === 'beta' && (kind !== 'price' || subject === '*'))
      throw fieldFailure(`${field}/others`, 'is only for the price of one asset');
    const isId = subject.includes(':') || subject === '*';
    if (ABOUT_ASSETS.has(kind) && subject.includes(':'))
      throw fieldFailure(`${field}/subject`, 'must be the symbol of an asset');
    if (['withdrawable', 'utilization', 'vault_outflow'].includes(kind) && !isId)
      throw fieldFailure(
        `${field}/subject`,
        kind === 'vault_outflow'
          ? 'must be <chain>:<vault_address> or curator:<id>'
          : 'must be <chain>:<market_id>',
      );
  }
}

/** Rejects two shocks that contradict each other about one subject. */
function checkContradictions(shocks: readonly ShockSpec[]): void {
  const seen = new Map<string, number>();
  for (const [index, { kind, subject, others }] of shocks.entries()) {
    // Withdrawable amount and utilization determine each other.
    const group = kind === 'utilization' ? 'withdrawable' : kind;
    const clash = [...seen].find(([key]) => clashes(key, `${group}|${subject}`));
    if (clash !== undefined)
      throw fieldFailure(
        `shocks/${index}`,
        `contradicts shocks/${clash[1]}: both set the ${kind} of the same subject`,
      );
    seen.set(`${group}|${subject}`, index);
    const follows = shocks.findIndex((shock, at) => at < index && shock.others === 'beta');
    if (others === 'beta' && follows !== -1)
      throw fieldFailure(
        `shocks/${index}/others`,
        `contradicts shocks/${follows}: assets can follow only one shock`,
      );
  }
}

/** `*` means every subject of the kind. */
function clashes(one: string, other: string): boolean {
  const [kind, subject] = splitOnce(one);
  const [otherKind, otherSubject] = splitOnce(other);
  return kind === otherKind && (subject === otherSubject || subject === '*' || otherSubject === '*');
}

const splitOnce = (text: string): readonly [string, string] => {
  const index = text.indexOf('|');
  return [text.slice(0, index), text.slice(index + 1)];
};

const NEEDED: Readonly<Record<SimulatedPosition['kind'], readonly (keyof SimulatedPosition)[]>> = {
  supply: ['amount_usd', 'market'],
  borrow: ['collateral', 'debt'],
  vault: ['amount_usd', 'vault'],
  pool: ['amount_usd'],
};
const ALLOWED: Readonly<Record<SimulatedPosition['kind'], readonly (keyof SimulatedPosition)[]>> = {
  supply: [],
  borrow: ['market', 'rules', 'oracle'],
  vault: [],
  pool: ['pool', 'assets'],
};

interface FieldProblem {
  readonly field: string;
  readonly problem: string;
}

function checkPositions(positions: readonly SimulatedPosition[]): void {
  const fields: FieldProblem[] = [];
  for (const [index, position] of positions.entries()) {
    const field = `positions/${index}`;
    const missing = NEEDED[position.kind].filter((name) => position[name] === undefined);
    fields.push(
      ...missing.map((name) => ({
        field: `${field}/${name}`,
        problem: `is required for kind ${position.kind}`,
      })),
    );
    const allowed: readonly string[] = ['kind', 'id', ...NEEDED[position.kind], ...ALLOWED[position.kind]];
    const extra = Object.keys(position).filter((name) => !allowed.includes(name));
    fields.push(
      ...extra.map((name) => ({
        field: `${field}/${name}`,
        problem: `is not allowed for kind ${position.kind}`,
      })),
    );
    if (position.kind === 'pool' && (position.pool === undefined) === (position.assets === undefined))
      fields.push({ field: `${field}/pool`, problem: 'or assets must be given, but not both' });
    fields.push(...twinsOf(positions, index));
  }
  if (fields.length > 0)
    throw new Failure('validation_failed', `${fields[0]?.field} ${fields[0]?.problem}.`, {
      details: { fields: fields.slice(0, 10) },
    });
}

/** The problem with a position that has the id of an earlier one, or that repeats an earlier one without an id. */
function twinsOf(positions: readonly SimulatedPosition[], index: number): readonly FieldProblem[] {
  const field = `positions/${index}`;
  const position = positions[index] as SimulatedPosition;
  const earlier = positions.slice(0, index);
  const alike = canonicalJson(position as Json);
  const twin = earlier.findIndex((other) => other.id === undefined && canonicalJson(other as Json) === alike);
  if (twin !== -1)
    return [
      { field, problem: `repeats positions/${twin}: merge the amounts, or give each position its own id` },
    ];
  const namesake = earlier.findIndex((other, at) => idAt(other, at) === idAt(position, index));
  if (namesake === -1) return [];
  return [{ field: `${field}/id`, problem: `is already the id of positions/${namesake}` }];
}

/** The id of the position in the response. */
export const idAt = ({ id }: Pick<SimulatedPosition, 'id'>, index: number): string =>
  id ?? `positions/${index}`;

// Preset scenarios by id, and the shocks of a scenario for a subject that the caller chooses.

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
function shocksOf({ id, shocks, default_subject }: Scenario, subject: string | undefined): readonly Shock[] {
  if (subject === undefined) return shocks;
  if (default_subject === null)
    throw fieldFailure('subject', `must be omitted: ${id} applies to fixed assets`);
  return shocks.map((shock) => ({ ...shock, subject }));
}
