// Feeds of events for feed readers, as Atom and as JSON Feed: open, delayed and limited like the list of events for callers without a key,
// and the same for every caller, because feed readers send no key.
import { type Static, Strict, Type } from '../../schemas/define.ts';
import { SEVERITIES } from '../../schemas/event.ts';
import type { Manifest } from '../../snapshots/layout.ts';
import { defineEndpoint, type Endpoint, type Reply, type ServiceOrigin } from '../define/endpoint.ts';
import { IdleCache } from '../data/idle-cache.ts';
import { currentVersion } from '../define/missing-data.ts';
import { asOfParameter, listParameter } from '../define/parameters.ts';
import { TAGS } from '../define/tags.ts';
import { openView } from '../replies/event-log-view.ts';
import { duration } from '../replies/story/story-text.ts';
import { verdictOf } from '../replies/verdict.ts';
import type { Services } from '../services.ts';
import { atomOf, type Feed, type FeedNotice, jsonFeedOf } from './feed.ts';
import { feedEntries } from './feed-entries.ts';
import { type FeedQuery, feedFilters } from './feed-filters.ts';

const ENTRIES = { default: 50, max: 200 } as const;
const FILTERS = ['severity', 'protocol', 'chain', 'type', 'subject'] as const;

const FeedParameters = Strict({
  severity: listParameter('severities', SEVERITIES),
  protocol: listParameter('protocols'),
  chain: listParameter('chains'),
  type: listParameter('event types'),
  subject: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 300,
      description: 'One `subject_id`',
      examples: ['peg:ethereum:USDC'],
    }),
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: ENTRIES.max,
      default: ENTRIES.default,
      description: 'Maximum number of entries',
    }),
  ),
  as_of: asOfParameter,
});

interface FeedForm {
  readonly path: string;
  readonly name: string;
  readonly type: string;
  readonly write: (feed: Feed) => Buffer;
}

export const ATOM = { path: '/feeds/events.atom', type: 'application/atom+xml' } as const;
export const JSON_FEED = { path: '/feeds/events.json', type: 'application/feed+json' } as const;

/** Written feeds of some 60 KB each, by version, filters and address. */
const written = new IdleCache<Buffer>(16 * 1_024 * 1_024);

const feedEndpoint = ({ path, name, type, write }: FeedForm): Endpoint =>
  defineEndpoint({
    method: 'GET',
    path,
    tag: TAGS.events,
    summary: `Events as ${name} for feed readers, filtered by severity, protocol, chain, type and subject: the last seven days, with a delay of fifteen minutes; an unknown subject is not found`,
    access: 'open',
    isBrowsed: true,
    envelope: 'plain',
    cache: 'shared',
    mediaTypes: [type],
    params: Strict({}),
    query: FeedParameters,
    response: Type.String(),
    errors: ['invalid_request', 'not_found', 'unavailable', 'internal_error'],
    async handle({ query, origin = NO_ORIGIN }, services): Promise<Reply> {
      const { version } = currentVersion(services).manifest;
      const overdue = query.as_of === undefined ? overdueMessage(services) : undefined;
      const { lastId } = services.replay;
      const name = [path, origin.url, version, lastId, overdue, JSON.stringify(query)].join(' ');
      const nowMs = services.nowMs();
      const payload =
        written.get(name, nowMs) ?? write(await feedOf(services, { query, path, url: origin.url, overdue }));
      written.set(name, payload, { bytes: payload.length, nowMs });
      return replyWith(payload, { type, isConfigured: origin.isConfigured }, services);
    },
    mirror: () => [],
  });

/** Of a response without a request. */
const NO_ORIGIN: ServiceOrigin = { url: '', isConfigured: false };

async function feedOf(
  services: Services,
  {
    query,
    path,
    url,
    overdue,
  }: Pick<FeedForm, 'path'> & {
    readonly query: Static<typeof FeedParameters>;
    /** Address of the service, without a trailing slash. */
    readonly url: string;
    /** Why no newer data is known, if it is due. */
    readonly overdue: string | undefined;
  },
): Promise<Feed> {
  const { limit = ENTRIES.default, as_of, ...given } = query;
  const view = await openView(services, as_of);
  const manifest = view.manifest ?? currentVersion(services).manifest;
  const filters = await feedFilters(services, given, { view, manifest });
  return {
    title: titleOf(given),
    description: `Risk events of the last ${view.window_days} days, ${duration(view.delay_seconds)} late. Data as of ${manifest.as_of}.`,
    links: { page: `${url}/events`, docs: `${url}/docs`, self: `${url}${path}${queryText(query)}` },
    as_of: manifest.as_of,
    version: manifest.version,
    notice: overdue === undefined ? undefined : noticeOf(overdue, { url, manifest }),
    entries: await feedEntries(services, { view, manifest, filters, limit, origin: url }),
  };
}

/** An address that the client names is not for other clients. */
function replyWith(
  payload: Buffer,
  { type, isConfigured }: Pick<FeedForm, 'type'> & Pick<ServiceOrigin, 'isConfigured'>,
  services: Services,
): Reply {
  return {
    payload,
    media: { type: `${type}; charset=utf-8`, isCompact: false },
    identity: services.identify(payload),
    isPrivate: !isConfigured,
  };
}

function overdueMessage(services: Services): string | undefined {
  const isOverdue = verdictOf(services).reasons.some(({ code }) => code === 'data_overdue');
  return isOverdue ? 'no publisher is at work, so what happened since then is not known' : undefined;
}

const noticeOf = (
  why: string,
  { url, manifest: { version, as_of } }: { readonly url: string; readonly manifest: Manifest },
): FeedNotice => ({
  id: version,
  title: `Late: no newer data than of ${as_of}`,
  text: `The newest data is of ${as_of}: ${why}.`,
  url: `${url}/v1/status`,
  at: as_of,
});

const titleOf = (filters: FeedQuery): string => {
  const named = FILTERS.flatMap((name) => (filters[name] === undefined ? [] : `${name} ${filters[name]}`));
  return ['Risk events', ...named].join(', ');
};

/** In one order, so that equal feeds have equal ids. */
function queryText(query: Readonly<Record<string, string | number | undefined>>): string {
  const members: readonly (readonly [string, string])[] = [...FILTERS, 'limit', 'as_of'].flatMap((name) =>
    query[name] === undefined ? [] : [[name, String(query[name])] as const],
  );
  return members.length === 0 ? '' : `?${new URLSearchParams(Object.fromEntries(members))}`;
}

export const getAtomFeed = feedEndpoint({
  ...ATOM,
  name: 'an Atom feed',
  write: atomOf,
});

export const getJsonFeed = feedEndpoint({
  ...JSON_FEED,
  name: 'a JSON Feed 1.1',
  write: jsonFeedOf,
});
