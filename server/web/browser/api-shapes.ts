// Shapes of responses that pages read. A type test compares each with the schema of its endpoint.

export interface RiskEvent {
  readonly event_id: string;
  readonly type: string;
  readonly severity?: string;
  readonly chain?: string | null;
  readonly protocol?: string | null;
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
  /** The day of the last point, if it is not over. */
  readonly partial_day?: string;
  readonly columns: Readonly<Record<string, { readonly unit: string | null }>>;
}

export interface Rule {
  readonly name: string;
  readonly value: number;
  readonly unit: string | null;
  readonly role: 'threshold' | 'confirmation' | 'cooldown';
  readonly meaning: string | null;
  readonly applies: boolean;
}

export interface CourseEvent {
  readonly role: 'start' | 'escalation' | 'end' | 'recovery' | 'retraction' | 'retracted';
  readonly event_id: string;
  readonly type: string;
  readonly severity: string | null;
  readonly ts: string;
}

export interface Evidence {
  readonly event: RiskEvent;
  readonly story: {
    readonly headline: string;
    readonly further: readonly string[];
    readonly doubts: readonly string[];
  };
  readonly course: readonly CourseEvent[];
  readonly rules: readonly Rule[];
  readonly policy_version: string | null;
  readonly window: { readonly from: number; readonly to: number };
  readonly series: readonly (Series & {
    readonly dataset: string;
    readonly key: string;
    readonly name: string | null;
  })[];
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

export interface Condition {
  readonly id: string;
  readonly event_id: string | null;
  readonly type: string;
  readonly severity: string;
  readonly title: string;
  readonly chain: string | null;
  readonly subject_id: string;
  readonly subject_name: string | null;
  readonly since: string | number | null;
  readonly measure: string | null;
  readonly unit: string | null;
  readonly value_start: number | null;
  readonly value_worst: number | null;
  readonly value_now: number | null;
  readonly rule: readonly {
    readonly name: string;
    readonly value: number | string;
    readonly unit: string | null;
  }[];
  readonly evidence_url: string | null;
  readonly band_multiple: number | null;
  readonly reach: Reach | null;
}

export interface Reach {
  readonly markets: number | null;
  readonly markets_unknown: number | null;
  readonly vaults: number | null;
  readonly vaults_unknown: number | null;
  readonly yields: number | null;
  readonly yields_unknown: number | null;
  readonly usd: number | null;
  readonly usd_unknown_share: number | null;
}

export interface Change {
  readonly id: string;
  readonly change: string;
  readonly reason: string | null;
  readonly dataset: string | null;
  readonly before: Condition | null;
  readonly after: Condition | null;
}
