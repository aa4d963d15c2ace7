// The incidents of the demo world: a description for tests and observers, and the blocks and factors that produce them.
import type { Feed } from './scenario/feeds.ts';
import type { Span } from './scenario/rounds.ts';

export type IncidentKind =
  | 'depeg'
  | 'depeg_open'
  | 'stale'
  | 'silent'
  | 'invalid'
  | 'classification'
  | 'shuffled'
  | 'late'
  | 'poison';

/** An event that an incident causes. Times in Unix seconds. */
export interface ExpectedEvent {
  readonly type: string;
  readonly severity?: 'warn' | 'high' | 'critical';
  /** First instant at which the condition held. */
  readonly at: number;
  /** Observation that confirms the event if two are required; otherwise the same instant. */
  readonly confirmed_at: number;
}

export interface Incident {
  readonly kind: IncidentKind;
  /** Null if it affects all feeds. */
  readonly feed: Pick<Feed, 'index' | 'pair' | 'address'> | null;
  /** Unix seconds; `to` is null if it does not end. */
  readonly from: number;
  readonly to: number | null;
  readonly expect: readonly ExpectedEvent[];
}

export function subject(feed: Feed): Pick<Feed, 'index' | 'pair' | 'address'> {
  return { index: feed.index, pair: feed.pair, address: feed.address };
}

/** A round outside the grid. `factor` multiplies the answer: 1 keeps it, 0 and -1 make it invalid. */
export interface ExtraRound {
  readonly block: number;
  /** First block at which it can be read: later than `block` only for a late round, earlier for one that claims to be from the future. */
  readonly available: number;
  readonly factor: number;
  readonly isText?: boolean;
}

/** Omits the rounds of the grid strictly between the two blocks. */
export interface Silence {
  readonly after: number;
  readonly until: number;
}

/** Rounds after `after` up to `upTo` cannot be read before `available`. */
export interface Delay {
  readonly after: number;
  readonly upTo: number;
  readonly available: number;
}

/** An incident together with what it changes. */
export interface Plot {
  readonly incident: Incident;
  /** Indexes of other feeds affected in the same way. */
  readonly others?: readonly number[];
  readonly silence?: Silence;
  readonly extras?: readonly ExtraRound[];
  readonly delay?: Delay;
  /** From this block on every answer is multiplied. */
  readonly shift?: { readonly from: number; readonly factor: number };
  readonly shuffle?: Span;
  readonly risk_level?: string;
}
