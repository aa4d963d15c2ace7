// Prices by hour: the market price of an asset, how much of its change is due to the price, the peg and sales into the depth, and what
// the oracles of markets report. All prices are factors on the initial price.
import type { OracleKind } from '../../schemas/simulator-request.ts';
import type { SimulationInput } from './inputs.ts';
import { isChange, ShockTable } from './shock-paths.ts';

/** Value of one unit by cause; the sum is the change of its price. */
export interface PriceMove {
  readonly price: number;
  readonly peg: number;
  readonly slippage: number;
}

/** One asset in the current hour. */
export class AssetPrice {
  readonly #price: Float64Array;
  readonly #peg: Float64Array;
  readonly #depth: Float64Array;
  readonly #depthUsd: number | undefined;
  /** −1 before the first hour, when every factor is 1. */
  #hour = -1;
  #impact = 1;
  #sold = 0;
  /** Change in the last step. */
  move: PriceMove = { price: 0, peg: 0, slippage: 0 };
  /** Change since the start. */
  total: PriceMove = { price: 0, peg: 0, slippage: 0 };

  constructor(asset: string, price: Float64Array, shocks: ShockTable, depthUsd: number | undefined) {
    this.#price = price;
    this.#peg = shocks.factors('peg', asset);
    this.#depth = shocks.factors('depth', asset);
    this.#depthUsd = depthUsd;
  }

  /** Price without the peg and without sales. */
  get price(): number {
    return this.#price[this.#hour] ?? 1;
  }

  /** Price without sales. */
  get pegged(): number {
    return this.price * (this.#peg[this.#hour] ?? 1);
  }

  get market(): number {
    return this.pegged * this.#impact;
  }

  get isDepthKnown(): boolean {
    return this.#depthUsd !== undefined;
  }

  /** Reserve of the constant product with the asset's depth at 100 bps; moves with the square root of the price. Infinite if unknown. */
  get reserve(): number {
    if (this.#depthUsd === undefined) return Number.POSITIVE_INFINITY;
    return 99 * this.#depthUsd * (this.#depth[this.#hour] ?? 1) * Math.sqrt(this.market);
  }

  get sold(): number {
    return this.#sold;
  }

  sell(usd: number): void {
    this.#sold += usd;
  }

  /** Enters an hour: first the price moves, then the peg, then the sales of the previous hour take effect. No one buys back. */
  enter(hour: number): void {
    const [price, peg, impact] = [this.price, this.#peg[this.#hour] ?? 1, this.#impact];
    if (this.#sold > 0) {
      const left = this.reserve / (this.reserve + this.#sold);
      if (this.isDepthKnown) this.#impact *= left * left;
      this.#sold = 0;
    }
    this.#hour = hour;
    const newPeg = this.#peg[hour] ?? 1;
    this.move = {
      price: (this.price - price) * peg * impact,
      peg: this.price * (newPeg - peg) * impact,
      slippage: this.price * newPeg * (this.#impact - impact),
    };
    this.total = {
      price: this.total.price + this.move.price,
      peg: this.total.peg + this.move.peg,
      slippage: this.total.slippage + this.move.slippage,
    };
  }
}

/** What the oracle of a market reports for an asset in the current hour. */
export class OraclePrice {
  readonly #asset: AssetPrice;
  readonly #kind: OracleKind;
  /** 1 in the hours in which it is frozen, by its asset and by its market. */
  readonly #frozen: readonly Float64Array[];
  value = 1;

  constructor(asset: AssetPrice, kind: OracleKind, frozen: readonly Float64Array[]) {
    this.#asset = asset;
    this.#kind = kind;
    this.#frozen = frozen;
  }

  /** A frozen oracle keeps reporting its last value. */
  enter(hour: number): void {
    if (this.#kind === 'hardcoded' || this.#frozen.some((hours) => hours[hour] === 1)) return;
    this.value = this.#kind === 'live' ? this.#asset.market : this.#asset.price;
  }
}

/** Assets and oracles must be requested before the first hour. */
export class Prices {
  readonly shocks: ShockTable;
  readonly #input: SimulationInput;
  readonly #assets = new Map<string, AssetPrice>();
  /** By market, kind and asset. */
  readonly #oracles = new Map<string, OraclePrice>();

  constructor(input: SimulationInput) {
    this.#input = input;
    this.shocks = new ShockTable(input.shocks, input.horizon_hours);
  }

  of(asset: string): AssetPrice {
    const known = this.#assets.get(asset);
    if (known !== undefined) return known;
    const made = new AssetPrice(asset, this.#pathOf(asset), this.shocks, this.#input.depths.get(asset));
    this.#assets.set(asset, made);
    return made;
  }

  oracle(asset: string, market: string | null, kind: OracleKind): OraclePrice {
    const key = `${market ?? ''}|${kind}|${asset}`;
    const known = this.#oracles.get(key);
    if (known !== undefined) return known;
    const subjects = market === null ? [asset] : [asset, market];
    const frozen = subjects.map((subject) => this.shocks.frozen(subject));
    const made = new OraclePrice(this.of(asset), kind, frozen);
    this.#oracles.set(key, made);
    return made;
  }

  enter(hour: number): void {
    for (const asset of this.#assets.values()) asset.enter(hour);
    for (const oracle of this.#oracles.values()) oracle.enter(hour);
  }

  get assets(): readonly string[] {
    return [...this.#assets.keys()].sort();
  }

  /** Assets whose price or peg a shock moves, or would move if their β were known. */
  get moved(): ReadonlySet<string> {
    const isMoved = (asset: string) =>
      this.#follows(asset)
        ? this.#isSourceMoved
        : (['price', 'peg'] as const).some((kind) => isChange(this.shocks.factors(kind, asset)));
    return new Set(this.assets.filter(isMoved));
  }

  /** Assets that follow a price by an unknown β. */
  get withoutBeta(): readonly string[] {
    const { betas } = this.#input;
    return this.assets.filter(
      (asset) => this.#follows(asset) && this.#isSourceMoved && betas?.of.has(asset) !== true,
    );
  }

  #follows(asset: string): boolean {
    return this.#input.betas !== null && this.shocks.find('price', asset) === undefined;
  }

  get #isSourceMoved(): boolean {
    const { betas } = this.#input;
    return betas !== null && isChange(this.shocks.factors('price', betas.source));
  }

  /** The asset's own shock, else that of the market by β, else none. */
  #pathOf(asset: string): Float64Array {
    const own = this.shocks.find('price', asset);
    const { betas } = this.#input;
    if (own !== undefined || betas === null) return own ?? this.shocks.factors('price', asset);
    const beta = betas.of.get(asset) ?? 0;
    return this.shocks.factors('price', betas.source).map((factor) => Math.max(0, 1 + beta * (factor - 1)));
  }
}
