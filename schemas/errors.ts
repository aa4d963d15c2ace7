// Every error that the service returns: code, HTTP status, default message and the shape of its body (7.1-7.6, decisions 34-36).
// Codes are stable and clients branch on them; messages may change.
import { Strict, Type } from './define.ts';

export interface ErrorSpec {
  readonly http: number;
  /**
   * `standard`: 7.1, or the legacy family's wrapping of it. `flat`: 7.5, `{error: <CODE>, message, details}`. `bare`: 7.6,
   * `{error: <message>}`.
   */
  readonly body: 'standard' | 'flat' | 'bare';
  /** Whether the body carries `documentation_url`. The upper-case codes do not (7.4). */
  readonly is_documented: boolean;
  readonly message: string;
}

const standard = (http: number, message: string): ErrorSpec => ({
  http,
  body: 'standard',
  is_documented: true,
  message,
});
const gated = (http: number, message: string): ErrorSpec => ({
  http,
  body: 'standard',
  is_documented: false,
  message,
});
const flat = (http: number, message: string): ErrorSpec => ({
  http,
  body: 'flat',
  is_documented: false,
  message,
});

export const ERRORS = {
  // 7.2
  missing_auth: standard(401, 'The Authorization header is missing.'),
  unauthenticated: standard(401, 'Authentication is required.'),
  invalid_key: standard(401, 'The key is malformed or not recognized.'),
  expired_key: standard(401, 'The key has expired.'),
  revoked_key: standard(401, 'The key has been revoked.'),
  insufficient_scope: standard(403, 'The key lacks the scope that this endpoint requires.'),
  forbidden: standard(403, 'The key may not access this resource.'),
  invalid_request: standard(400, 'The request is malformed.'),
  validation_failed: standard(400, 'The request failed validation.'),
  not_found: standard(404, 'The resource does not exist.'),
  range_not_satisfiable: standard(416, 'The requested range has no byte of the file.'),
  conflict: standard(409, 'The request conflicts with the current state.'),
  rate_limit_exceeded: standard(429, 'The per-minute limit of the plan is exceeded.'),
  rate_limited: standard(429, 'Too many failed authentication attempts.'),
  risk_dependency_unavailable: standard(503, 'A risk data dependency is temporarily unavailable.'),
  unavailable: standard(503, 'The endpoint or the data behind it is temporarily unavailable.'),
  internal_error: standard(500, 'Unexpected server error.'),
  // 7.6
  idempotency_in_flight: {
    http: 409,
    body: 'bare',
    is_documented: false,
    message: 'A request with the same X-Idempotency-Key is in flight.',
  },
  // 9.5
  gone: standard(410, 'This path has been removed.'),
  // Decision 34
  plan_upgrade_required: standard(402, 'This endpoint requires a higher plan.'),
  // 7.4
  MC_TIER_REQUIRED: gated(403, 'Exit Monte Carlo requires a higher plan.'),
  MC_MONTHLY_QUOTA_EXCEEDED: gated(429, 'The monthly exit Monte Carlo quota is used up.'),
  SIMULATOR_TIER_REQUIRED: gated(403, 'The simulator requires a higher plan.'),
  SIMULATOR_MONTHLY_QUOTA_EXCEEDED: gated(429, 'The monthly simulator quota is used up.'),
  SIMULATOR_SCENARIO_NOT_FOUND: gated(404, 'The scenario does not exist.'),
  // 7.5
  REPLAY_NOT_AVAILABLE: flat(404, 'Replay is not available on this plan.'),
  REPLAY_WINDOW_EXPIRED: flat(410, 'since_event_id is older than the replay window of the plan.'),
  INVALID_CURSOR: flat(400, 'since_event_id is not a valid ULID.'),
  INVALID_EVENT_TYPE: flat(400, 'type is not a recognized event type.'),
} as const satisfies Record<string, ErrorSpec>;

export type ErrorCode = keyof typeof ERRORS;

const details = Type.Record(Type.String(), Type.Unknown(), { description: 'Context of the error' });

/** 7.1 */
export const StandardErrorSchema = Strict({
  error: Strict({
    code: Type.String(),
    message: Type.String(),
    details: Type.Optional(details),
    request_id: Type.String(),
    documentation_url: Type.Optional(Type.String()),
  }),
});

/** 7.5; the request id is in `details`, because the body has no member for it. */
export const FlatErrorSchema = Strict({ error: Type.String(), message: Type.String(), details });

/** 7.6 */
export const BareErrorSchema = Strict({ error: Type.String() });

/** Decisions 36 and 59 */
export const LegacyErrorSchema = Strict({
  status: Type.Literal(false),
  data: Type.Array(Type.Never(), { maxItems: 0 }),
  message: Type.String(),
  error: Strict({
    code: Type.String(),
    message: Type.String(),
    details: Type.Optional(details),
    request_id: Type.String(),
  }),
});
