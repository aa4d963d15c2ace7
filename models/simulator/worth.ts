// The positions of a simulation by hour: the value of each, the part that can be withdrawn, and the causes of its loss. Interest is
// reported separately: it is part of neither values nor losses.
import { type ClaimParts, Claims, type Holdings } from './claims.ts';
import type { Position } from './inputs.ts';
import { type Attribution, type LoanState, noLoss } from './loans.ts';
import { isFull, type MarketLoans } from './market-loans.ts';
import { poolFactor } from './pools.ts';
import type { AssetPrice, Prices } from './prices.ts';

/** Value of a position in an hour. Borrowers who are unknown count as if nothing changed for them. */
export interface Worth {
  /** Causes that have lowered the value so far. */
  readonly attribution: Readonly<Attribution>;
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

export interface Simulation extends Holdings {
  readonly prices: Prices;
  /** Loans of markets whose borrowers are known. */
  readonly loans: ReadonlyMap<string, MarketLoans>;
  readonly own: ReadonlyMap<string, LoanState>;
}

export function worthOf(position: Position, world: Simulation, claims: Claims): Worth {
  if (position.kind === 'supply') return worthOfSupply(position, world, claims);
  if (position.kind === 'vault') return worthOfVault(position, world, claims);
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
  if (position.kind === 'supply') {
    const { claimIndex } = found(world.markets, position.market);
    return incomeOfSupply(position.market, position.usd * claimIndex, world);
  }
  if (position.kind === 'borrow') {
    const interest = found(world.own, position.key).hourlyInterest;
    return { interest_usd: interest === null ? null : -interest, phantom_usd: 0 };
  }
  const { supplies, shares } = found(world.vaults, position.vault);
  const incomes = supplies.map(({ market, usd }) =>
    incomeOfSupply(market.market.id, shares > 0 ? (usd * position.usd) / shares : 0, world),
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

/** The claims of the current hour. */
export const claimsIn = (world: Simulation): Claims =>
  new Claims(world, ({ market: { id, asset } }) => {
    const price = world.prices.of(asset).market;
    return price > 0 ? (world.loans.get(id)?.unrealisedUsd ?? 0) / price : 0;
  });

function worthOfSupply(
  { market: id, usd }: Extract<Position, { readonly kind: 'supply' }>,
  world: Simulation,
  claims: Claims,
): Worth {
  const market = found(world.markets, id);
  const { withdrawable, uncovered } = claims.on(market);
  const { claimIndex: left } = market;
  return worthOfClaim(usd, world.prices.of(market.market.asset), {
    lost: 1 - left,
    withdrawable: left * withdrawable,
    uncovered: left * uncovered,
  });
}

function worthOfVault(
  { vault: id, usd }: Extract<Position, { readonly kind: 'vault' }>,
  world: Simulation,
  claims: Claims,
): Worth {
  const state = found(world.vaults, id);
  return worthOfClaim(usd, world.prices.of(state.vault.asset), {
    lost: 1 - state.shareValue,
    ...claims.onVault(state),
  });
}

/** `parts`: of 1 USD at the start, in units of the asset. `lost` was written off. */
function worthOfClaim(
  usd: number,
  price: AssetPrice,
  { lost, withdrawable, uncovered }: ClaimParts & { readonly lost: number },
): Worth {
  const worth = usd * price.market;
  const bad_debt = worth * lost;
  const stranded = worth * uncovered;
  const value_usd = Math.max(0, worth - bad_debt - stranded);
  return {
    attribution: { ...causes(usd, price.total), bad_debt, stranded },
    value_usd,
    withdrawable_usd: Math.min(value_usd, worth * withdrawable),
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

function found<T>(map: ReadonlyMap<string, T>, key: string): T {
  const value = map.get(key);
  if (value === undefined) throw new RangeError(`The simulation has no ${key}.`);
  return value;
}
