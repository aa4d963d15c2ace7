// Shapes of responses that pages read. A type test compares each with the schema of its endpoint.

export interface RiskEvent {
  readonly event_id: string;
  readonly type: string;
  readonly severity?: string;
  readonly chain?: string | null;
  readonly subject_id: string;
  readonly ts: string;
  readonly data: Readonly<Record<string, unknown>>;
  /** The earlier event that did not happen. */
  readonly retracts_event_id?: string;
}

export interface Gap {
  readonly from: number;
  readonly to: number;
  readonly reason: string;
}

export type Value = number | string | boolean | null;

export interface Series {
  readonly t: readonly number[];
  readonly columns: Readonly<Record<string, readonly Value[]>>;
  readonly gaps: readonly Gap[];
  readonly resolution: string;
  readonly is_thinned: boolean;
}

/** What `meta` of a series states about its range. */
export interface SeriesMeta {
  readonly from: number;
  readonly to: number;
  readonly columns: Readonly<Record<string, { readonly unit: string | null }>>;
}

export interface Rule {
  readonly name: string;
  readonly value: number;
  readonly unit: string | null;
  readonly role: 'threshold' | 'confirmation' | 'cooldown';
}

export interface Evidence {
  readonly event: RiskEvent;
  readonly rules: readonly Rule[];
  readonly policy_version: string | null;
  readonly window: { readonly from: number; readonly to: number };
  readonly series: readonly (Series & { readonly dataset: string; readonly key: string })[];
  readonly sources: readonly { readonly name: string; readonly kind: string }[];
  /** What is missing from the evidence. */
  readonly gaps: readonly string[];
}

export interface Peg {
  readonly chain: string;
  readonly asset_name: string;
  readonly symbol: string;
  readonly quote: string;
  readonly price: string | null;
  readonly deviation_bps: number | null;
  readonly enter_bps: number | null;
  readonly is_downside_only: boolean;
  readonly sources: number | null;
  readonly is_disputed: boolean | null;
  readonly no_price_reason: string | null;
  readonly doubts: readonly string[];
  readonly state: 'pegged' | 'disputed' | 'depegged' | 'unknown';
  readonly source_status: 'live' | 'silent' | 'unknown';
  readonly since: string | null;
  readonly observed_at: string | null;
}
