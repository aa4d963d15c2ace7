// The simulation: hour by hour, prices move, oracles report them or not, rates follow utilisation, loans are liquidated, seized collateral
// is sold into the depth, debts without collateral become bad debt, and depositors withdraw. Uses no random numbers.
import type { Position, SimulationInput } from './inputs.ts';
import { liquidate } from './liquidations.ts';
import { type Attribution, LoanState } from './loans.ts';
import { loansOfMarkets } from './market-loans.ts';
import { MarketState } from './markets.ts';
import { Prices } from './prices.ts';
import { isChange } from './shock-paths.ts';
import { type Figure, type Movements, type Unknowns, unknownFigures, unknownsIn } from './unknowns.ts';
import { VaultState } from './vaults.ts';
import { claimsIn, type Income, incomeOf, type Simulation, type Worth, worthOf } from './worth.ts';

export interface PositionOutcome {
  readonly key: string;
  readonly before: Worth;
  readonly after: Worth;
  /** Causes of the loss, which add up to it; null is unknown. */
  readonly attribution: { readonly [Cause in keyof Attribution]: number | null };
  /** Interest over the horizon, USD. */
  readonly income: Income;
  readonly liquidations: number;
  readonly liquidated_usd: number;
  readonly bad_debt_usd: number;
  readonly unrealised_bad_debt_usd: number;
  /** Value at the end of each hour. */
  readonly value_usd: Float64Array;
  /** Figures above that do not count, because an input that could have changed them is missing. */
  readonly unknown: ReadonlySet<Figure>;
}

/** Amounts in USD at market; those of loans are null if the borrowers are unknown. */
export interface MarketHour {
  readonly utilization: number;
  readonly borrow_rate: number | null;
  readonly withdrawable_usd: number;
  readonly liquidations: number | null;
  readonly liquidated_usd: number | null;
  readonly bad_debt_usd: number | null;
  readonly unrealised_bad_debt_usd: number | null;
}

export interface Outcome {
  readonly positions: ReadonlyMap<string, PositionOutcome>;
  /** By market, hours 0 to the horizon. */
  readonly markets: ReadonlyMap<string, readonly MarketHour[]>;
  /** Price factor by asset, hours 0 to the horizon. */
  readonly prices: ReadonlyMap<string, Float64Array>;
  /** Amount that depositors of a vault wanted to withdraw and could not by the end, USD. */
  readonly unmet_outflow_usd: ReadonlyMap<string, number>;
  /** Assets that were sold at an unknown depth, so the effect on their prices is unknown too. */
  readonly sold_at_unknown_depth: ReadonlySet<string>;
  readonly unknowns: Unknowns;
}

/** @throws RangeError if a position names a market or vault that is not in the input. */
export function simulate(input: SimulationInput): Outcome {
  const world = openWorld(input);
  const record = openRecord(input, world);
  for (let hour = 0; hour <= input.horizon_hours; hour++) {
    moveWorld(world, record, hour);
    recordHour(world, record, { hour, isLast: hour === input.horizon_hours });
  }
  const last = claimsIn(world);
  const moved = movementsOf(input, world, record);
  const unknowns = unknownsIn(input, moved);
  return {
    positions: new Map(
      record.positions.map((one) => [
        one.position.key,
        withUnknowns(
          outcomeOf(one, world, worthOf(one.position, world, last)),
          unknownFigures(one.position, input, { unknowns, moved }),
        ),
      ]),
    ),
    markets: record.markets,
    prices: record.prices,
    unmet_outflow_usd: new Map([...world.vaults].map(([id, vault]) => [id, vault.unmet])),
    sold_at_unknown_depth: record.unknownDepth,
    unknowns,
  };
}

function withUnknowns(
  outcome: Omit<PositionOutcome, 'unknown'>,
  unknown: PositionOutcome['unknown'],
): PositionOutcome {
  const { attribution } = outcome;
  const isOfLenders = unknown.has('bad_debt');
  return {
    ...outcome,
    attribution: {
      ...attribution,
      slippage: unknown.has('slippage') ? null : attribution.slippage,
      bad_debt: isOfLenders ? null : attribution.bad_debt,
      stranded: isOfLenders ? null : attribution.stranded,
    },
    unknown,
  };
}

function movementsOf(input: SimulationInput, { prices, vaults }: Simulation, record: Record): Movements {
  const left = [...vaults.values()].filter(({ isLeft }) => isLeft).map(({ vault }) => vault.id);
  const missing = (input.missing?.vaults ?? []).map(({ id }) => id);
  const { shocks } = prices;
  return {
    isAnyPrice: shocks.moves(['price', 'peg']),
    isAnyLiquidity: shocks.moves(['withdrawable', 'utilization', 'vault_outflow']),
    assets: new Set([...prices.moved, ...movedIn(record.prices)]),
    unpriced: new Set([...record.unknownDepth, ...prices.withoutBeta]),
    markets: record.movedMarkets,
    unmodelledRates: record.unmodelledRates,
    vaults: new Set([...left, ...missing.filter((id) => isChange(shocks.factors('vault_outflow', id)))]),
  };
}

const movedIn = (prices: Outcome['prices']): readonly string[] =>
  [...prices].flatMap(([asset, factors]) => (isChange(factors) ? [asset] : []));

interface Record {
  readonly positions: readonly PositionRecord[];
  readonly markets: ReadonlyMap<string, MarketHour[]>;
  readonly prices: ReadonlyMap<string, Float64Array>;
  readonly unknownDepth: Set<string>;
  readonly movedMarkets: Set<string>;
  readonly unmodelledRates: Set<string>;
}

function openRecord(input: SimulationInput, world: Simulation): Record {
  const hours = () => new Float64Array(input.horizon_hours + 1);
  const claims = claimsIn(world);
  return {
    positions: inOrder(input.positions, ({ key }) => key).map((position) => ({
      position,
      before: worthOf(position, world, claims),
      income: { interest_usd: 0, phantom_usd: 0 },
      values: hours(),
    })),
    markets: new Map([...world.markets.keys()].map((id) => [id, []])),
    prices: new Map(world.prices.assets.map((asset) => [asset, hours()])),
    unknownDepth: new Set(),
    movedMarkets: new Set(),
    unmodelledRates: new Set(),
  };
}

interface PositionRecord {
  readonly position: Position;
  readonly before: Worth;
  income: Income;
  readonly values: Float64Array;
}

/** Sorts everything by id, so that the order of the input does not matter. */
function openWorld(input: SimulationInput): Simulation {
  const prices = new Prices(input);
  const markets = new Map(
    inOrder(input.markets, ({ id }) => id).map((market) => [
      market.id,
      new MarketState(market, prices.shocks),
    ]),
  );
  const held = amountsHeld(input);
  const vaults = new Map(
    inOrder(input.vaults, ({ id }) => id).map((vault) => [
      vault.id,
      new VaultState(vault, prices.shocks, { markets, own: held.vaults.get(vault.id) ?? 0 }),
    ]),
  );
  for (const [id, usd] of held.supplied) markets.get(id)?.reserve(usd);
  for (const { vault } of vaults.values())
    for (const { market, usd } of vault.holdings) markets.get(market)?.reserve(usd);
  const loans = loansOfMarkets(markets, prices);
  const own = new Map<string, LoanState>();
  for (const position of inOrder(input.positions, ({ key }) => key)) {
    if (position.kind !== 'borrow') continue;
    const isAmongKnown = position.loan.market !== null && loans.has(position.loan.market);
    own.set(position.key, new LoanState(position.loan, { prices, markets, isAmongKnown }));
  }
  for (const asset of assetsHeld(input)) prices.of(asset);
  const isFirstToLeave = input.first_to_leave === true;
  return { prices, markets, vaults, loans, own, supplied: held.supplied, isFirstToLeave };
}

/** What all positions together hold of each market and of each vault, USD at the start. */
function amountsHeld({ positions }: SimulationInput) {
  const supplied = new Map<string, number>();
  const vaults = new Map<string, number>();
  for (const position of inOrder(positions, ({ key }) => key)) {
    if (position.kind === 'supply')
      supplied.set(position.market, (supplied.get(position.market) ?? 0) + position.usd);
    if (position.kind === 'vault')
      vaults.set(position.vault, (vaults.get(position.vault) ?? 0) + position.usd);
  }
  return { supplied, vaults };
}

function assetsHeld({ markets, vaults, positions }: SimulationInput): readonly string[] {
  const pooled = positions.flatMap((position) => (position.kind === 'pool' ? position.pool.assets : []));
  const lent = markets.flatMap(({ asset, collateral }) =>
    collateral === null ? asset : [asset, collateral],
  );
  return [...lent, ...vaults.map(({ asset }) => asset), ...pooled];
}

function moveWorld(
  { prices, markets, vaults, loans, own }: Simulation,
  { unknownDepth }: Record,
  hour: number,
): void {
  prices.enter(hour);
  for (const market of markets.values()) market.enter(hour);
  const all = [...[...loans.values()].flatMap((group) => group.loans), ...own.values()];
  for (const loan of all) loan.enter();
  for (const asset of liquidate(all, prices)) unknownDepth.add(asset);
  for (const loan of all) loan.writeOff();
  for (const vault of vaults.values()) vault.leave(hour);
}

function recordHour(
  world: Simulation,
  record: Record,
  { hour, isLast }: { readonly hour: number; readonly isLast: boolean },
): void {
  for (const [id, market] of world.markets) {
    record.markets.get(id)?.push(marketHour(id, market, world));
    if (market.isMoved) record.movedMarkets.add(id);
    if (market.isRateUnmodelled && !isLast) record.unmodelledRates.add(id);
  }
  for (const [asset, series] of record.prices) series[hour] = world.prices.of(asset).market;
  const claims = claimsIn(world);
  for (const one of record.positions) {
    one.values[hour] = worthOf(one.position, world, claims).value_usd;
    // What accrues in the last hour belongs to the hour after the horizon.
    if (!isLast) one.income = sumOfIncomes(one.income, incomeOf(one.position, world));
  }
}

function marketHour(id: string, market: MarketState, { loans, prices }: Simulation): MarketHour {
  const known = loans.get(id);
  return {
    utilization: market.utilization,
    borrow_rate: market.rate,
    withdrawable_usd: market.withdrawable * prices.of(market.market.asset).market,
    liquidations: known?.liquidations ?? null,
    liquidated_usd: known?.liquidatedUsd ?? null,
    bad_debt_usd: known?.badDebtUsd ?? null,
    unrealised_bad_debt_usd: known?.unrealisedUsd ?? null,
  };
}

function outcomeOf(
  { position, before, income, values }: PositionRecord,
  world: Simulation,
  after: Worth,
): Omit<PositionOutcome, 'unknown'> {
  const loan = world.own.get(position.key);
  return {
    key: position.key,
    before,
    after,
    attribution: changeOf(before.attribution, after.attribution),
    income,
    liquidations: loan?.liquidations ?? 0,
    liquidated_usd: loan?.liquidated_usd ?? 0,
    bad_debt_usd: loan?.bad_debt_usd ?? 0,
    unrealised_bad_debt_usd: loan?.shortfall ?? 0,
    value_usd: values,
  };
}

/** The change in attribution, because a market may have had bad debt before. */
const changeOf = (before: Worth['attribution'], after: Worth['attribution']): Worth['attribution'] => ({
  price: after.price - before.price,
  peg: after.peg - before.peg,
  slippage: after.slippage - before.slippage,
  liquidation_penalty: after.liquidation_penalty - before.liquidation_penalty,
  bad_debt: after.bad_debt - before.bad_debt,
  stranded: after.stranded - before.stranded,
});

const sumOfIncomes = (a: Income, b: Income): Income => ({
  interest_usd: sumKnown(a.interest_usd, b.interest_usd),
  phantom_usd: sumKnown(a.phantom_usd, b.phantom_usd),
});

const sumKnown = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? null : a + b;

const inOrder = <T>(values: readonly T[], idOf: (value: T) => string): readonly T[] =>
  values.toSorted((a, b) => (idOf(a) < idOf(b) ? -1 : idOf(a) > idOf(b) ? 1 : 0));
