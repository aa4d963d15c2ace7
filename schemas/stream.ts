// The stream's interface: path, parameters, close codes and control frames (4.25, decisions 51 and 52).
import { IsoTime, Nullable, type Static, Strict, Type, Ulid } from './define.ts';
import type { ErrorCode } from './errors.ts';
import { SEVERITIES } from './event.ts';
import { EVENT_TYPES } from './events.ts';
import { LIMITS } from './plans.ts';

export const STREAM_PATH = '/v2/ws/risk-events';

const { stream: LIMIT } = LIMITS;

/** Lowest plan and scope that may open the stream. */
export const STREAM_ACCESS = { plan: 'analyst', scope: 'stream:read' } as const;

/** Separated by commas. */
const listOf = (names: readonly string[], description: string) =>
  Type.Array(Type.Enum([...names]), { description, minItems: 1 });
const only = (what: string) => Type.String({ description: `Events of this ${what} only`, minLength: 1 });

/** Query parameters. Lists are separated by commas. */
export const STREAM_PARAMETERS = {
  token: Type.String({
    description: 'The key, for browsers; other clients use the `Authorization` header',
    minLength: 1,
  }),
  types: listOf(EVENT_TYPES, 'Event types; by default all'),
  severity: listOf(SEVERITIES, 'Exact severities; by default all'),
  subject_id: only('subject'),
  chain: only('chain'),
  protocol: only('protocol'),
  since_event_id: Type.String({
    description:
      'Resumes after this id: first the missed events, then new ones, without gaps or duplicates. An id older than the replay window of the plan is refused, or with `control=1` reported as a gap. A ULID, in upper or lower case',
    pattern: '^[0-7][0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{25}$',
    examples: ['01HZX3K9Q4T2V7B8N6M5P1R0SD'],
  }),
  control: Type.Enum(['0', '1'], {
    description: '`1`: also `hello`, `heartbeat`, `gap` and `error` frames, which have the member `op`',
  }),
} as const;
export type StreamParameter = keyof typeof STREAM_PARAMETERS;

export const CLOSE_CODES = {
  1001: `The service is stopping, or the connection is ${LIMIT.life_hours} hours old: reconnect with the last id`,
  1002: 'Protocol error, such as an unmasked frame',
  1007: 'Text that is not valid UTF-8',
  1008: `More than ${LIMIT.inbound_frames_per_second} inbound frames per second: clients do not need to send any`,
  1009: `A message of more than ${LIMIT.inbound_frame_bytes} bytes`,
  1011: 'Unexpected server error',
  1013: 'The event log is temporarily unavailable, or a rate limit is exceeded: reconnect later',
  4001: 'The key is missing or invalid, or has been revoked or expired',
  4003: 'The plan does not include the stream, or the key lacks its scope',
  4004: 'A parameter is invalid, or `since_event_id` is older than the replay window of the plan',
  4008: `The client reads too slowly: more than ${LIMIT.queue_frames} frames or ${LIMIT.queue_bytes} bytes are queued. The reason ends with the last id sent: reconnect with it`,
  4009: 'The organisation has reached the connection limit of its plan',
} as const;
export type CloseCode = keyof typeof CLOSE_CODES;

/** Close code for browsers, for each HTTP status of a refused handshake. */
export const CLOSE_CODE_OF_STATUS: Readonly<Record<number, CloseCode>> = {
  400: 4004,
  401: 4001,
  402: 4003,
  403: 4003,
  404: 4004,
  410: 4004,
  429: 1013,
  500: 1011,
  503: 1013,
};

/** Errors that may refuse a handshake. */
export const STREAM_ERRORS = [
  ...(['missing_auth', 'invalid_key', 'expired_key', 'revoked_key', 'rate_limited'] as const),
  ...(['plan_upgrade_required', 'insufficient_scope', 'forbidden', 'rate_limit_exceeded'] as const),
  ...(['invalid_request', 'validation_failed', 'INVALID_EVENT_TYPE', 'INVALID_CURSOR'] as const),
  ...(['REPLAY_WINDOW_EXPIRED', 'REPLAY_NOT_AVAILABLE', 'unavailable', 'internal_error'] as const),
] satisfies readonly ErrorCode[];

const LastId = Nullable(Ulid('All events up to this one were sent or filtered out'));

/** The first frame of a connection. */
export const HelloFrame = Strict({
  op: Type.Literal('hello'),
  connection_id: Type.String(),
  /** Null: from the first event of the log. */
  after_event_id: LastId,
  as_of: IsoTime('Logical time of the newest events'),
  replay_window_days: Type.Integer({ minimum: 0 }),
  heartbeat_seconds: Type.Integer({ minimum: 1 }),
});

export const HeartbeatFrame = Strict({
  op: Type.Literal('heartbeat'),
  ts: IsoTime('Time at which it was sent'),
  last_event_id: LastId,
});

/** Reports that requested events are no longer available; what follows begins at `from`. */
export const GapFrame = Strict({
  op: Type.Literal('gap'),
  since_event_id: Ulid('As requested'),
  from: IsoTime('Start of the replay window'),
  replay_window_days: Type.Integer({ minimum: 0 }),
});

/** Sent before a close. */
export const ErrorFrame = Strict({
  op: Type.Literal('error'),
  close_code: Type.Integer(),
  code: Type.String(),
  message: Type.String(),
  last_event_id: LastId,
});

export type ControlFrame =
  | Static<typeof HelloFrame>
  | Static<typeof HeartbeatFrame>
  | Static<typeof GapFrame>
  | Static<typeof ErrorFrame>;
