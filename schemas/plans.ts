// Plans, scopes and every limit of the service (Part 8; decisions 30-32, 47, 52, 55). Units are in the names.

export interface Plan {
  /** Plans are ordered: an endpoint that needs one also accepts every higher one. */
  readonly rank: number;
  readonly requests_per_minute: number;
  readonly replay_window_days: number;
  readonly stream_connections: number;
  readonly webhook_subscriptions: number;
  readonly monte_carlo_runs_per_month: number;
  readonly simulator_runs_per_month: number;
}

export const PLANS = {
  free: {
    rank: 0,
    requests_per_minute: 30,
    replay_window_days: 0,
    stream_connections: 0,
    webhook_subscriptions: 0,
    monte_carlo_runs_per_month: 0,
    simulator_runs_per_month: 0,
  },
  analyst: {
    rank: 1,
    requests_per_minute: 300,
    replay_window_days: 7,
    stream_connections: 2,
    webhook_subscriptions: 0,
    monte_carlo_runs_per_month: 0,
    simulator_runs_per_month: 0,
  },
  team: {
    rank: 2,
    requests_per_minute: 1_000,
    replay_window_days: 30,
    stream_connections: 10,
    webhook_subscriptions: 10,
    monte_carlo_runs_per_month: 200,
    simulator_runs_per_month: 200,
  },
  enterprise: {
    rank: 3,
    requests_per_minute: 3_000,
    replay_window_days: 90,
    stream_connections: 50,
    webhook_subscriptions: 50,
    monte_carlo_runs_per_month: 5_000,
    simulator_runs_per_month: 5_000,
  },
  /** Upper bounds; a contract sets its own numbers below these. */
  custom: {
    rank: 4,
    requests_per_minute: 3_000,
    replay_window_days: 365,
    stream_connections: 50,
    webhook_subscriptions: 50,
    monte_carlo_runs_per_month: 5_000,
    simulator_runs_per_month: 5_000,
  },
} as const satisfies Record<string, Plan>;

export type PlanName = keyof typeof PLANS;

export const SCOPES = [
  'scores:read',
  'data:read',
  'oracle:read',
  'manifest:read',
  'yield:read',
  'portfolio:analyze',
  'liquidity:simulate',
  'simulator:run',
  'events:read',
  'stream:read',
  'webhooks:read',
  'webhooks:write',
  'usage:read',
] as const;
export type Scope = (typeof SCOPES)[number];

/** Requests are counted in windows of this length. */
export const RATE_WINDOW_MS = 60_000;

export const LIMITS = {
  anonymous_requests_per_minute: 30,
  /** Open lists and histories allow this many times the requests per minute, counted separately, without a key and on the Free plan. */
  browsing_factor: 4,
  coverage_page: { default: 50, max: 500 },
  list_page: { default: 100, max: 500 },
  corrections_page: { default: 50, max: 200 },
  /** Part of the event log that is open to callers whose plan has no replay. */
  open_events: { window_days: 7, delay_seconds: 900 },
  replay_page: { default: 100, max: 1_000 },
  /** Days of usage that are kept, and that a request returns by default. */
  usage_days: { default: 30, max: 400 },
  /** How long deliveries are kept. */
  delivery_days: 30,
  webhook_page: { default: 50, max: 200 },
  webhook_url_characters: 1_024,
  webhook_key_characters: 64,
  webhook_filter_values: 100,
  webhook_filter_characters: 256,
  webhook_description_characters: 500,
  webhook_group_minutes: { default: 60, min: 5, max: 1_440 },
  /** Severities that quiet hours do not hold back, unless the subscription names others. */
  webhook_always_send: ['critical'],
  /** Subjects that a digest names. */
  webhook_summary_subjects: 20,
  /** How long the previous secret stays valid after a rotation. */
  webhook_grace_seconds: { default: 86_400, max: 604_800 },
  yield_page: { default: 50, max: 200 },
  cache_max_age_seconds: 300,
  cache_stale_while_revalidate_seconds: 600,
  /** Maximum length of a request target, bytes. */
  url_bytes: 4_096,
  body_bytes: 65_536,
  idempotency_key_characters: 255,
  idempotency_hours: 24,
  /** Well-formed unknown keys per address and minute; more get `rate_limited`. Valid keys are never refused because of them. */
  key_guesses_per_minute: 10,
  request_id_characters: 128,
  /** Per connection of the stream. */
  stream: {
    inbound_frame_bytes: 4_096,
    inbound_frames_per_second: 10,
    /** Frames queued for a slow client, beyond the buffers of the operating system. */
    queue_frames: 1_000,
    queue_bytes: 1_048_576,
    ping_seconds: 30,
    missed_pings: 2,
    life_hours: 24,
  },
} as const;

/** Who may read a dataset that no endpoint serves. */
export interface DatasetAccess {
  readonly plan: PlanName;
  readonly scope: Scope;
}

export const FACTS_ACCESS: DatasetAccess = { plan: 'free', scope: 'data:read' };
/** Of datasets from whose rows individual events are derived. */
export const EVENTS_ACCESS: DatasetAccess = { plan: 'analyst', scope: 'events:read' };
