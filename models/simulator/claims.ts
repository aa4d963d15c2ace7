// The positions of a simulation by hour: the value of each, the part that can be withdrawn, and the causes of its loss. Interest is
// reported separately: it is part of neither values nor losses.
import type { Position } from './inputs.ts';
import { type Attribution, type LoanState, noLoss } from './loans.ts';
import { isFull, type MarketLoans } from './market-loans.ts';
import type { MarketState } from './markets.ts';
import { poolFactor } from './pools.ts';
import type { Prices } from './prices.ts';
import type { VaultState } from './vaults.ts';

/** Value of a position in an hour. Null is unknown. */
export interface Worth {
  /** Causes that have lowered the value so far. */
  readonly attribution: { readonly [Cause in keyof Attribution]: number | null };
  readonly value_usd: number;
  readonly withdrawable_usd: number;
  /** Null for a position without debt. */
  readonly health_factor: number | null;
}

/** Interest of one hour, USD; null if unknown. Paid interest is negative. */
export interface Income {
  readonly interest_usd: number | null;
  /** Interest credited but owed by no one who can pay. */
  readonly phantom_usd: number | null;
}

export interface Simulation {
  readonly prices: Prices;
  readonly markets: ReadonlyMap<string, MarketState>;
  readonly vaults: ReadonlyMap<string, VaultState>;
  /** Loans of markets whose borrowers are known. */
  readonly loans: ReadonlyMap<string, MarketLoans>;
  readonly own: ReadonlyMap<string, LoanState>;
}

export function worthOf(position: Position, world: Simulation): Worth {
  if (position.kind === 'supply') return worthOfSupply(position, world);
  if (position.kind === 'vault') return worthOfVault(position, world);
  if (position.kind === 'pool') return worthOfPool(position, world);
  const loan = found(world.own, position.key);
  return {
    attribution: loan.finalAttribution(),
    value_usd: loan.value,
    withdrawable_usd: loan.withdrawable,
    health_factor: Number.isFinite(loan.health) ? loan.health : null,
  };
}

export function incomeOf(position: Position, world: Simulation): Income {
  if (position.kind === 'pool') return { interest_usd: null, phantom_usd: 0 };
  if (position.kind === 'supply') return incomeOfSupply(position.market, position.usd, world);
  if (position.kind === 'borrow') {
    const interest = found(world.own, position.key).hourlyInterest;
    return { interest_usd: interest === null ? null : -interest, phantom_usd: 0 };
  }
  const { vault, held, claims } = found(world.vaults, position.vault);
  const incomes = vault.holdings.map(({ market }, index) =>
    incomeOfSupply(market, claims > 0 ? ((held[index] ?? 0) * position.usd) / claims : 0, world),
  );
  return {
    interest_usd: total(incomes.map(({ interest_usd }) => interest_usd)),
    phantom_usd: total(incomes.map(({ phantom_usd }) => phantom_usd)),
  };
}

function incomeOfSupply(id: string, usd: number, { markets, loans, prices }: Simulation): Income {
  const market = found(markets, id);
  const rate = market.supplyRate;
  const earned = rate === null ? null : (usd * prices.of(market.market.asset).market * rate) / 8_760;
  if (!isFull(market)) return { interest_usd: earned, phantom_usd: 0 };
  const isPhantom = loans.get(id)?.isPhantom ?? null;
  if (isPhantom === null) return { interest_usd: null, phantom_usd: null };
  return isPhantom ? { interest_usd: 0, phantom_usd: earned } : { interest_usd: earned, phantom_usd: 0 };
}

/** Loss of 1 USD supplied to a market at the start. */
interface SupplyLoss {
  readonly moved: number;
  readonly bad_debt: number | null;
  readonly stranded: number | null;
}

/** `stranded`: neither covered by collateral at market nor withdrawable. Suppliers who withdraw in time lose nothing. */
function supplyLoss(id: string, usd: number, { markets, loans, prices }: Simulation): SupplyLoss {
  const market = found(markets, id);
  const price = prices.of(market.market.asset).market;
  const known = loans.get(id);
  if (known === undefined) return { moved: price, bad_debt: null, stranded: null };
  const kept = price * (1 - market.lostShare);
  const supplied = market.market.supplied_usd;
  const uncovered = supplied > 0 ? Math.min(kept, known.unrealisedUsd / supplied) : 0;
  const stuck = usd > 0 ? Math.max(0, kept - (market.withdrawable * price) / usd) : 0;
  return { moved: price, bad_debt: price * market.lostShare, stranded: Math.min(uncovered, stuck) };
}

function worthOfSupply(
  { market: id, usd }: Extract<Position, { readonly kind: 'supply' }>,
  world: Simulation,
): Worth {
  const market = found(world.markets, id);
  const price = world.prices.of(market.market.asset);
  const { moved, bad_debt, stranded } = supplyLoss(id, usd, world);
  const value = usd * (moved - (bad_debt ?? 0) - (stranded ?? 0));
  return {
    attribution: {
      ...causes(usd, price.total),
      bad_debt: bad_debt === null ? null : usd * bad_debt,
      stranded: stranded === null ? null : usd * stranded,
    },
    value_usd: value,
    withdrawable_usd: Math.min(value, market.withdrawable * price.market),
    health_factor: null,
  };
}

function worthOfVault(
  { vault: id, usd }: Extract<Position, { readonly kind: 'vault' }>,
  world: Simulation,
): Worth {
  const state = found(world.vaults, id);
  const price = world.prices.of(state.vault.asset);
  const losses = state.vault.holdings.map(({ market }, index) => {
    const held = state.held[index] ?? 0;
    const { bad_debt, stranded } = supplyLoss(market, held, world);
    return {
      bad_debt: bad_debt === null ? null : held * bad_debt,
      stranded: stranded === null ? null : held * stranded,
    };
  });
  const share = state.claims > 0 ? usd / state.claims : 0;
  const bad_debt = scaled(total(losses.map((loss) => loss.bad_debt)), share);
  const stranded = scaled(total(losses.map((loss) => loss.stranded)), share);
  const value = usd * price.market - (bad_debt ?? 0) - (stranded ?? 0);
  return {
    attribution: { ...causes(usd, price.total), bad_debt, stranded },
    value_usd: value,
    withdrawable_usd: Math.min(value, state.withdrawable * price.market),
    health_factor: null,
  };
}

/** The price moves first, then the peg, then the sales into the depth; each cause is what the pool loses by it. */
function worthOfPool(
  { pool, usd }: Extract<Position, { readonly kind: 'pool' }>,
  { prices }: Simulation,
): Worth {
  const all = pool.assets.map((asset) => prices.of(asset));
  const byPrice = poolFactor(
    pool,
    all.map(({ price }) => price),
  );
  const byPeg = poolFactor(
    pool,
    all.map(({ pegged }) => pegged),
  );
  const value = poolFactor(
    pool,
    all.map(({ market }) => market),
  );
  return {
    attribution: {
      ...noLoss(),
      price: usd * (1 - byPrice),
      peg: usd * (byPrice - byPeg),
      slippage: usd * (byPeg - value),
    },
    value_usd: usd * value,
    withdrawable_usd: usd * value,
    health_factor: null,
  };
}

const causes = (
  usd: number,
  moved: { readonly price: number; readonly peg: number; readonly slippage: number },
) => ({
  price: loss(usd * moved.price),
  peg: loss(usd * moved.peg),
  slippage: loss(usd * moved.slippage),
  liquidation_penalty: 0,
});

/** The negated change, without a negative zero. */
const loss = (change: number): number => (change === 0 ? 0 : -change);

/** Null if a part is unknown. */
function total(values: readonly (number | null)[]): number | null {
  let sum = 0;
  for (const value of values) {
    if (value === null) return null;
    sum += value;
  }
  return sum;
}

const scaled = (value: number | null, factor: number): number | null =>
  value === null ? null : value * factor;

function found<T>(map: ReadonlyMap<string, T>, key: string): T {
  const value = map.get(key);
  if (value === undefined) throw new RangeError(`the simulation has no ${key}`);
  return value;
}
