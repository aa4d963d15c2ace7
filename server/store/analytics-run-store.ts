// The calculations charged to an organisation. See store.ts for what every store guarantees.

export type RunKind = 'monte_carlo' | 'simulator';

export interface RunCharge {
  readonly org: string;
  readonly kind: RunKind;
  /** Identity of the run. */
  readonly run_key: string;
  /** `2026-03`, UTC */
  readonly month: string;
  readonly charged_ms: number;
  /** Maximum number of runs charged to the organisation per month. */
  readonly limit: number;
}

/** `known`: the run was already charged, in any month. `exceeded`: nothing was changed. */
export interface Charged {
  readonly state: 'charged' | 'known' | 'exceeded';
  /** Runs charged in the month, including this one. */
  readonly used: number;
}

export interface AnalyticsRunStore {
  isCharged(org: string, kind: RunKind, runKey: string): Promise<boolean>;
  /** Runs charged in a month. */
  countOf(org: string, kind: RunKind, month: string): Promise<number>;
  /** Charges a run unless it is known or the limit of the month is reached. */
  charge(charge: RunCharge): Promise<Charged>;
  /** Deletes older charges, after which repeating those runs costs again. Returns the number of deleted charges. */
  forget(beforeMs: number): Promise<number>;
}
