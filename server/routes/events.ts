// The event log by time, type, subject and severity, from either end, and single events. What a caller sees depends on the plan (decision
// 71).
import { Strict, Type } from '../../schemas/define.ts';
import { uncheckedSchema, unmatchedSchema } from '../../schemas/envelopes.ts';
import { EventSchema, SEVERITIES } from '../../schemas/event.ts';
import { EVENT_TYPES } from '../../schemas/events.ts';
import { cursorParameter, limitParameter } from '../../schemas/page-parameters.ts';
import { LIMITS } from '../../schemas/plans.ts';
import { defineEndpoint } from '../define/endpoint.ts';
import { parameterFailure } from '../define/failure.ts';
import { refuseOthers, uncheckedMember, unmatchedMember } from '../define/filter-values.ts';
import { currentVersion } from '../define/missing-data.ts';
import {
  asOfParameter,
  instantParameter,
  listParameter,
  namesIn,
  secondsBetween,
} from '../define/parameters.ts';
import { TAGS } from '../define/tags.ts';
import { type LogView, unmatchedSubject, viewOf, visibleEvent } from '../replies/event-log-view.ts';
import { eventNames, refuseUnknownNames } from '../replies/known-names.ts';
import { namesOfSubjects } from '../replies/subject-names.ts';
import type { Services } from '../services.ts';

const PAGE = LIMITS.replay_page;
const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

const SubjectNames = Type.Record(Type.String(), Type.String(), {
  description: 'Names of the feeds, markets and vaults in `subject_id`, by address',
});

const open = {
  method: 'GET',
  access: 'open',
  isBrowsed: true,
  envelope: 'v2',
  cache: 'none',
} as const;

export const listEvents = defineEndpoint({
  ...open,
  path: '/v2/events',
  tag: TAGS.events,
  summary:
    'Events by time, severity, type, protocol, chain and subject, from either end of the log. Callers without replay in their plan see the last seven days, with a delay of fifteen minutes',
  params: Strict({}),
  query: Strict({
    order: Type.Optional(
      Type.Enum(['asc', 'desc'], {
        default: 'desc',
        description: 'Oldest or newest first, in order of publication',
      }),
    ),
    from: instantParameter('Events at or after this time'),
    to: instantParameter('Events at or before this time'),
    severity: listParameter('severities', SEVERITIES),
    type: listParameter('event types'),
    protocol: listParameter('protocols'),
    chain: listParameter('chains'),
    subject: Type.Optional(Type.String({ description: 'One `subject_id`' })),
    limit: limitParameter(PAGE),
    cursor: cursorParameter,
    as_of: asOfParameter,
  }),
  response: Strict({
    data: Type.Array(EventSchema),
    meta: Strict({
      has_more: Type.Boolean(),
      cursor: Type.Union([
        Type.String({ description: 'Pass this as `cursor` to get the next page' }),
        Type.Null(),
      ]),
      window_days: Type.Integer({ minimum: 0, description: 'Days of the log that the caller sees' }),
      delay_seconds: Type.Integer({ minimum: 0, description: 'Delay with which the caller sees an event' }),
      names: SubjectNames,
      unmatched: unmatchedSchema,
      unchecked: uncheckedSchema,
    }),
    error: Type.Null(),
  }),
  errors: ['invalid_request', 'not_found', 'unavailable', 'internal_error'],
  async handle({ query, caller }, services) {
    const view = await viewOf(services, caller, query.as_of);
    const types = namesIn('type', query.type);
    const severity = namesIn('severity', query.severity);
    refuseOthers('type', types, EVENT_TYPES);
    refuseOthers('severity', severity, SEVERITIES);
    const { from, to } = secondsBetween(query);
    const span = {
      from: Math.max(from ?? 0, view.from),
      to: Math.min(to ?? Number.POSITIVE_INFINITY, view.to),
      isNewestFirst: query.order !== 'asc',
      limit: query.limit ?? PAGE.default,
    };
    const { check, ...named } = await namesGiven(query, view, services);
    const search = { ...span, types, subject: query.subject, names: { severity, ...named } };
    const after = query.cursor === undefined ? undefined : idIn(query.cursor);
    const { events, hasMore } = await services.replay.search(search, { after, upTo: view.upTo });
    const { window_days, delay_seconds } = view;
    const cursor = hasMore ? (events.at(-1)?.id ?? null) : null;
    const found = events.map(({ bytes }) => bytes);
    const subject = { parameter: 'subject', value: query.subject, view };
    const strange = found.length > 0 ? [] : await unmatchedSubject(services, subject);
    const meta = {
      ...{ has_more: cursor !== null, cursor, window_days, delay_seconds },
      names: await namesOfSubjects(services, found, view.manifest),
      ...unmatchedMember([...check.unmatched, ...strange]),
      ...uncheckedMember(check.unchecked),
    };
    return { payload: jsonArray(found), meta, isPrivate: true };
  },
});

/** The chains and protocols of a request, and those that nothing has or that could not be looked up. @throws Failure `validation_failed` if that is certain */
async function namesGiven(
  query: { readonly chain?: string; readonly protocol?: string },
  { manifest }: LogView,
  services: Services,
) {
  const names = { chain: namesIn('chain', query.chain), protocol: namesIn('protocol', query.protocol) };
  const scope = { manifest: manifest ?? currentVersion(services).manifest };
  return { ...names, check: await refuseUnknownNames(services, eventNames(names), scope) };
}

export const getEvent = defineEndpoint({
  ...open,
  path: '/v2/events/:id',
  tag: TAGS.events,
  summary: 'One event of the log',
  params: Strict({
    id: Type.String({ description: 'Id of the event', examples: ['01HZX3K9Q4T2V7B8N6M5P1R0SD'] }),
  }),
  query: Strict({ as_of: asOfParameter }),
  response: Strict({ data: EventSchema, meta: Strict({ names: SubjectNames }), error: Type.Null() }),
  errors: ['invalid_request', 'not_found', 'unavailable', 'internal_error'],
  async handle({ params, query, caller }, services) {
    const view = await viewOf(services, caller, query.as_of);
    const payload = await visibleEvent(services, params.id, view);
    const names = await namesOfSubjects(services, [payload], view.manifest);
    return { payload, meta: { names }, isPrivate: true };
  },
});

function idIn(cursor: string): string {
  const id = cursor.toUpperCase();
  if (!ULID.test(id)) throw parameterFailure('cursor', 'was not issued by this endpoint');
  return id;
}

const jsonArray = (items: readonly Buffer[]): Buffer =>
  Buffer.concat([
    Buffer.from('['),
    ...items.flatMap((item, index) => (index === 0 ? [item] : [Buffer.from(','), item])),
    Buffer.from(']'),
  ]);
