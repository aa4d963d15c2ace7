// The effect of a simulation's shocks on price feeds: the factor by which an asset's price moves, and the hours in which a feed is silent.
import type { Shock } from '../../../models/simulator/inputs.ts';
import { ShockTable } from '../../../models/simulator/shock-paths.ts';
import type { Outcome } from '../../../models/simulator/simulate.ts';
import { CONFIRMING_HOURS, isOther } from './observation.ts';

/** The properties of a feed that shocks depend on. */
interface Feed {
  readonly chain: string;
  readonly feed_address: string;
  readonly base: string;
  readonly quote: string;
}

export class FeedShocks {
  readonly #prices: Outcome['prices'];
  readonly #shocks: ShockTable;
  /** Subjects of shocks to prices. */
  readonly #named: ReadonlySet<string>;
  readonly #hours: number;
  /** By the subject of an `oracle_freeze`: an asset or a market. */
  readonly #frozen: ReadonlyMap<string, Float64Array>;
  readonly #feedsOf: (market: string) => readonly string[];

  /** @param feedsOf `<chain>:<feed_address>` of the feeds behind a market */
  constructor(
    { prices }: Pick<Outcome, 'prices'>,
    { shocks, horizon_hours }: { readonly shocks: readonly Shock[]; readonly horizon_hours: number },
    feedsOf: (market: string) => readonly string[],
  ) {
    this.#prices = prices;
    this.#shocks = new ShockTable(shocks, horizon_hours);
    this.#hours = horizon_hours + 1;
    this.#feedsOf = feedsOf;
    const subjectsOf = (...kinds: readonly Shock['kind'][]) =>
      shocks.filter(({ kind }) => kinds.includes(kind)).map(({ subject }) => subject);
    this.#named = new Set(subjectsOf('price', 'peg'));
    // A shock to everything is a shock to all that the positions touch.
    const stopped = subjectsOf('oracle_freeze').flatMap((subject) =>
      subject === '*' ? [...prices.keys()] : [subject],
    );
    this.#frozen = new Map(stopped.map((subject) => [subject, this.#shocks.frozen(subject)]));
  }

  /** Assets whose price moves, through their own shock or the simulation. */
  get moved(): ReadonlySet<string> {
    const assets = new Set([...this.#prices.keys(), ...this.#named]);
    return new Set([...assets].filter((asset) => this.#lastMove(asset) > 0));
  }

  /** Factor on the price of one asset in terms of another; not finite if the other is worth nothing. */
  factor({ base, quote }: Pick<Feed, 'base' | 'quote'>, hour: number): number {
    return this.#assetFactor(base, hour) / this.#assetFactor(quote, hour);
  }

  /** Whether a feed is ever silent. */
  isStopped(feed: Feed): boolean {
    return this.#frozenHours(feed).some((hours) => hours.includes(1));
  }

  isSilent(feed: Feed, hour: number): boolean {
    return this.#frozenHours(feed).some((hours) => hours[hour] === 1);
  }

  /** Hours up to the last move or silence, plus those that confirm the move. */
  hoursToAsk(assets: Iterable<string>, isAnyStopped: boolean): number {
    const moves = [...assets].map((asset) => this.#lastMove(asset) + CONFIRMING_HOURS);
    const silences = isAnyStopped ? [...this.#frozen.values()].map((hours) => hours.lastIndexOf(1) + 1) : [];
    return Math.min(this.#hours, Math.max(0, ...moves, ...silences));
  }

  /** Number of hours up to the last change; 0 for a price that does not change. */
  #lastMove(asset: string): number {
    for (let hour = this.#hours - 1; hour >= 0; hour--)
      if (isOther(this.#assetFactor(asset, hour), hour === 0 ? 1 : this.#assetFactor(asset, hour - 1)))
        return hour + 1;
    return 0;
  }

  #assetFactor(asset: string, hour: number): number {
    const simulated = this.#prices.get(asset)?.[hour];
    if (simulated !== undefined) return simulated;
    if (!this.#named.has(asset)) return 1;
    const of = (kind: 'price' | 'peg') => this.#shocks.factors(kind, asset)[hour] ?? 1;
    return of('price') * of('peg');
  }

  #frozenHours({ chain, feed_address, base }: Feed): readonly Float64Array[] {
    const id = `${chain}:${feed_address}`;
    return [...this.#frozen].flatMap(([subject, hours]) =>
      subject === base || (subject.includes(':') && this.#feedsOf(subject).includes(id)) ? [hours] : [],
    );
  }
}
