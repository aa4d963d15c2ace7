// Meaning, remedy and example `details` of every error, for its page and the API document. The type requires an entry for every code.
import type { ErrorCode } from './errors.ts';

/** `mend`: correct the request first. `wait`: retry after `Retry-After`. `back_off`: retry a few times with growing pauses (7.7). */
export type RetryRule = 'mend' | 'wait' | 'back_off';

export interface ErrorPage {
  readonly meaning: string;
  readonly remedy: string;
  readonly retry: RetryRule;
  readonly details?: Readonly<Record<string, unknown>>;
}

const PLANS_FROM_TEAM = ['team', 'enterprise', 'custom'];
const UPGRADE = 'https://api.example.com/docs#plans';

const keys = {
  missing_auth: {
    meaning: 'The endpoint requires a key and the request has none.',
    remedy: 'Send the header `Authorization: Bearer <API_KEY>`.',
    retry: 'mend',
  },
  unauthenticated: {
    meaning: 'The endpoint requires authentication.',
    remedy: 'Send a valid key in the header `Authorization: Bearer <API_KEY>`.',
    retry: 'mend',
  },
  invalid_key: {
    meaning:
      'The key is malformed or was never issued. Often a character is missing at its end, or a quote or line break was copied with it.',
    remedy: 'Copy the complete key again. A lost key cannot be shown again: ask for a new one.',
    retry: 'mend',
  },
  expired_key: {
    meaning: 'The key was valid until its end date, which has passed.',
    remedy: 'Use its replacement, or ask for a new key.',
    retry: 'mend',
  },
  revoked_key: {
    meaning: 'The key was revoked. It never becomes valid again.',
    remedy:
      'Use another key. If your organisation did not revoke it, ask the operator: the change is in the audit log.',
    retry: 'mend',
  },
  insufficient_scope: {
    meaning: 'The key is valid but lacks the scope in `details.required_scope`.',
    remedy: 'Use a key that has the scope. The scopes of a key cannot be changed; a new key can have others.',
    retry: 'mend',
    details: { required_scope: 'manifest:read' },
  },
  forbidden: {
    meaning: 'The key is valid but may not access this resource.',
    remedy: 'Use a key of the organisation that owns the resource.',
    retry: 'mend',
  },
  rate_limited: {
    meaning:
      'The key is unknown, and too many unknown keys came from this address within a minute. Valid keys from the same address are still accepted.',
    remedy:
      'Send a valid key, or wait for the seconds in `Retry-After` and send this one again for the exact error.',
    retry: 'wait',
  },
  rate_limit_exceeded: {
    meaning: 'The per-minute limit of the plan, or of the address for requests without a key, is used up.',
    remedy:
      'Wait for the seconds in `Retry-After`. In every response, `X-RateLimit-Remaining` is the number of requests left and `X-RateLimit-Reset` the time of the reset.',
    retry: 'wait',
  },
} as const satisfies Partial<Record<ErrorCode, ErrorPage>>;

const requests = {
  invalid_request: {
    meaning:
      'The request is malformed: a method that the path does not support, a body that is not JSON, or an invalid header or target.',
    remedy: 'The message names the problem. For a wrong method, the header `Allow` lists the supported ones.',
    retry: 'mend',
  },
  validation_failed: {
    meaning: 'The request is well-formed, but a field is invalid.',
    remedy: '`details.fields` lists every invalid field and its problem.',
    retry: 'mend',
    details: { fields: [{ field: 'limit', problem: 'must be at most 500' }] },
  },
  not_found: {
    meaning:
      'Nothing was found at this path: no such resource, no data for this name, or a resource of another organisation.',
    remedy: 'Check the path; names are in lower case. The list endpoints return the valid names.',
    retry: 'mend',
  },
  range_not_satisfiable: {
    meaning: 'The header `Range` asks for bytes after the end of the file.',
    remedy:
      'Request a range within the length that `details.bytes` and the header `Content-Range` state. Send the `ETag` of the bytes that you have as `If-Range`: if the file has changed, you get the whole new one.',
    retry: 'mend',
    details: { bytes: 48213 },
  },
  conflict: {
    meaning:
      'The request conflicts with the current state, for example a resource that already exists, or an `X-Idempotency-Key` that was used with another request.',
    remedy: 'Read the current state first. Use a new idempotency key for a new request.',
    retry: 'mend',
  },
  idempotency_in_flight: {
    meaning: 'A request with the same `X-Idempotency-Key` is still being processed.',
    remedy:
      'Wait for the seconds in `Retry-After` and send the same request again: it returns the response of the first.',
    retry: 'wait',
  },
  gone: {
    meaning: 'The path was deprecated, has been removed, and has a successor.',
    remedy: 'Use the path in `details.successor` and the header `Link`.',
    retry: 'mend',
    details: { successor: '/v2/data-manifest' },
  },
} as const satisfies Partial<Record<ErrorCode, ErrorPage>>;

const service = {
  risk_dependency_unavailable: {
    meaning:
      'An input of the calculation (value at risk, protocol risk, liquidity, correlation) is temporarily unavailable.',
    remedy: 'Retry with growing pauses. `/v1/status` shows the age of each dataset.',
    retry: 'back_off',
  },
  unavailable: {
    meaning:
      'The endpoint is temporarily unavailable: nothing is published yet, the service is stopping, or its store is not available.',
    remedy: 'Retry with growing pauses. `/v1/ready` shows when the service accepts requests.',
    retry: 'back_off',
  },
  internal_error: {
    meaning: 'An error inside the service. The request may be correct.',
    remedy: 'Retry a few times with growing pauses. If the error persists, report the `request_id`.',
    retry: 'back_off',
  },
} as const satisfies Partial<Record<ErrorCode, ErrorPage>>;

const plans = {
  plan_upgrade_required: {
    meaning: 'The plan of the caller does not include this endpoint.',
    remedy: '`details.required_plans` lists the plans that do; `details.upgrade_url` describes them.',
    retry: 'mend',
    details: { current_plan: 'analyst', required_plans: PLANS_FROM_TEAM, upgrade_url: UPGRADE },
  },
  MC_TIER_REQUIRED: {
    meaning: 'The plan of the caller does not include exit Monte Carlo runs.',
    remedy: '`details.required_plans` lists the plans that do; `details.upgrade_url` describes them.',
    retry: 'mend',
    details: { current_plan: 'free', required_plans: PLANS_FROM_TEAM, upgrade_url: UPGRADE },
  },
  MC_MONTHLY_QUOTA_EXCEEDED: {
    meaning: 'The exit Monte Carlo runs of this UTC month are used up.',
    remedy:
      'Wait until `details.resets_at`, or change to a plan with a larger quota. Repeating an earlier run with its seed does not count.',
    retry: 'mend',
    details: { limit: 200, resets_at: '2026-02-01T00:00:00Z', upgrade_url: UPGRADE },
  },
  SIMULATOR_TIER_REQUIRED: {
    meaning: 'The plan of the caller does not include the simulator.',
    remedy: '`details.required_plans` lists the plans that do; `details.upgrade_url` describes them.',
    retry: 'mend',
    details: { current_plan: 'free', required_plans: PLANS_FROM_TEAM, upgrade_url: UPGRADE },
  },
  SIMULATOR_MONTHLY_QUOTA_EXCEEDED: {
    meaning: 'The simulator runs of this UTC month are used up.',
    remedy: 'Wait until `details.resets_at`, or change to a plan with a larger quota.',
    retry: 'mend',
    details: { limit: 200, resets_at: '2026-02-01T00:00:00Z', upgrade_url: UPGRADE },
  },
  SIMULATOR_SCENARIO_NOT_FOUND: {
    meaning: 'No scenario has this id.',
    remedy: 'Use an id from `GET /v2/simulator/scenarios`, or send your own shocks.',
    retry: 'mend',
  },
} as const satisfies Partial<Record<ErrorCode, ErrorPage>>;

const replay = {
  REPLAY_NOT_AVAILABLE: {
    meaning: 'The plan of the caller has no replay window.',
    remedy: 'Change to a plan with a replay window; `/docs#plans` describes the plans.',
    retry: 'mend',
    details: { window_days: 0 },
  },
  REPLAY_WINDOW_EXPIRED: {
    meaning:
      '`since_event_id` is older than the replay window of the plan: events between it and the window are not available.',
    remedy:
      'Start again without `since_event_id`, at the beginning of the window; older events are missed. `details.window_days` is its length.',
    retry: 'mend',
    details: { window_days: 30 },
  },
  INVALID_CURSOR: {
    meaning: '`since_event_id` is not the id of an event, which is a ULID of 26 characters in upper case.',
    remedy: 'Pass `next_cursor` of the previous page, or the `event_id` of the last event you have.',
    retry: 'mend',
  },
  INVALID_EVENT_TYPE: {
    meaning: '`type` is not an event type. Wildcards are not supported.',
    remedy: 'Use a type from the list of events in the documentation.',
    retry: 'mend',
  },
} as const satisfies Partial<Record<ErrorCode, ErrorPage>>;

export const ERROR_PAGES: Readonly<Record<ErrorCode, ErrorPage>> = {
  ...keys,
  ...requests,
  ...service,
  ...plans,
  ...replay,
};
