// The definition of an endpoint: one object from which the route, the validation, the headers and the tests are derived.
import type { Static, TObject, TSchema } from 'typebox';
import type { ErrorCode } from '../../schemas/errors.ts';
import type { SeriesDefinition } from '../../schemas/series.ts';
import type { DatasetEntry } from '../../snapshots/layout.ts';
import type { Services } from '../services.ts';
import type { OpsTables, RunKind, Sync } from '../store/store.ts';
import type { Access, Caller } from './caller.ts';
import type { Ending } from './deprecation.ts';
import type { ListShape } from './list-shape.ts';
import type { Tag } from './tags.ts';

/** What a handler returns. The layer above adds the envelope, the freshness, the headers and the ETag. */
export interface Reply {
  /** Of a page about something that does not exist; default: that of the endpoint. */
  readonly status?: 404;
  /** A JSON value, or bytes that are already JSON. */
  readonly payload: unknown;
  /** `v2`: members of `meta`. `flat`: members next to the payload. */
  readonly meta?: Readonly<Record<string, unknown>>;
  /** `v2`: the dataset that `meta._agentic` describes. */
  readonly about?: DatasetEntry;
  /**
   * UTC day (`YYYY-MM-DD`) whose records in the payload change until it ends. Sent as a member of `meta`, or as a header without `meta`.
   */
  readonly partialDay?: string | undefined;
  /** If set, the payload is the whole body, of this media type, instead of JSON in an envelope. */
  readonly media?: Media;
  /** Names and values of headers for this response only. */
  readonly headers?: readonly string[];
  /** The response differs between callers although its endpoint is open. */
  readonly isPrivate?: boolean;
  /** Equal identities mean equal content except for ages. A response without an identity has no ETag. */
  readonly identity?: string;
  /** The payload itself contains ages. */
  readonly isAging?: boolean;
}

export interface Media {
  readonly type: string;
  /** File name under which a browser saves it; without a name the browser displays it. */
  readonly fileName?: string;
  /** Already compressed. */
  readonly isCompact: boolean;
  /** Sent unchanged for as long as the process runs, so that compressing it well pays. */
  readonly isLasting?: boolean;
}

/**
 * `v2`, `legacy`: Part 9. `legacy_data`: legacy without `status` (4.13-4.15). `flat`: the payload is the value of the member
 * `endpoint.member`. `plain`: the payload is the body.
 */
export type Envelope = 'v2' | 'legacy' | 'legacy_data' | 'flat' | 'plain';

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/**
 * Atomically commits all changes of `work` and, if the request has an idempotency key, its response. `work` may await only the tables
 * passed to it. All changes are made here.
 */
export type Commit = (work: (tables: OpsTables) => Promise<Reply>, sync?: Sync) => Promise<Reply>;

/** Where clients reach the service. */
export interface ServiceOrigin {
  /** `https://risk.example`, without a trailing slash. */
  readonly url: string;
  /** The same for all clients, because it is configured; otherwise it is the address that this client used. */
  readonly isConfigured: boolean;
}

export interface Input<P, Q, B = unknown> {
  readonly params: P;
  readonly query: Q;
  /** The validated JSON body of the request; undefined if the endpoint accepts none. */
  readonly body: B;
  readonly caller: Caller;
  /** Also in the response's `X-Request-ID` and in the audit log. */
  readonly requestId: string;
  readonly commit: Commit;
  /** The `Accept` header, for endpoints that offer several forms. */
  readonly accept?: string | undefined;
  /** The address of the service for absolute links; undefined without a request. */
  readonly origin?: ServiceOrigin | undefined;
}

export interface Endpoint<
  P extends TObject = TObject,
  Q extends TObject = TObject,
  B extends TObject = TObject,
> {
  readonly method: Method;
  /** Route pattern, parameters as `:name`. */
  readonly path: string;
  /** Its group in the documentation. */
  readonly tag: Tag;
  readonly summary: string;
  /** Its operation id in the API document, where the words of its path are those of another one. */
  readonly operation?: string;
  readonly access: Access;
  /** The access of one request, where paths or queries differ; `access` is then the lowest of them. The query is not yet validated. */
  accessOf?(params: Partial<Static<P>>, services: Services, query?: URLSearchParams): Access;
  /** Published datasets whose rows it serves. They require the same access in every form (decision 63). */
  readonly datasets?: readonly string[];
  /** Further datasets that its responses are computed from, whatever their access: of an earlier time as well. */
  readonly alsoReads?: readonly string[];
  /** The list whose rows it selects; `datasets` names its dataset. Its responses are kept until the next version. */
  readonly list?: ListShape;
  /** Histories that it serves. */
  readonly histories?: readonly SeriesDefinition[];
  /** Serves daily records and marks today's as partial (decision 57). */
  readonly isDaily?: boolean;
  /** The announced end of its path, if any; the server sets it from the table of deprecations. */
  readonly ending?: Ending;
  readonly envelope: Envelope;
  /** `flat`: name of the member that holds the payload. */
  readonly member?: string;
  /** `shared`: caches may keep it for the published time. `immutable`: permanently. `none`: never cached. */
  readonly cache: 'shared' | 'immutable' | 'none';
  /** Set for a page of the site: unknown parameters are for its script. */
  readonly ignoresUnknownParameters?: boolean;
  /**
   * Set for cheap endpoints that are polled often: without a key, requests do not count against the address. `without_query`: requests with
   * a query, which select what must be computed, count like those for open data.
   */
  readonly isUncounted?: boolean | 'without_query';
  /** Set for open data that people browse: without a key and on the Free plan it has its own limit (`LIMITS.browsing_factor`). */
  readonly isBrowsed?: boolean;
  /** The monthly quota that its runs count against. Every response to a known key carries the state of the quota. */
  readonly quota?: RunKind;
  /** The `Accept` header selects the form of a response. */
  readonly isNegotiated?: boolean;
  /** Media types of `Reply.media`: of every response, or in addition to JSON if the form is negotiated. */
  readonly mediaTypes?: readonly string[];
  /** Responses in `Reply.media` are files; clients can request a range of their bytes. */
  readonly hasRanges?: boolean;
  readonly params: P;
  readonly query: Q;
  /** JSON body of a POST or PATCH; absent if none is accepted. */
  readonly body?: B;
  /** Success status; default 200. A 204 has no body. */
  readonly status?: 201 | 202 | 204;
  readonly response: TSchema;
  readonly errors: readonly ErrorCode[];
  /** Status of an internal error, if documented differently from the catalogue. */
  readonly internalErrorStatus?: number;
  /** Message of every 5xx response, if the specification defines one. */
  readonly failureMessage?: string;
  handle(input: Input<Static<P>, Static<Q>, Static<B>>, services: Services): Reply | Promise<Reply>;
  /** Parameters of every response that can be prepared when a version arrives: without a query, and the same for all callers. */
  prepare?(services: Services): Iterable<Static<P>>;
  /** Parameters of every response in the static mirror, if they differ from the prepared ones. */
  mirror?(services: Services): Iterable<Static<P>>;
}

export function defineEndpoint<P extends TObject, Q extends TObject, B extends TObject = TObject>(
  endpoint: Endpoint<P, Q, B>,
): Endpoint {
  if (!endpoint.path.startsWith('/'))
    throw new Error(`Endpoint ${endpoint.path}: a path must start with "/".`);
  const names = [...endpoint.path.matchAll(/:([a-z][a-z0-9_]*)/g)].map((match) => match[1] ?? '');
  const declared = Object.keys(endpoint.params.properties);
  if (names.toSorted().join() !== declared.toSorted().join()) {
    throw new Error(
      `Endpoint ${endpoint.path}: the path names (${names}), but the schema declares (${declared}).`,
    );
  }
  return Object.freeze(endpoint) as unknown as Endpoint;
}

/** Path of an endpoint with its parameters filled in, as a client would write it. */
export function pathOf(endpoint: Pick<Endpoint, 'path'>, params: Readonly<Record<string, unknown>>): string {
  return endpoint.path.replace(/:([a-z][a-z0-9_]*)/g, (_, name: string) =>
    encodeURIComponent(String(params[name])),
  );
}
