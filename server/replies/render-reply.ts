// Renders a handler's reply as a response: envelope, freshness, ETag, caching headers (Part 9, decisions 14, 39, 41).
import { oncePer } from '../../platform/base/once-per.ts';
import { SCHEMA_VERSION } from '../../schemas/envelopes.ts';
import { LIMITS } from '../../schemas/plans.ts';
import type { Freshness } from '../../schemas/provenance.ts';
import type { DatasetEntry } from '../../snapshots/layout.ts';
import type { Endpoint, Reply } from '../define/endpoint.ts';
import { freshnessAt } from './freshness.ts';
import { contentHash } from './negotiate.ts';
import { RenderedResponse } from './rendered-response.ts';

const CACHED = {
  shared: `max-age=${LIMITS.cache_max_age_seconds}, stale-while-revalidate=${LIMITS.cache_stale_while_revalidate_seconds}`,
  immutable: 'max-age=31536000, immutable',
};

/** `nowMs`: null for a file, which is read at any time: it states no age. */
export function renderReply(endpoint: Endpoint, reply: Reply, nowMs: number | null): RenderedResponse {
  const freshness = reply.about === undefined ? undefined : freshnessAt(reply.about, nowMs);
  return new RenderedResponse({
    status: reply.status ?? endpoint.status ?? 200,
    body: endpoint.status === 204 ? NOTHING : bodyOf(endpoint, reply, freshness),
    etag: etagOf(reply, freshness),
    headers: headersOf(endpoint, reply),
    media: reply.media,
    hasRanges: endpoint.hasRanges === true && reply.media !== undefined,
  });
}

/**
 * Weak if the body states an age: the age changes every second while the data does not, and a strong tag promises equal bytes (RFC 9110,
 * 8.8.1). A weak tag changes with the data and with its freshness.
 */
function etagOf(reply: Reply, freshness: Freshness | undefined): string | undefined {
  const { identity: content, isAging = false, partialDay } = reply;
  if (content === undefined) return undefined;
  // A cache keeps the headers of a response when a 304 omits them, so removing the partial-day mark must change the tag.
  const identity = partialDay === undefined ? content : contentHash(`${content} partial ${partialDay}`);
  if (freshness !== undefined) return `W/"${contentHash(`${identity} ${freshness.status}`)}"`;
  return `${isAging ? 'W/' : ''}"${identity}"`;
}

const NOTHING = Buffer.alloc(0);

/** Open responses are the same for all callers and therefore public, with or without a key. */
function headersOf(endpoint: Endpoint, reply: Reply): string[] {
  const { media, headers: own = [], isPrivate = false, partialDay } = reply;
  const isPublic = endpoint.access === 'open' && !isPrivate;
  const headers =
    endpoint.cache === 'none'
      ? ['Cache-Control', 'no-store']
      : ['Cache-Control', `${isPublic ? 'public' : 'private'}, ${CACHED[endpoint.cache]}`];
  headers.push('Vary', varyOf(endpoint, isPublic));
  if (media?.fileName !== undefined)
    headers.push('Content-Disposition', `attachment; filename="${media.fileName}"`);
  if (endpoint.envelope === 'v2') headers.push('X-Schema-Version', SCHEMA_VERSION);
  if (partialDay !== undefined && !hasMeta(endpoint, reply)) headers.push('X-Partial-Day', partialDay);
  headers.push(...own);
  return headers;
}

const hasMeta = ({ envelope }: Endpoint, { media }: Reply) => envelope === 'v2' && media === undefined;

const varyOf = ({ isNegotiated }: Endpoint, isPublic: boolean): string =>
  [
    'Accept-Encoding',
    'Origin',
    ...(isNegotiated ? ['Accept'] : []),
    ...(isPublic ? [] : ['Authorization']),
  ].join(', ');

function bodyOf(endpoint: Endpoint, reply: Reply, freshness: Freshness | undefined): Buffer {
  if (reply.media !== undefined) return jsonBytes(reply.payload);
  switch (endpoint.envelope) {
    case 'plain':
      return jsonBytes(reply.payload);
    case 'legacy':
      return around('{"status":true,"data":', reply.payload, '}');
    case 'legacy_data':
      return around('{"data":', reply.payload, '}');
    case 'flat':
      return around(`{"${endpoint.member}":`, reply.payload, `${membersAfter(reply.meta)}}`);
    case 'v2':
      return around('{"data":', reply.payload, `,"meta":${metaJson(reply, freshness)},"error":null}`);
  }
}

const jsonBytes = (payload: unknown): Buffer =>
  Buffer.isBuffer(payload) ? payload : Buffer.from(JSON.stringify(payload));

const around = (before: string, payload: unknown, after: string): Buffer =>
  Buffer.isBuffer(payload)
    ? Buffer.concat([Buffer.from(before), payload, Buffer.from(after)])
    : Buffer.from(before + JSON.stringify(payload) + after);

/** `,"a":1,"b":2` for `{a: 1, b: 2}`; empty without members. */
const membersAfter = (members: Reply['meta'] = {}): string => {
  const inner = JSON.stringify(members).slice(1, -1);
  return inner === '' ? '' : `,${inner}`;
};

function metaJson(reply: Reply, freshness: Freshness | undefined): string {
  const members = JSON.stringify({ ...reply.meta, partial_day: reply.partialDay }).slice(1, -1);
  if (reply.about === undefined) return `{${members}}`;
  const agentic = `"_agentic":{"schema_version":"${SCHEMA_VERSION}","freshness":${JSON.stringify(freshness)},${provenanceJson(reply.about)}}`;
  return members === '' ? `{${agentic}}` : `{${members},${agentic}}`;
}

/** The members of `_agentic` that are constant for a version. */
const provenanceJson = oncePer(({ confidence, sources, quality_gate }: DatasetEntry): string =>
  JSON.stringify({ confidence, sources, quality_gate }).slice(1, -1),
);
