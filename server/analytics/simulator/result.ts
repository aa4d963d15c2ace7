// The response of a simulation: rounded, summed and in the order of the request. Totals are sums of the rounded values, and the causes of a
// loss add up to it to the cent.

import { roundParts } from '../../../models/rounding.ts';
import type { CalculationResult } from '../../../models/simulator/calculate.ts';
import type { PositionOutcome } from '../../../models/simulator/simulate.ts';
import type { Simulation } from '../../../schemas/simulator.ts';
import type { SimulationInputs } from './simulation-inputs.ts';
import { idAt, type SimulationSpec } from './simulation-spec.ts';

type Result = Omit<Simulation['positions'][number], 'oracle_doubts'>;
type Causes = NonNullable<Result['attribution']>;
type Figures = Pick<Result, 'liquidations' | 'liquidated_usd' | 'bad_debt_usd' | 'unrealised_bad_debt_usd'>;

const CAUSES = ['price', 'peg', 'slippage', 'liquidation_penalty', 'bad_debt', 'stranded'] as const;
const UNKNOWN_FIGURES: Figures = {
  liquidations: null,
  liquidated_usd: null,
  bad_debt_usd: null,
  unrealised_bad_debt_usd: null,
};

/** Avoids −0. */
const rounded = (value: number, digits: number): number => {
  const scale = 10 ** digits;
  return Math.round(value * scale) / scale + 0;
};
const cents = (usd: number): number => rounded(usd, 2);
const maybe = (value: number | null, digits = 2): number | null =>
  value === null ? null : rounded(value, digits);

export type SimulationFigures = Pick<
  Simulation,
  'totals' | 'markets' | 'prices' | 'depths' | 'timeline' | 'vaults'
> & { readonly positions: Result[] };

export function resultOf(
  spec: SimulationSpec,
  { keys, calculation, pools }: SimulationInputs,
  calculated: CalculationResult,
): SimulationFigures {
  const { outcome } = calculated;
  const outcomes = keys.map((key) => (key === null ? undefined : outcome.positions.get(key)));
  const positions = spec.positions.map((position, index) =>
    resultOfPosition(idAt(position, index), position.kind, outcomes[index]),
  );
  const loans = loanFigures(outcome, calculation.input);
  const assetOf = new Map(calculation.input.markets.map(({ id, asset }) => [id, asset]));
  return {
    totals: { ...totalsOf(positions, spec.positions.map(sizeOf)), market_wide: loans(-1) },
    positions,
    markets: [...outcome.markets].map(([id, hours]) =>
      marketResult(id, hours, { unknowns: outcome.unknowns, asset: assetOf.get(id) ?? '' }),
    ),
    prices: [...outcome.prices].map(([asset, factors]) => ({
      asset,
      factor: outcome.unknowns.assets.has(asset) ? null : Array.from(factors, (factor) => rounded(factor, 8)),
    })),
    depths: depthsOf(calculated, pools),
    timeline: timelineOf(
      outcomes.flatMap((one) => (one === undefined || one.unknown.has('loss') ? [] : [one])),
      { outcome, loans },
    ),
    vaults: [...outcome.unmet_outflow_usd].map(([id, usd]) => ({ id, unmet_outflow_usd: cents(usd) })),
  };
}

/** The size of a loan is that of its collateral. */
const sizeOf = ({ amount_usd, collateral = [] }: SimulationSpec['positions'][number]): number =>
  amount_usd ?? collateral.reduce((sum, { amount_usd: usd }) => sum + usd, 0);

const depthsOf = ({ depths }: CalculationResult, pools: SimulationInputs['pools']): Simulation['depths'] =>
  [...depths].map(([asset, depth]) => ({
    ...{ asset, usd: maybe(depth?.usd ?? null), from: depth?.from ?? null },
    pools: depth?.from === 'pools' ? [...(pools.get(asset) ?? [])] : [],
  }));

function resultOfPosition(id: string, kind: Result['kind'], outcome: PositionOutcome | undefined): Result {
  if (outcome === undefined)
    return {
      ...{ id, kind, before: null, after: null, loss_usd: null, attribution: null },
      ...UNKNOWN_FIGURES,
      ...{ interest_usd: null, phantom_yield_usd: null },
    };
  const { unknown } = outcome;
  const causes = causesOf(outcome, kind);
  const loss = unknown.has('loss') || causes === null ? null : sumOfCauses(causes);
  const before = unknown.has('value') ? null : cents(outcome.before.value_usd);
  const isWithdrawable = !unknown.has('withdrawable');
  const after = before === null || loss === null ? null : cents(before - loss);
  return {
    ...{ id, kind },
    before: stateOf(outcome.before, before, true),
    after: stateOf(outcome.after, after, isWithdrawable),
    loss_usd: loss,
    attribution: causes,
    ...(loss === null
      ? { ...UNKNOWN_FIGURES, interest_usd: null, phantom_yield_usd: null }
      : {
          liquidations: outcome.liquidations,
          liquidated_usd: cents(outcome.liquidated_usd),
          bad_debt_usd: cents(outcome.bad_debt_usd),
          unrealised_bad_debt_usd: cents(outcome.unrealised_bad_debt_usd),
          interest_usd: maybe(outcome.income.interest_usd),
          phantom_yield_usd: maybe(outcome.income.phantom_usd),
        }),
  };
}

/**
 * The causes that are known; where all are, they add up to the loss to the cent, so a position that ends worthless has a value of exactly
 * 0. Null for a loan of unknown liquidations, because every cause depends on them.
 */
function causesOf({ attribution, unknown }: PositionOutcome, kind: Result['kind']): Causes | null {
  if (kind === 'borrow' && unknown.has('loss')) return null;
  const parts = CAUSES.flatMap((cause) => {
    const usd = attribution[cause];
    return usd === null ? [] : [{ cause, usd }];
  });
  const amounts = parts.map(({ usd }) => usd);
  const shown = roundParts(
    amounts.reduce((sum, usd) => sum + usd, 0),
    amounts,
    2,
  );
  const none = Object.fromEntries(CAUSES.map((cause) => [cause, null]));
  return {
    ...none,
    ...Object.fromEntries(parts.map(({ cause }, index) => [cause, shown[index]])),
  } as Causes;
}

const sumOfCauses = (causes: Causes): number =>
  cents(CAUSES.reduce((sum, cause) => sum + (causes[cause] ?? 0), 0));

const stateOf = (
  { health_factor, withdrawable_usd }: PositionOutcome['before'],
  value_usd: number | null,
  isWithdrawable: boolean,
): NonNullable<Result['before']> => ({
  value_usd,
  health_factor: isWithdrawable ? maybe(health_factor, 6) : null,
  withdrawable_usd: isWithdrawable ? cents(Math.max(0, withdrawable_usd)) : null,
});

/** Null if one of the values is, or if there are none. */
function sumOf(values: readonly (number | null)[]): number | null {
  const numbers = values.filter((value) => value !== null);
  if (numbers.length === 0 || numbers.length < values.length) return null;
  return cents(numbers.reduce((sum, value) => sum + value, 0));
}

/** Sums over the positions whose loss is known, whose share of all positions is `covered_share`. */
function totalsOf(
  positions: readonly Result[],
  sizes: readonly number[],
): Omit<Simulation['totals'], 'market_wide'> {
  const covered = positions.filter(({ loss_usd }) => loss_usd !== null);
  const sum = (figure: (result: Result) => number | null) => sumOf(covered.map(figure));
  const sizeOfAll = sizes.reduce((total, usd) => total + usd, 0);
  const sizeOfCovered = sizes.reduce(
    (total, usd, index) => total + (positions[index]?.loss_usd == null ? 0 : usd),
    0,
  );
  const attribution = Object.fromEntries(
    CAUSES.map((cause) => [cause, sum((result) => result.attribution?.[cause] ?? null)]),
  ) as Causes;
  const loss_usd = covered.length === 0 ? null : sumOfCauses(attribution);
  const value_before_usd = sum(({ before }) => before?.value_usd ?? null);
  return {
    value_before_usd,
    value_after_usd:
      value_before_usd === null || loss_usd === null ? null : cents(value_before_usd - loss_usd),
    loss_usd,
    attribution,
    liquidations: sum(({ liquidations }) => liquidations),
    liquidated_usd: sum(({ liquidated_usd }) => liquidated_usd),
    bad_debt_usd: sum(({ bad_debt_usd }) => bad_debt_usd),
    unrealised_bad_debt_usd: sum((result) => result.unrealised_bad_debt_usd),
    interest_usd: sum(({ interest_usd }) => interest_usd),
    phantom_yield_usd: sum(({ phantom_yield_usd }) => phantom_yield_usd),
    // Rounding must not make a part look like the whole.
    covered_share:
      covered.length === positions.length ? 1 : Math.min(ALMOST_ALL, rounded(sizeOfCovered / sizeOfAll, 6)),
  };
}

const ALMOST_ALL = 0.999999;

type MarketHours = CalculationResult['outcome']['markets'];

/**
 * Figures over all loans of the markets in an hour; −1 is the last. Null if those of any market are unknown, or if a market or the holdings
 * of a vault are missing.
 */
function loanFigures({ markets, unknowns }: CalculationResult['outcome'], { missing, vaults }: Input) {
  const isMissing =
    (missing?.markets.length ?? 0) + (missing?.vaults.length ?? 0) > 0 ||
    vaults.some(({ unknown_usd }) => unknown_usd > 0) ||
    [...markets.keys()].some((id) => unknowns.markets.has(id));
  return (hour: number): Figures => {
    if (isMissing) return UNKNOWN_FIGURES;
    const states = [...markets.values()].flatMap((hours) => hours.at(hour) ?? []);
    const total = (name: keyof Figures): number | null => {
      let sum = 0;
      for (const one of states) {
        if (one[name] === null) return null;
        sum += one[name];
      }
      return cents(sum);
    };
    return {
      liquidations: total('liquidations'),
      liquidated_usd: total('liquidated_usd'),
      bad_debt_usd: total('bad_debt_usd'),
      unrealised_bad_debt_usd: total('unrealised_bad_debt_usd'),
    };
  };
}

type Input = SimulationInputs['calculation']['input'];

function marketResult(
  id: string,
  hours: readonly MarketHourOf[],
  {
    unknowns,
    asset,
  }: { readonly unknowns: CalculationResult['outcome']['unknowns']; readonly asset: string },
): Simulation['markets'][number] {
  const last = unknowns.markets.has(id) ? undefined : hours.at(-1);
  const isWithdrawable = !unknowns.liquidity.has(id) && !unknowns.assets.has(asset);
  return {
    id,
    liquidations: last?.liquidations ?? null,
    liquidated_usd: maybe(last?.liquidated_usd ?? null),
    bad_debt_usd: maybe(last?.bad_debt_usd ?? null),
    unrealised_bad_debt_usd: maybe(last?.unrealised_bad_debt_usd ?? null),
    utilization: hours.map(({ utilization }) =>
      unknowns.liquidity.has(id) ? null : rounded(utilization, 6),
    ),
    borrow_rate: hours.map(({ borrow_rate }) => (unknowns.rates.has(id) ? null : maybe(borrow_rate, 6))),
    withdrawable_usd: hours.map(({ withdrawable_usd }) => (isWithdrawable ? cents(withdrawable_usd) : null)),
  };
}

type MarketHourOf = MarketHours extends ReadonlyMap<string, readonly (infer Hour)[]> ? Hour : never;

/** Values are null where that of a position is unknown although its loss is not. */
function timelineOf(
  covered: readonly PositionOutcome[],
  {
    outcome,
    loans,
  }: { readonly outcome: CalculationResult['outcome']; readonly loans: (hour: number) => Figures },
): Simulation['timeline'] {
  const hours = Math.max(
    ...[...outcome.prices.values(), ...[...outcome.positions.values()].map(({ value_usd }) => value_usd)].map(
      ({ length }) => length,
    ),
    0,
  );
  return Array.from({ length: hours }, (_, hour) => ({
    hour,
    value_usd: sumOf(
      covered.map(({ value_usd, unknown }) => (unknown.has('value') ? null : (value_usd[hour] ?? 0))),
    ),
    ...loans(hour),
  }));
}
