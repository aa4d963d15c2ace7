// The response of a simulation: rounded, summed and in the order of the request. Totals are sums of the rounded values, and the causes of a
// loss add up to it to the cent.

import { roundParts } from '../../../models/rounding.ts';
import type { Calculated } from '../../../models/simulator/calculate.ts';
import type { PositionOutcome } from '../../../models/simulator/simulate.ts';
import type { Simulation } from '../../../schemas/simulator.ts';
import type { SimulationInputs } from './simulation-inputs.ts';
import { idAt, type SimulationSpec } from './simulation-spec.ts';

type Result = Simulation['positions'][number];
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
  'totals' | 'positions' | 'markets' | 'prices' | 'depths' | 'timeline' | 'vaults'
>;

export function resultOf(
  spec: SimulationSpec,
  { keys, calculation, pools }: SimulationInputs,
  calculated: Calculated,
): SimulationFigures {
  const { outcome } = calculated;
  const outcomes = keys.map((key) => (key === null ? undefined : outcome.positions.get(key)));
  const positions = spec.positions.map((position, index) =>
    resultOfPosition(idAt(position, index), position.kind, {
      outcome: outcomes[index],
      isSlippageKnown: !holdsAny(
        calculation.input.positions,
        keys[index] ?? '',
        outcome.sold_at_unknown_depth,
      ),
    }),
  );
  const shares = spec.positions.map((position, index) => ({
    // The size of a loan is that of its collateral.
    usd:
      position.amount_usd ?? (position.collateral ?? []).reduce((sum, { amount_usd }) => sum + amount_usd, 0),
    isKnown: outcomes[index] !== undefined,
  }));
  return {
    totals: { ...totalsOf(positions, shares), market_wide: marketWide(outcome.markets) },
    positions,
    markets: [...outcome.markets].map(([id, hours]) => marketResult(id, hours)),
    prices: [...outcome.prices].map(([asset, factors]) => ({
      asset,
      factor: Array.from(factors, (factor) => rounded(factor, 8)),
    })),
    depths: depthsOf(calculated, pools),
    timeline: timelineOf(
      outcomes.filter((found) => found !== undefined),
      calculated,
    ),
    vaults: [...outcome.unmet_outflow_usd].map(([id, usd]) => ({ id, unmet_outflow_usd: cents(usd) })),
  };
}

const depthsOf = ({ depths }: Calculated, pools: SimulationInputs['pools']): Simulation['depths'] =>
  [...depths].map(([asset, depth]) => ({
    ...{ asset, usd: maybe(depth?.usd ?? null), from: depth?.from ?? null },
    pools: depth?.from === 'pools' ? [...(pools.get(asset) ?? [])] : [],
  }));

interface Known {
  readonly outcome: PositionOutcome | undefined;
  readonly isSlippageKnown: boolean;
}

function resultOfPosition(id: string, kind: Result['kind'], { outcome, isSlippageKnown }: Known): Result {
  if (outcome === undefined)
    return {
      id,
      kind,
      before: null,
      after: null,
      loss_usd: null,
      attribution: null,
      ...UNKNOWN_FIGURES,
      interest_usd: null,
      phantom_yield_usd: null,
    };
  const causes = causesOf(outcome, isSlippageKnown);
  const loss = lossOf(causes);
  const before = cents(outcome.before.value_usd);
  return {
    id,
    kind,
    before: stateOf(outcome.before, before),
    after: stateOf(outcome.after, cents(before - loss)),
    loss_usd: loss,
    attribution: causes,
    liquidations: outcome.liquidations,
    liquidated_usd: cents(outcome.liquidated_usd),
    bad_debt_usd: cents(outcome.bad_debt_usd),
    unrealised_bad_debt_usd: cents(outcome.unrealised_bad_debt_usd),
    interest_usd: maybe(outcome.income.interest_usd),
    phantom_yield_usd: maybe(outcome.income.phantom_usd),
  };
}

/** The known causes add up to the loss to the cent, so a position that ends worthless has a value of exactly 0. */
function causesOf({ attribution }: PositionOutcome, isSlippageKnown: boolean): Causes {
  const known = CAUSES.flatMap((cause) => {
    const usd = cause === 'slippage' && !isSlippageKnown ? null : attribution[cause];
    return usd === null ? [] : [{ cause, usd }];
  });
  const parts = known.map(({ usd }) => usd);
  const shown = roundParts(
    parts.reduce((sum, usd) => sum + usd, 0),
    parts,
    2,
  );
  const unknown = Object.fromEntries(CAUSES.map((cause) => [cause, null]));
  return {
    ...unknown,
    ...Object.fromEntries(known.map(({ cause }, index) => [cause, shown[index]])),
  } as Causes;
}

const lossOf = (causes: Causes): number =>
  cents(CAUSES.reduce((sum, cause) => sum + (causes[cause] ?? 0), 0));

const stateOf = ({ health_factor, withdrawable_usd }: PositionOutcome['before'], value_usd: number) => ({
  value_usd,
  health_factor: maybe(health_factor, 6),
  withdrawable_usd: cents(Math.max(0, withdrawable_usd)),
});

/** Null if nothing is known. Unknown parts are left out of the sum and named as gaps. */
function sumOf(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  if (known.length === 0 && values.length > 0) return null;
  return cents(known.reduce((sum, value) => sum + value, 0));
}

function totalsOf(
  positions: readonly Result[],
  shares: readonly { readonly usd: number; readonly isKnown: boolean }[],
): Omit<Simulation['totals'], 'market_wide'> {
  const known = positions.filter(({ before }) => before !== null);
  const all = shares.reduce((sum, { usd }) => sum + usd, 0);
  const covered = shares.reduce((sum, { usd, isKnown }) => sum + (isKnown ? usd : 0), 0);
  const attribution = Object.fromEntries(
    CAUSES.map((cause) => [cause, sumOf(known.map((result) => result.attribution?.[cause] ?? null))]),
  ) as Causes;
  const loss_usd = lossOf(attribution);
  const value_before_usd = sumOf(known.map(({ before }) => before?.value_usd ?? null)) ?? 0;
  return {
    value_before_usd,
    value_after_usd: cents(value_before_usd - loss_usd),
    loss_usd,
    attribution,
    liquidations: sumOf(known.map(({ liquidations }) => liquidations)),
    liquidated_usd: sumOf(known.map(({ liquidated_usd }) => liquidated_usd)),
    bad_debt_usd: sumOf(known.map(({ bad_debt_usd }) => bad_debt_usd)),
    unrealised_bad_debt_usd: sumOf(known.map((result) => result.unrealised_bad_debt_usd)),
    interest_usd: sumOf(known.map(({ interest_usd }) => interest_usd)),
    phantom_yield_usd: sumOf(known.map(({ phantom_yield_usd }) => phantom_yield_usd)),
    covered_share: rounded(covered / all, 6),
  };
}

type MarketHours = Calculated['outcome']['markets'];

/** Figures over all loans of the markets in one hour, by default the last; null if those of any market are unknown. */
function marketWide(markets: MarketHours, hour = -1): Figures {
  const last = [...markets.values()].flatMap((hours) => hours.at(hour) ?? []);
  const total = (name: keyof Figures): number | null => {
    let sum = 0;
    for (const one of last) {
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
}

function marketResult(id: string, hours: readonly MarketHourOf[]): Simulation['markets'][number] {
  const last = hours.at(-1);
  return {
    id,
    liquidations: last?.liquidations ?? null,
    liquidated_usd: maybe(last?.liquidated_usd ?? null),
    bad_debt_usd: maybe(last?.bad_debt_usd ?? null),
    unrealised_bad_debt_usd: maybe(last?.unrealised_bad_debt_usd ?? null),
    utilization: hours.map(({ utilization }) => rounded(utilization, 6)),
    borrow_rate: hours.map(({ borrow_rate }) => maybe(borrow_rate, 6)),
    withdrawable_usd: hours.map(({ withdrawable_usd }) => cents(withdrawable_usd)),
  };
}

type MarketHourOf = MarketHours extends ReadonlyMap<string, readonly (infer Hour)[]> ? Hour : never;

function timelineOf(known: readonly PositionOutcome[], { outcome }: Calculated): Simulation['timeline'] {
  const hours = Math.max(
    ...[...outcome.prices.values(), ...known.map(({ value_usd }) => value_usd)].map(({ length }) => length),
    0,
  );
  return Array.from({ length: hours }, (_, hour) => ({
    hour,
    value_usd: cents(known.reduce((sum, { value_usd }) => sum + (value_usd[hour] ?? 0), 0)),
    ...marketWide(outcome.markets, hour),
  }));
}

type Positions = SimulationInputs['calculation']['input']['positions'];

/** Whether sales of unknown effect moved a price that a position depends on. */
function holdsAny(positions: Positions, key: string, assets: ReadonlySet<string>): boolean {
  const position = positions.find((one) => one.key === key);
  if (position === undefined || assets.size === 0) return false;
  if (position.kind === 'borrow')
    return [...position.loan.collateral, ...position.loan.debt].some(({ asset }) => assets.has(asset));
  return position.kind === 'pool' && position.pool.assets.some((asset) => assets.has(asset));
}
