// The stream as clients see it: its path, its parameters, its close codes and its control frames (4.25, decisions 51 and 52).
import { IsoTime, Nullable, type Static, Strict, Type, Ulid } from './define.ts';
import type { ErrorCode } from './errors.ts';
import { SEVERITIES } from './event.ts';
import { EVENT_TYPES } from './events.ts';
import { LIMITS } from './plans.ts';

export const STREAM_PATH = '/v2/ws/risk-events';

const { stream: LIMIT } = LIMITS;

/** Lowest plan and the scope that may open it. */
export const STREAM_ACCESS = { plan: 'analyst', scope: 'stream:read' } as const;

/** Separated by commas. */
const listOf = (names: readonly string[], description: string) =>
  Type.Array(Type.Enum([...names]), { description, minItems: 1 });
const only = (what: string) => Type.String({ description: `Events of this ${what} only`, minLength: 1 });

/** Parameters of the address and what they are for. Lists are written with commas. */
export const STREAM_PARAMETERS = {
  token: Type.String({
    description: 'The key, for browsers; others send it in the header `Authorization`',
    minLength: 1,
  }),
  types: listOf(EVENT_TYPES, 'Event types; without it all of them'),
  severity: listOf(SEVERITIES, 'Severities, each exact; without it all of them'),
  subject_id: only('subject'),
  chain: only('chain'),
  protocol: only('protocol'),
  since_event_id: Type.String({
    description:
      'First everything after this id, then what comes: no gap, no duplicate. Older than the replay window of the plan it is refused, or with `control=1` reported as a gap. A ULID, in either case',
    pattern: '^[0-7][0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{25}$',
    examples: ['01HZX3K9Q4T2V7B8N6M5P1R0SD'],
  }),
  control: Type.Enum(['0', '1'], {
    description: '`1`: also `hello`, `heartbeat`, `gap` and `error` frames, which have the member `op`',
  }),
} as const;
export type StreamParameter = keyof typeof STREAM_PARAMETERS;

export const CLOSE_CODES = {
  1001: `The service stops, or the connection is ${LIMIT.life_hours} hours old: connect again with the last id`,
  1002: 'A frame that breaks the protocol, such as one that is not masked',
  1007: 'Text that is not UTF-8',
  1008: `More than ${LIMIT.inbound_frames_per_second} frames in a second: nothing needs to be sent here`,
  1009: `A message of more than ${LIMIT.inbound_frame_bytes} bytes`,
  1011: 'Unexpected server error',
  1013: 'The log cannot be read now, or a rate limit is exceeded: connect again later',
  4001: 'No valid key, or it was revoked or has expired meanwhile',
  4003: 'The plan does not include the stream, or the key lacks its scope',
  4004: 'A parameter is wrong, or `since_event_id` is older than the replay window of the plan',
  4008: `The client reads too slowly: more than ${LIMIT.queue_frames} frames or ${LIMIT.queue_bytes} bytes wait. The reason ends with the last id it was sent: connect again with it`,
  4009: 'As many connections of the organisation are open as its plan includes',
} as const;
export type CloseCode = keyof typeof CLOSE_CODES;

/** What a browser is told by a close, which others read as the status of the answer to the handshake. */
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

/** Why a handshake may be refused. */
export const STREAM_ERRORS = [
  ...(['missing_auth', 'invalid_key', 'expired_key', 'revoked_key', 'rate_limited'] as const),
  ...(['plan_upgrade_required', 'insufficient_scope', 'forbidden', 'rate_limit_exceeded'] as const),
  ...(['invalid_request', 'validation_failed', 'INVALID_EVENT_TYPE', 'INVALID_CURSOR'] as const),
  ...(['REPLAY_WINDOW_EXPIRED', 'REPLAY_NOT_AVAILABLE', 'unavailable', 'internal_error'] as const),
] satisfies readonly ErrorCode[];

const LastId = Nullable(Ulid('Everything up to this event was sent or did not pass the filter'));

/** First frame. */
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
  ts: IsoTime('When it was sent'),
  last_event_id: LastId,
});

/** Events that were asked for are not there any more; what follows begins at `from`. */
export const GapFrame = Strict({
  op: Type.Literal('gap'),
  since_event_id: Ulid('As asked for'),
  from: IsoTime('Start of the replay window'),
  replay_window_days: Type.Integer({ minimum: 0 }),
});

/** Comes before a close. */
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
