// What every error means, what to do about it, and what its `details` look like: the page of its code, and the examples of the API
// document. The type makes a code without a page impossible.
import type { ErrorCode } from './errors.ts';

/** `mend`: the same request fails again. `wait`: after `Retry-After`. `back_off`: later, with growing pauses, a few times (7.7). */
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
    meaning: 'The endpoint needs a key and the request brought none.',
    remedy: 'Send the header `Authorization: Bearer <API_KEY>`.',
    retry: 'mend',
  },
  unauthenticated: {
    meaning: 'The endpoint needs a caller who is known, and this one is not.',
    remedy: 'Send a valid key in the header `Authorization: Bearer <API_KEY>`.',
    retry: 'mend',
  },
  invalid_key: {
    meaning:
      'The key has a form that no key has, or no such key was ever issued. Often a character is missing at its end, or a quote or a line break came with it.',
    remedy: 'Copy the key again, whole. A key that was lost cannot be shown again: ask for a new one.',
    retry: 'mend',
  },
  expired_key: {
    meaning: 'The key was valid until its end date, which has passed.',
    remedy: 'Use the key that replaced it, or ask for a new one.',
    retry: 'mend',
  },
  revoked_key: {
    meaning: 'The key was withdrawn. It never becomes valid again.',
    remedy:
      'Use another key. If nobody of your organisation withdrew it, ask who did: the change is in the audit log.',
    retry: 'mend',
  },
  insufficient_scope: {
    meaning:
      'The key is valid, and not meant for this endpoint: it lacks the scope in `details.required_scope`.',
    remedy: 'Use a key that has the scope. The scopes of a key cannot be changed; a new key can have others.',
    retry: 'mend',
    details: { required_scope: 'manifest:read' },
  },
  forbidden: {
    meaning: 'The key is valid, and this resource is not for it.',
    remedy: 'Use a key of the organisation that the resource belongs to.',
    retry: 'mend',
  },
  rate_limited: {
    meaning:
      'The key is unknown, and too many unknown keys came from this address within a minute. Valid keys from the same address are still accepted.',
    remedy:
      'Send a valid key, or wait for the seconds in `Retry-After` to learn what is wrong with this one.',
    retry: 'wait',
  },
  rate_limit_exceeded: {
    meaning:
      'The requests of this minute are used up: those of the plan, or those of the address where there is no key.',
    remedy:
      'Wait for the seconds in `Retry-After`. `X-RateLimit-Remaining` of every answer tells how many are left, and `X-RateLimit-Reset` when they come back.',
    retry: 'wait',
  },
} as const satisfies Partial<Record<ErrorCode, ErrorPage>>;

const requests = {
  invalid_request: {
    meaning:
      'The request could not be read: a method that the path does not answer, a body that is not JSON, a header or a target that is malformed.',
    remedy:
      'The message says what is wrong. Where it is the method, the header `Allow` names the right ones.',
    retry: 'mend',
  },
  validation_failed: {
    meaning: 'The request was read, and one of its fields is not what it should be.',
    remedy: '`details.fields` names every field and its problem.',
    retry: 'mend',
    details: { fields: [{ field: 'limit', problem: 'must be <= 500' }] },
  },
  not_found: {
    meaning:
      'There is nothing at this path: no such resource, no data for this name, or nothing that your organisation may see.',
    remedy: 'Check the path; names are in lower case. The list endpoints tell which names there are.',
    retry: 'mend',
  },
  conflict: {
    meaning:
      'The request does not go with what is there, for example a resource that exists already, or an `X-Idempotency-Key` that came with another request.',
    remedy: 'Read the resource, then decide. Use a new idempotency key for a new request.',
    retry: 'mend',
  },
  idempotency_in_flight: {
    meaning: 'A request with the same `X-Idempotency-Key` is still being worked on.',
    remedy:
      'Wait for the seconds in `Retry-After` and send the same request again: it gets the answer of the first.',
    retry: 'wait',
  },
  gone: {
    meaning: 'The path was deprecated, its last day has passed, and something else has taken its place.',
    remedy: 'Ask the path that `details.successor` and the header `Link` name.',
    retry: 'mend',
    details: { successor: '/v2/data-manifest' },
  },
} as const satisfies Partial<Record<ErrorCode, ErrorPage>>;

const service = {
  risk_dependency_unavailable: {
    meaning:
      'Something that the calculation rests on (value at risk, protocol risk, liquidity, correlation) cannot be had now.',
    remedy: 'Try again later, each time after a longer pause. `/v1/status` tells how old each dataset is.',
    retry: 'back_off',
  },
  unavailable: {
    meaning:
      'The endpoint cannot answer now: nothing is published yet, the service is stopping, or its store does not take requests.',
    remedy:
      'Try again later, each time after a longer pause. `/v1/ready` tells when the service takes requests.',
    retry: 'back_off',
  },
  internal_error: {
    meaning: 'Something went wrong inside the service. The request may be right.',
    remedy: 'Try again a few times, each time after a longer pause. If it stays, report the `request_id`.',
    retry: 'back_off',
  },
} as const satisfies Partial<Record<ErrorCode, ErrorPage>>;

const plans = {
  plan_upgrade_required: {
    meaning: 'The plan of the caller does not include this endpoint.',
    remedy:
      '`details.required_plans` names the plans that do, and `details.upgrade_url` where they are described.',
    retry: 'mend',
    details: { current_plan: 'analyst', required_plans: PLANS_FROM_TEAM, upgrade_url: UPGRADE },
  },
  MC_TIER_REQUIRED: {
    meaning: 'The plan of the caller does not include exit Monte Carlo runs.',
    remedy:
      '`details.required_plans` names the plans that do, and `details.upgrade_url` where they are described.',
    retry: 'mend',
    details: { current_plan: 'free', required_plans: PLANS_FROM_TEAM, upgrade_url: UPGRADE },
  },
  MC_MONTHLY_QUOTA_EXCEEDED: {
    meaning: 'The exit Monte Carlo runs of this UTC month are used up.',
    remedy:
      'Wait until `details.resets_at`, or change to a plan with more. A run that was made before costs nothing when it is asked for again with its seed.',
    retry: 'mend',
    details: { limit: 200, resets_at: '2026-02-01T00:00:00Z', upgrade_url: UPGRADE },
  },
  SIMULATOR_TIER_REQUIRED: {
    meaning: 'The plan of the caller does not include the simulator.',
    remedy:
      '`details.required_plans` names the plans that do, and `details.upgrade_url` where they are described.',
    retry: 'mend',
    details: { current_plan: 'free', required_plans: PLANS_FROM_TEAM, upgrade_url: UPGRADE },
  },
  SIMULATOR_MONTHLY_QUOTA_EXCEEDED: {
    meaning: 'The simulator runs of this UTC month are used up.',
    remedy: 'Wait until `details.resets_at`, or change to a plan with more.',
    retry: 'mend',
    details: { limit: 200, resets_at: '2026-02-01T00:00:00Z', upgrade_url: UPGRADE },
  },
  SIMULATOR_SCENARIO_NOT_FOUND: {
    meaning: 'There is no scenario with this id.',
    remedy: 'Take an id from `GET /v2/simulator/scenarios`, or send shocks of your own.',
    retry: 'mend',
  },
} as const satisfies Partial<Record<ErrorCode, ErrorPage>>;

const replay = {
  REPLAY_NOT_AVAILABLE: {
    meaning: 'The plan of the caller has no replay window.',
    remedy: 'Change to a plan with one; the plans are described at `/docs#plans`.',
    retry: 'mend',
    details: { window_days: 0 },
  },
  REPLAY_WINDOW_EXPIRED: {
    meaning:
      '`since_event_id` is older than the replay window of the plan: events between it and the window cannot be had.',
    remedy:
      'Start again without `since_event_id`, at the beginning of the window, and take what was missed as missed. `details.window_days` is its length.',
    retry: 'mend',
    details: { window_days: 30 },
  },
  INVALID_CURSOR: {
    meaning: '`since_event_id` is not the id of an event, which is a ULID of 26 characters in upper case.',
    remedy: 'Pass `next_cursor` of the page before, or the `event_id` of the last event you have.',
    retry: 'mend',
  },
  INVALID_EVENT_TYPE: {
    meaning: '`type` is not one of the event types. Wildcards are not among them.',
    remedy: 'Take a type from the list of events in the documentation.',
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
