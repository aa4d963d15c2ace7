// Replay of past events, page by page, in the order in which they were appended (4.21, 7.5; decisions 18, 31, 82).
import { DAY_MS } from '../../platform/base/time.ts';
import { Strict, Type } from '../../schemas/define.ts';
import { unmatchedSchema } from '../../schemas/envelopes.ts';
import { EventSchema } from '../../schemas/event.ts';
import { EVENT_TYPES } from '../../schemas/events.ts';
import { LIMITS } from '../../schemas/plans.ts';
import { defineEndpoint } from '../define/endpoint.ts';
import { Failure } from '../define/failure.ts';
import { unmatchedMember } from '../define/filter-values.ts';
import { TAGS } from '../define/tags.ts';
import { logTimeMs, unmatchedSubject } from '../replies/event-log-view.ts';

const PAGE = LIMITS.replay_page;
/** Length of an empty array. */
const EMPTY = 2;
const KNOWN_TYPES: ReadonlySet<string> = new Set(EVENT_TYPES);
const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;
const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

const text = (description: string) => Type.Optional(Type.String({ description }));

export const replayEvents = defineEndpoint({
  method: 'GET',
  path: '/v2/events/replay',
  tag: TAGS.events,
  summary: 'Past events in the order of the log',
  access: { plan: 'analyst', scope: 'events:read', denial: 'REPLAY_NOT_AVAILABLE' },
  envelope: 'flat',
  member: 'events',
  cache: 'none',
  params: Strict({}),
  query: Strict({
    since_event_id: text('Events after this id; default: from the start of the window'),
    limit: text(`Page size, at most ${PAGE.max}; any other value means ${PAGE.default}`),
    type: text('One event type'),
    subject_id: text('One subject'),
  }),
  response: Strict({
    events: Type.Array(EventSchema),
    next_cursor: Type.String({ description: 'Pass this as `since_event_id`; empty on the last page' }),
    window_days: Type.Integer({ minimum: 0 }),
    unmatched: unmatchedSchema,
  }),
  errors: [
    'REPLAY_NOT_AVAILABLE',
    'REPLAY_WINDOW_EXPIRED',
    'INVALID_CURSOR',
    'INVALID_EVENT_TYPE',
    'invalid_request',

    'unavailable',
    'internal_error',
  ],
  async handle({ query, caller }, services) {
    const { type, subject_id: subject } = query;
    // Base 32 is case-insensitive, but ids are compared in their published form.
    const after = query.since_event_id?.toUpperCase();
    const { replay_window_days: window_days } = caller.limits;
    if (after !== undefined && !ULID.test(after)) throw new Failure('INVALID_CURSOR');
    if (type !== undefined && !KNOWN_TYPES.has(type)) throw new Failure('INVALID_EVENT_TYPE');
    const fromMs = logTimeMs(services) - window_days * DAY_MS;
    if (after !== undefined && ulidMs(after) < fromMs) throw expired(window_days);
    const page = await services.replay.page({ after, fromMs, type, subject, limit: limitOf(query.limit) });
    const named = { parameter: 'subject_id', value: subject, view: { from: fromMs / 1000 } };
    const strange = page.events.length > EMPTY ? [] : await unmatchedSubject(services, named);
    const meta = { next_cursor: page.nextCursor, window_days, ...unmatchedMember(strange) };
    return { payload: page.events, meta };
  },
});

const expired = (window_days: number) =>
  new Failure('REPLAY_WINDOW_EXPIRED', undefined, { details: { window_days } });

function limitOf(text: string | undefined): number {
  const limit = /^[0-9]{1,4}$/.test(text ?? '') ? Number(text) : 0;
  return limit >= 1 && limit <= PAGE.max ? limit : PAGE.default;
}

/** Unix milliseconds in the first ten digits of a ULID. */
const ulidMs = (id: string): number =>
  [...id.slice(0, 10)].reduce((ms, digit) => ms * 32 + DIGITS.indexOf(digit), 0);
