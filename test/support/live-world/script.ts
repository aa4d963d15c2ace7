// Decides the trouble of each response: every kind that an endpoint can have takes its turn, some for one response and some for many, and
// once a host is down for days.
import { seededRandom } from '../seeded-random.ts';
import type { Scene } from './replies.ts';
import type { Trouble } from './trouble.ts';
import { ABSENCES, TROUBLES } from './troubles.ts';

export interface Absence {
  readonly endpoint: string;
  /** Host names that are down; all hosts if omitted. */
  readonly host?: string;
  readonly from: number;
  readonly to: number;
}

export interface ScriptRules {
  readonly seed: number;
  /** Troubles happen only in this period, Unix seconds. */
  readonly from: number;
  readonly to: number;
  readonly absences: readonly Absence[];
  /** How much rarer troubles are than the default. */
  readonly calm: number;
}

/** Good responses between two troubles, on average. */
const CALM: { readonly [endpoint: string]: number } = {
  node: 30,
  posts: 5,
  hub: 6,
  pools: 6,
  protocols: 6,
  near: 6,
};
const ANSWERS = [1, 1, 2, 6];
const PLACE_SEED = 7_919;

interface PlaceState {
  readonly random: () => number;
  /** Kinds in the order of their turns; a kind that was used moves to the end. */
  readonly kinds: Trouble[];
  current: Trouble | null;
  left: number;
  turn: number;
}

export class Script {
  readonly #rules: ScriptRules;
  readonly #places = new Map<string, PlaceState>();

  constructor(rules: ScriptRules) {
    this.#rules = rules;
  }

  /** Null for a good response. */
  next(scene: Scene): { readonly trouble: Trouble; readonly turn: number } | null {
    const { endpoint, question } = scene;
    if (question.now < this.#rules.from || question.now >= this.#rules.to) return null;
    const state = this.#stateOf(`${endpoint.id} ${question.host}`);
    state.turn += 1;
    const absence = this.#rules.absences.find(
      ({ endpoint: id, host = question.host, from, to }) =>
        id === endpoint.id && host === question.host && from <= question.now && question.now < to,
    );
    const trouble =
      absence === undefined ? this.#episode(state, scene) : (ABSENCES[state.turn % ABSENCES.length] ?? null);
    return trouble === null ? null : { trouble, turn: state.turn };
  }

  #episode(state: PlaceState, scene: Scene): Trouble | null {
    if (state.left > 0) state.left -= 1;
    else if (state.current === null) this.#begin(state, scene);
    else this.#rest(state, scene.endpoint.id);
    const { current } = state;
    return current?.isPossible(scene) === true ? current : null;
  }

  #begin(state: PlaceState, scene: Scene): void {
    const index = state.kinds.findIndex((kind) => kind.isPossible(scene));
    const [kind] = index === -1 ? [] : state.kinds.splice(index, 1);
    if (kind === undefined) return;
    state.kinds.push(kind);
    state.current = kind;
    state.left = (ANSWERS[Math.floor(state.random() * ANSWERS.length)] ?? 1) - 1;
  }

  #rest(state: PlaceState, endpoint: string): void {
    state.current = null;
    state.left = Math.floor(state.random() * 2 * (CALM[endpoint] ?? 1) * this.#rules.calm);
  }

  #stateOf(location: string): PlaceState {
    const known = this.#places.get(location);
    if (known !== undefined) return known;
    const random = seededRandom(this.#rules.seed + this.#places.size * PLACE_SEED);
    const kinds = TROUBLES.map((kind) => ({ kind, order: random() })).sort((a, b) => a.order - b.order);
    const state = { random, kinds: kinds.map(({ kind }) => kind), current: null, left: 0, turn: 0 };
    this.#places.set(location, state);
    return state;
  }
}
