// The Koa side: finds the endpoint of a path, checks access and input, and calls the handler. The responder sends the result.

import type { IncomingMessage } from 'node:http';
import { Router, type RouterContext } from '@koa/router';
import Koa from 'koa';
import { sentence } from '../../platform/base/printable.ts';
import { DAY_S } from '../../platform/base/time.ts';
import { respondOnce } from '../access/idempotency.ts';
import { checkSunset, type Ending } from '../define/deprecation.ts';
import type { Commit, Endpoint, Reply } from '../define/endpoint.ts';
import { Failure } from '../define/failure.ts';
import { MCP_PATH, type McpEndpoint } from '../mcp/mcp-endpoint.ts';
import { failureOf } from '../replies/error-response.ts';
import { RenderedResponse } from '../replies/rendered-response.ts';
import type { Services } from '../services.ts';
import { admitCaller, admitToEndpoint } from './admit-to-endpoint.ts';
import { checkRequest, refuseBody } from './guard.ts';
import type { ReadPath } from './read-path.ts';
import { type RequestBody, readJsonBody } from './request-body.ts';
import type { Exchange, Outcome, ReceivedRequest } from './request-gate.ts';
import type { ServiceLinks } from './service-links.ts';
import { bodyChecker, inputReader, responseChecker } from './validate.ts';

const QUOTA_HEADER = 'X-Quota-Limit';

export interface Routing {
  readonly endpoints: readonly Endpoint[];
  /** Paths that are scheduled to end or have ended. */
  readonly endings: readonly Ending[];
  readonly services: Services;
  readonly receivedOf: (request: IncomingMessage) => ReceivedRequest;
  /** Compares every response with its schema; a mismatch becomes an internal error. For tests. */
  readonly isResponseChecked: boolean;
  readonly respond: (exchange: Exchange, outcome: Outcome) => void;
  readonly links: Pick<ServiceLinks, 'originFor'>;
  /** Keeps pages of lists for the next request. */
  readonly readPath: Pick<ReadPath, 'keep'>;
  /** Serves the Model Context Protocol. */
  readonly mcp: Pick<McpEndpoint, 'serve'>;
  /** The page for an address without an endpoint, if the sender of the header prefers a page. */
  readonly missingPage: (accept: string | undefined) => RenderedResponse | undefined;
}

interface State {
  endpoint?: Endpoint;
  rendered?: RenderedResponse;
  counted?: NonNullable<Outcome['counted']>;
  /** The first endpoint that matched the path but found nothing. */
  missed?: { readonly endpoint: Endpoint; readonly failure: Failure };
  /** Methods of the endpoints that match the path but not the method. */
  allowed?: string[];
}

export function createRouting(routing: Routing): Koa {
  const koa = new Koa<State>();
  const router = new Router<State>({ sensitive: true, strict: true });
  router.all(MCP_PATH, (context) => serveMcp(context, routing));
  for (const endpoint of routing.endpoints) router.all(endpoint.path, routeOf(endpoint, routing));
  for (const ending of routing.endings) {
    const { path } = ending.entry;
    if (!routing.endpoints.some((endpoint) => endpoint.path === path))
      router.all(path, ({ params }) => checkSunset(ending, routing.services.nowMs(), params));
  }
  koa.use(async (context, next) => {
    context.respond = false;
    const received = routing.receivedOf(context.req);
    const exchange = { request: context.req, response: context.res, received };
    try {
      checkRequest(context.req);
      await next();
      checkUnmatched(context, received, routing);
      const outcome = outcomeOf(context.state, received);
      routing.respond(exchange, await withQuota(pageFor(exchange, outcome, routing), received, routing));
    } catch (thrown) {
      const outcome = { endpoint: context.state.endpoint, thrown };
      routing.respond(exchange, await withQuota(outcome, received, routing));
    }
  });
  koa.use(router.routes());
  return koa;
}

/**
 * Refuses requests with a wrong method or a missing value in the path. The checks of the caller come first, as everywhere (decision 69).
 * @throws Failure
 */
function checkUnmatched(
  { state, path, method }: Koa.ParameterizedContext<State>,
  received: ReceivedRequest,
  routing: Routing,
): void {
  const { rendered, missed, allowed } = state;
  if (rendered !== undefined || missed !== undefined) return;
  const incomplete =
    state.endpoint === undefined ? incompletePath(routing.endpoints, path, method) : undefined;
  const endpoint = state.endpoint ?? incomplete?.endpoint;
  if (endpoint === undefined) return;
  state.endpoint = endpoint;
  admitCaller(endpoint.access, received, routing.services.upgradeUrl);
  throw incomplete === undefined ? wrongMethod(allowed ?? []) : lackingValue(incomplete.missing);
}

function lackingValue(missing: readonly string[]): Failure {
  const message = missing.map((name) => `{${name}}`).join(' and ');
  return new Failure('invalid_request', `The path lacks a value for ${message}.`, { details: { missing } });
}

function outcomeOf({ endpoint, rendered, counted, missed }: State, { admission }: ReceivedRequest): Outcome {
  if (rendered !== undefined) return { endpoint, rendered, ...(counted && { counted }) };
  if (missed !== undefined) return { endpoint: missed.endpoint, thrown: missed.failure };
  const thrown = admission.failure ?? new Failure('not_found', 'There is nothing at this path.');
  return { endpoint: undefined, thrown };
}

/** A browser gets a page where there is nothing, or no such page. */
function pageFor({ request, received }: Exchange, outcome: Outcome, { missingPage }: Routing): Outcome {
  const { endpoint, thrown } = outcome;
  const isPage = endpoint === undefined || endpoint.mediaTypes?.includes('text/html') === true;
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  if (!isPage || !isRead) return outcome;
  if (!(thrown instanceof Failure) || thrown.code !== 'not_found') return outcome;
  if (received.admission.failure !== undefined) return outcome;
  const rendered = missingPage(request.headers.accept);
  return rendered === undefined ? outcome : { endpoint, rendered };
}

/** An error of an endpoint with a quota states the quota of a known key, as its successful responses do. */
async function withQuota(
  outcome: Outcome,
  { admission: { caller } }: ReceivedRequest,
  { services }: Routing,
): Promise<Outcome> {
  const { endpoint, rendered, thrown } = outcome;
  if (rendered !== undefined || endpoint?.quota === undefined || caller.key === undefined) return outcome;
  const failure = failureOf(thrown);
  if (failure.headers.includes(QUOTA_HEADER)) return outcome;
  const { code, message, details, cause } = failure;
  try {
    const quota = await services.analytics.runs.headersFor(caller, endpoint.quota);
    const more = { headers: [...failure.headers, ...quota], cause };
    return {
      endpoint,
      thrown: new Failure(code, message, details === undefined ? more : { ...more, details }),
    };
  } catch {
    // The store that counts runs does not answer; the caller needs the original error more than its headers.
    return outcome;
  }
}

/** Every method but a preflight: the protocol has its own error for a wrong one. */
async function serveMcp(context: RouterContext<State>, { mcp, receivedOf }: Routing): Promise<void> {
  const { state, req: request, res: response } = context;
  if (isPreflight(context)) {
    state.rendered = preflightResponse();
    return;
  }
  const served = await mcp.serve({ request, response, received: receivedOf(request) });
  state.rendered = served.rendered;
  state.counted = served.counted;
}

/** The endpoint has nothing at this path, or does not have it yet. */
const MISSING: ReadonlySet<string> = new Set(['not_found', 'unavailable']);

/** Of several endpoints that match a path and method, the first that finds something responds. */
function routeOf(endpoint: Endpoint, routing: Routing) {
  const handle = handling(endpoint, routing);
  const methods = endpoint.method === 'GET' ? ['GET', 'HEAD'] : [endpoint.method];
  return async (context: RouterContext<State>, next: () => Promise<unknown>): Promise<void> => {
    const { state } = context;
    state.endpoint ??= endpoint;
    if (isPreflight(context)) {
      state.rendered = preflightResponse();
      return;
    }
    if (!methods.includes(context.method)) {
      state.allowed = [...(state.allowed ?? []), ...methods];
      await next();
      return;
    }
    state.endpoint = endpoint;
    try {
      state.rendered = await handle(context);
    } catch (thrown) {
      if (!(thrown instanceof Failure) || !MISSING.has(thrown.code)) throw thrown;
      // While one of the endpoints cannot say, it is not known that there is nothing.
      if (
        state.missed?.failure.code !== 'unavailable' &&
        (state.missed === undefined || thrown.code === 'unavailable')
      )
        state.missed = { endpoint, failure: thrown };
      await next();
    }
  };
}

const isPreflight = ({ method, request }: RouterContext<State>): boolean =>
  method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined;

const wrongMethod = (methods: readonly string[]): Failure => {
  const allowed = [...new Set(methods)].join(', ');
  return new Failure('invalid_request', `This path allows ${allowed}.`, { headers: ['Allow', allowed] });
};

function handling(endpoint: Endpoint, { services, receivedOf, isResponseChecked, readPath, links }: Routing) {
  const read = inputReader(endpoint);
  const checkBody = endpoint.body && bodyChecker(endpoint.body);
  const check = isResponseChecked ? responseChecker(endpoint) : undefined;
  return async (context: RouterContext<State>): Promise<RenderedResponse> => {
    const received = receivedOf(context.req);
    const caller = admitToEndpoint(endpoint, received, {
      params: context.params,
      services,
      search: context.request.search,
    });
    const query = read.query(context.request.search.slice(1));
    const sent = await bodyOf(endpoint, context.req);
    const params = read.params(context.params);
    const { requestId } = received;
    const { accept } = context.request.headers;
    const handle = async (commit: Commit): Promise<Reply> => {
      const body = checkBody?.(sent?.value) ?? {};
      const version = services.versions.current;
      const origin = links.originFor(context.req);
      const input = { params, query, body, caller, requestId, commit, accept, origin };
      const reply = await endpoint.handle(input, services);
      readPath.keep(context.req.url ?? '', { endpoint, params: context.params, reply, version }, services);
      return reply;
    };
    const rendered = await respondOnce({ endpoint, request: context.req, caller, sent, services }, handle);
    const problem = check?.(rendered);
    if (problem !== undefined)
      throw new Error(
        `${endpoint.path} responds with a body that its schema does not allow: ${sentence(problem)}`,
      );
    return rendered;
  };
}

async function bodyOf(endpoint: Endpoint, request: IncomingMessage): Promise<RequestBody | undefined> {
  if (endpoint.body !== undefined) return readJsonBody(request);
  refuseBody(request);
  return undefined;
}

// Paths without the value of a parameter: `/scores/overall/`, `/v2/webhooks//deliveries`. They are malformed, not unknown (7.2).

interface Incomplete {
  readonly endpoint: Endpoint;
  /** Names of the parameters without a value. */
  readonly missing: readonly string[];
}

/** The first endpoint whose pattern matches the path except for missing values. Endpoints with this method take precedence. */
function incompletePath(
  endpoints: readonly Endpoint[],
  path: string,
  method: string,
): Incomplete | undefined {
  const given = path.split('/');
  // The first part is the text before the first slash.
  if (!given.includes('', 1)) return undefined;
  const fitting = endpoints.flatMap((endpoint) => lacking(endpoint, given) ?? []);
  const read = method === 'HEAD' ? 'GET' : method;
  return fitting.find(({ endpoint }) => endpoint.method === read) ?? fitting[0];
}

function lacking(endpoint: Endpoint, given: readonly string[]): Incomplete | undefined {
  const parts = endpoint.path.split('/');
  if (parts.length !== given.length) return undefined;
  const missing: string[] = [];
  for (const [index, part] of parts.entries()) {
    const isParameter = part.startsWith(':');
    if (isParameter && given[index] === '') missing.push(part.slice(1));
    if (!isParameter && part !== given[index]) return undefined;
  }
  return missing.length === 0 ? undefined : { endpoint, missing };
}

// The response to a CORS preflight: any page may send requests, with the headers that the service reads.

let rendered: RenderedResponse | undefined;

function preflightResponse(): RenderedResponse {
  rendered ??= new RenderedResponse({
    status: 204,
    body: Buffer.alloc(0),
    headers: [
      'Vary',
      'Origin',
      'Access-Control-Allow-Methods',
      'GET, HEAD, POST, PATCH, DELETE',
      'Access-Control-Allow-Headers',
      'Authorization, Content-Type, If-None-Match, If-Range, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Range, X-Idempotency-Key, X-Request-ID, traceparent',
      'Access-Control-Max-Age',
      String(DAY_S),
    ],
  });
  return rendered;
}
