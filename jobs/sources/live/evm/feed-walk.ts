// Which rounds of one feed are still to be read: backward from its latest round, through the phases of its proxy, to the last known round
// or to the first instant that is wanted.
import { type RoundData, phaseOf, proxyRound, roundOf } from './feed-abi.ts';

export interface WalkEnds {
  /** Newest round of an earlier reading. */
  readonly known: bigint | null;
  /** Without `known`: rounds before this instant are not wanted, apart from the last of them. Unix seconds. */
  readonly since: number;
}

/** Small, because most readings come minutes after the previous one. */
const FIRST_PAGE = 4n;
const MAX_PAGE = 256n;

export class FeedWalk {
  readonly feed: string;
  readonly #ends: WalkEnds;
  /** Highest round that has not been requested; null if the phase is exhausted. */
  #next: bigint | null;
  #phase: number;
  #page = FIRST_PAGE;
  #isOver = false;
  #oldest: bigint;

  constructor(feed: string, latest: RoundData, ends: WalkEnds) {
    this.feed = feed;
    this.#ends = ends;
    this.#oldest = latest.roundId;
    this.#phase = phaseOf(latest.roundId);
    this.#next = roundOf(latest.roundId) - 1n;
    this.#take(latest);
    this.#settle();
  }

  /** Phase whose last round must be given (`enterPhase`) before the walk continues. */
  get wantedPhase(): number | null {
    return this.#isOver || this.#next !== null ? null : this.#phase;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Oldest round that was requested. */
  get oldest(): bigint {
    return this.#oldest;
  }

  /** Round ids to request next, newest first; empty while a phase is wanted and at the end. */
  page(): bigint[] {
    if (this.#isOver || this.#next === null) return [];
    const last = this.#next;
    const lowest = this.#lowest();
    const first = last - this.#page + 1n > lowest ? last - this.#page + 1n : lowest;
    this.#oldest = proxyRound(this.#phase, first);
    this.#page = this.#page * 2n < MAX_PAGE ? this.#page * 2n : MAX_PAGE;
    this.#next = first - 1n;
    const ids: bigint[] = [];
    for (let round = last; round >= first; round--) ids.push(proxyRound(this.#phase, round));
    return ids;
  }

  /** The answers of a page; null for rounds that do not exist. */
  took(answers: readonly (RoundData | null)[]): void {
    for (const answer of answers) if (answer !== null) this.#take(answer);
    this.#settle();
  }

  /** `last` is the last round of the wanted phase; null if the proxy has no aggregator for it. */
  enterPhase(last: bigint | null): void {
    this.#next = last === null ? 0n : roundOf(last);
    this.#page = FIRST_PAGE;
    this.#settle();
  }

  /** A round that was never answered has no time and does not end the walk. */
  #take({ updatedAt }: RoundData): void {
    if (this.#ends.known === null && updatedAt > 0n && updatedAt < BigInt(this.#ends.since))
      this.#isOver = true;
  }

  #settle(): void {
    if (this.#next === null || this.#next >= this.#lowest()) return;
    const isLastPhase = this.#phase <= (this.#ends.known === null ? 1 : phaseOf(this.#ends.known));
    if (isLastPhase) this.#isOver = true;
    this.#next = null;
    this.#phase -= 1;
  }

  /** First round of the phase that is wanted. */
  #lowest(): bigint {
    const { known } = this.#ends;
    return known !== null && phaseOf(known) === this.#phase ? roundOf(known) + 1n : 1n;
  }
}
