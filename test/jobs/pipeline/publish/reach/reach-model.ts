// Reach worked out a second time: every node has a value (2 affected, 1 not known, 0 not affected), and all rules are repeated until no
// value rises any more.
import type { ReachWorld, SubjectOf, WorldMarket, WorldVault, WorldYield } from './reach-world.ts';

type Value = 0 | 1 | 2;
type Counts = readonly [certain: number, unknown: number];

export interface ModelReach {
  readonly markets: Counts;
  readonly vaults: Counts;
  readonly yields: Counts;
  readonly usd: number;
  /** Affected markets with a known supply. */
  readonly known: number;
}

const nodeOf = (one: { readonly chain: string; readonly id: string }) => `${one.chain}:${one.id}`;

/** What is known of a market, as it is published. */
const isInPool = ({ isHeld, collateral }: WorldMarket) => isHeld || collateral === 'pool';
const isOdd = ({ isHeld, loan, collateral, protocol }: WorldMarket) =>
  isHeld || loan === null || (collateral === 'pool' ? protocol === null : collateral === null);
const protocolOf = ({ isHeld, protocol }: WorldMarket) => (isHeld ? null : protocol);
const loanOf = ({ isHeld, loan }: WorldMarket) => (isHeld ? null : loan);
const assetOf = ({ isHeld, asset }: WorldVault) => (isHeld ? null : asset);
const maySame = (a: string | null, b: string | null) => a === null || b === null || a === b;

class Model {
  readonly #values = new Map<string, Value>();
  readonly #world: ReachWorld;
  readonly #kind: string;
  readonly #chain: string;
  readonly #name: string;
  isRising = true;

  constructor(world: ReachWorld, { subject_id }: SubjectOf) {
    this.#world = world;
    const [kind = '', chain = '', name = ''] = subject_id.split(':');
    [this.#kind, this.#chain, this.#name] = [kind, chain, name];
  }

  get #isPeg() {
    return this.#kind === 'peg';
  }

  /** A condition about a market that nothing is published of. */
  get isMissing() {
    const isIt = (one: WorldMarket) => one.chain === this.#chain && one.id === this.#name;
    return this.#kind === 'liquidity' && !this.#world.markets.some(isIt);
  }

  value(node: string): Value {
    return this.#values.get(node) ?? 0;
  }

  #raise(node: string, value: Value): void {
    if (value <= this.value(node)) return;
    this.#values.set(node, value);
    this.isRising = true;
  }

  assets(): void {
    if (!this.#isPeg) return;
    this.#raise(`asset:${this.#name}`, 2);
    for (const { symbol, backing, isWhole } of this.#world.assets) {
      if (!isWhole) this.#raise(`asset:${symbol}`, 1);
      for (const part of backing) this.#raise(`asset:${symbol}`, this.value(`asset:${part}`));
    }
  }

  #directly({ isHeld, loan, collateral }: WorldMarket): Value {
    if (isHeld) return 0;
    const [a, b] = [this.value(`asset:${loan}`), this.value(`asset:${collateral}`)];
    return a > b ? a : b;
  }

  market(one: WorldMarket): void {
    if (one.chain !== this.#chain) return;
    const node = nodeOf(one);
    if (this.#kind === 'liquidity' && one.id === this.#name) this.#raise(node, 2);
    if (this.#kind === 'oracle' && !one.isHeld && one.feeds.includes(this.#name)) this.#raise(node, 2);
    if (this.#kind === 'oracle' && (one.isHeld || one.feeds.length === 0)) this.#raise(node, 1);
    if (!this.#isPeg) return;
    this.#raise(node, this.#directly(one));
    if (isOdd(one)) this.#raise(node, 1);
    const isMate = (mate: WorldMarket) =>
      isInPool(mate) && mate.chain === this.#chain && maySame(protocolOf(mate), protocolOf(one));
    const mates = isInPool(one) ? this.#world.markets.filter(isMate) : [];
    if (mates.some((mate) => isOdd(mate) || this.#directly(mate) > 0)) this.#raise(node, 1);
  }

  /** Whether something affected may lend or accept the asset. */
  #isReached(symbol: string | null): boolean {
    const { markets, vaults } = this.#world;
    const isAffected = (one: WorldMarket | WorldVault) => this.value(nodeOf(one)) > 0;
    return (
      this.isMissing ||
      markets.some((one) => isAffected(one) && maySame(loanOf(one), symbol)) ||
      vaults.some((one) => isAffected(one) && maySame(assetOf(one), symbol))
    );
  }

  vault(one: WorldVault): void {
    if (one.chain !== this.#chain) return;
    const { markets, vaults } = this.#world;
    const held = [
      ...one.markets.flatMap((n) => (markets[n] ? [nodeOf(markets[n])] : [])),
      ...one.vaults.flatMap((n) => (vaults[n] ? [nodeOf(vaults[n])] : [])),
      ...[...one.assets, ...(one.asset === null ? [] : [one.asset])].map((name) => `asset:${name}`),
    ];
    if (!one.isHeld) for (const node of held) this.#raise(nodeOf(one), this.value(node));
    const isOpen = one.isHeld || !one.isWhole;
    if (isOpen && (this.#isPeg || this.#isReached(assetOf(one)))) this.#raise(nodeOf(one), 1);
  }

  yield(one: WorldYield): void {
    if (one.chain !== this.#chain) return;
    const { markets, vaults } = this.#world;
    const isAnything =
      this.#isPeg || this.isMissing || [...markets, ...vaults].some((each) => this.value(nodeOf(each)) > 0);
    const node = `yield:${one.id}`;
    if (one.isHeld && isAnything) this.#raise(node, 1);
    if (one.isHeld) return;
    for (const symbol of one.assets) this.#raise(node, this.value(`asset:${symbol}`));
    const payer = one.payer && (one.payer.kind === 'market' ? markets : vaults)[one.payer.index];
    const isOpen = !payer && one.strategy !== 'lp';
    if (payer) this.#raise(node, this.value(nodeOf(payer)));
    if (isOpen && one.assets.some((symbol) => this.#isReached(symbol))) this.#raise(node, 1);
  }
}

export function modelReach(world: ReachWorld, subject: SubjectOf): ModelReach {
  const { markets, vaults, yields } = world;
  const model = new Model(world, subject);
  while (model.isRising) {
    model.isRising = false;
    model.assets();
    for (const one of markets) model.market(one);
    for (const one of vaults) model.vault(one);
    for (const one of yields) model.yield(one);
  }
  const count = (nodes: readonly string[], value: Value) =>
    nodes.filter((node) => model.value(node) === value).length;
  const counts = (nodes: readonly string[]): Counts => [count(nodes, 2), count(nodes, 1)];
  const affected = markets.filter((one) => model.value(nodeOf(one)) === 2);
  const dollars = affected.flatMap(({ isHeld, usd }) => (isHeld || usd === null ? [] : [usd]));
  const [certain, unknown] = counts(markets.map(nodeOf));
  return {
    markets: [certain + (model.isMissing ? 1 : 0), unknown],
    vaults: counts(vaults.map(nodeOf)),
    yields: counts(yields.map(({ id }) => `yield:${id}`)),
    usd: dollars.reduce((sum, one) => sum + one, 0),
    known: dollars.length,
  };
}
