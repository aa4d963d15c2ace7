// Which results of a simulation are not known, because an input that could have changed them is missing. A missing borrower, depth, rate
// or part of a vault must never make a loss look smaller, so whatever it could have changed is unknown too.
import type { Loan, Position, SimulatedMarket, SimulatedVault, SimulationInput } from './inputs.ts';

/** What moved in the hours of a simulation. */
export interface Movements {
  /** Whether a shock moves any price, including those of assets that no position names. */
  readonly isAnyPrice: boolean;
  /** Whether a shock moves the liquidity of a market or the deposits of a vault. */
  readonly isAnyLiquidity: boolean;
  readonly assets: ReadonlySet<string>;
  /** Assets that were sold at an unknown depth, or that follow another asset by an unknown β. */
  readonly unpriced: ReadonlySet<string>;
  /** Markets whose utilisation or supply changed. */
  readonly markets: ReadonlySet<string>;
  /** Markets whose utilisation rose although it is unknown how their rate follows it. */
  readonly unmodelledRates: ReadonlySet<string>;
  /** Vaults that depositors left. */
  readonly vaults: ReadonlySet<string>;
}

/** A result of a position that may be unknown. `value` is that at the start; the value after it is unknown with the loss. */
export type Figure = 'loss' | 'value' | 'withdrawable' | 'slippage' | 'bad_debt';

export interface Unknowns {
  /** Assets whose price is unknown. */
  readonly assets: ReadonlySet<string>;
  /** Markets whose liquidations and bad debt are unknown. */
  readonly markets: ReadonlySet<string>;
  /** Markets whose rates, and with them the growth of their debts, are unknown. */
  readonly rates: ReadonlySet<string>;
  /** Markets from which unknown amounts are withdrawn, or to which they are repaid. */
  readonly liquidity: ReadonlySet<string>;
}

export function unknownsIn(input: SimulationInput, moved: Movements): Unknowns {
  const spread = new Spread(input, moved);
  while (spread.widen());
  return spread;
}

/** Follows each unknown to whatever depends on it, until nothing new is found. */
class Spread implements Unknowns {
  readonly assets: Set<string>;
  readonly markets = new Set<string>();
  readonly rates: Set<string>;
  readonly liquidity = new Set<string>();
  readonly #input: SimulationInput;
  readonly #moved: Movements;

  constructor(input: SimulationInput, moved: Movements) {
    this.#input = input;
    this.#moved = moved;
    this.assets = new Set(moved.unpriced);
    this.rates = new Set(moved.unmodelledRates);
  }

  /** Whether something new was found. */
  widen(): boolean {
    const before = this.#size;
    const { markets, positions, vaults, missing } = this.#input;
    for (const market of markets) this.#market(market);
    for (const position of positions)
      if (position.kind === 'borrow' && isLoanUnknown(position.loan, this)) this.#sales(position.loan);
    for (const vault of vaults) this.#vault(vault);
    for (const loan of missing?.loans ?? []) if (this.#touches(loan)) this.#sales(loan);
    for (const { asset, collateral } of missing?.markets ?? [])
      if (collateral !== null && [asset, collateral].some((one) => one !== null && this.#isMoved(one)))
        this.assets.add(collateral);
    for (const { id, asset } of missing?.vaults ?? []) this.#hiddenClaims(id, asset);
    return this.#size > before;
  }

  #market(market: SimulatedMarket): void {
    const { id, collateral, loans } = market;
    if (loans === null) {
      if (!this.#matters(market)) return;
      this.markets.add(id);
      // With pooled collateral any asset could be sold; the model has no sales of such borrowers.
      if (collateral !== null) this.assets.add(collateral);
      return;
    }
    for (const loan of loans)
      if (isLoanUnknown(loan, this)) {
        this.markets.add(id);
        this.#sales(loan);
      }
  }

  /** A loan may be liquidated in an unknown amount: its collateral is sold, and its markets are repaid. */
  #sales({ collateral, debt }: MissingLoan): void {
    for (const { asset } of collateral) this.assets.add(asset);
    for (const { market } of debt) if (market !== null) this.#unsettle(market);
  }

  /** Vaults withdraw from one market what another does not pay, so what is unknown in one of them is unknown in all. */
  #vault({ id, asset, holdings, unknown_usd }: SimulatedVault): void {
    if (unknown_usd > 0) this.#hiddenClaims(id, asset);
    if (this.#moved.vaults.has(id) && holdings.some(({ market }) => this.markets.has(market)))
      for (const { market } of holdings) this.#unsettle(market);
  }

  /** Unknown holdings of a vault may be in any market that lends its asset. */
  #hiddenClaims(vault: string, asset: string | null): void {
    if (!this.#moved.vaults.has(vault) && this.#input.first_to_leave !== true) return;
    for (const market of this.#input.markets)
      if ((asset === null || market.asset === asset) && this.#matters(market)) this.#unsettle(market.id);
  }

  #unsettle(market: string): void {
    this.markets.add(market);
    this.rates.add(market);
    this.liquidity.add(market);
  }

  /** Whether anything happened that could change the loans or the suppliers of a market. */
  #matters({ id, asset, collateral }: SimulatedMarket): boolean {
    const { markets, vaults, isAnyPrice } = this.#moved;
    if (markets.has(id) || vaults.size > 0) return true;
    if (collateral === null) return isAnyPrice || this.#moved.assets.size > 0 || this.assets.size > 0;
    return this.#isMoved(asset) || this.#isMoved(collateral);
  }

  #touches({ collateral, debt }: MissingLoan): boolean {
    return (
      [...collateral, ...debt].some(({ asset }) => this.#isMoved(asset)) ||
      debt.some(({ market }) => market !== null && this.#moved.markets.has(market))
    );
  }

  #isMoved(asset: string): boolean {
    return this.#moved.assets.has(asset) || this.assets.has(asset);
  }

  get #size(): number {
    return this.assets.size + this.markets.size + this.rates.size;
  }
}

type MissingLoan = NonNullable<SimulationInput['missing']>['loans'][number];

function isLoanUnknown({ collateral, debt }: Loan, { assets, rates }: Unknowns): boolean {
  return (
    [...collateral, ...debt].some(({ asset }) => assets.has(asset)) ||
    debt.some(({ market }) => market !== null && rates.has(market))
  );
}

/** Results of a position that are not known. */
export function unknownFigures(
  position: Position,
  input: SimulationInput,
  { unknowns, moved }: { readonly unknowns: Unknowns; readonly moved: Movements },
): ReadonlySet<Figure> {
  const { assets } = unknowns;
  if (position.kind === 'borrow')
    return new Set<Figure>(
      isLoanUnknown(position.loan, unknowns) ? ['loss', 'withdrawable', 'slippage', 'bad_debt'] : [],
    );
  if (position.kind === 'pool')
    return new Set<Figure>(position.pool.assets.some((asset) => assets.has(asset)) ? UNPRICED : []);
  const { asset, ids, isHidden } = claimOf(position, input);
  const isUnpriced = asset !== undefined && assets.has(asset);
  const isUnsettled =
    ids.some((id) => unknowns.markets.has(id)) || (isHidden && (moved.isAnyPrice || moved.isAnyLiquidity));
  // Borrowers who repay make more liquidity, and their bad debt lowers all claims alike: pro rata, a supplier can withdraw no less.
  const isRunUnknown = isUnsettled && (position.kind === 'vault' || input.first_to_leave === true);
  // Debts that nothing covers lower the claims of all suppliers, from the start.
  const isUnknownToday =
    isHidden ||
    input.markets.some(
      ({ id, loans, is_covered }) => loans === null && is_covered !== true && ids.includes(id),
    );
  return new Set<Figure>([
    ...(isUnpriced ? UNPRICED : []),
    ...(isUnsettled ? (['loss', 'bad_debt'] as const) : []),
    ...(isUnknownToday ? (['value'] as const) : []),
    ...(isRunUnknown || ids.some((id) => unknowns.liquidity.has(id)) ? (['withdrawable'] as const) : []),
  ]);
}

const UNPRICED = ['loss', 'withdrawable', 'slippage'] as const;

/** The asset and the markets of a claim, and whether a part of it is in unknown places. */
function claimOf(
  position: Extract<Position, { readonly kind: 'supply' | 'vault' }>,
  { markets, vaults }: SimulationInput,
) {
  if (position.kind === 'supply') {
    const market = markets.find(({ id }) => id === position.market);
    return { asset: market?.asset, ids: [position.market], isHidden: false };
  }
  const vault = vaults.find(({ id }) => id === position.vault);
  return {
    asset: vault?.asset,
    ids: (vault?.holdings ?? []).map(({ market }) => market),
    isHidden: (vault?.unknown_usd ?? 0) > 0,
  };
}
