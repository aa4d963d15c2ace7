// The Koa side: finds the endpoint of a path, checks access and input, asks the handler. Sending is the caller's.
import type { IncomingMessage } from 'node:http';
import { Router, type RouterContext } from '@koa/router';
import Koa from 'koa';
import type { Admission } from '../access/admit.ts';
import { authorize } from '../access/authorize.ts';
import { respondOnce } from '../access/idempotency.ts';
import { checkSunset, type Ending } from '../define/deprecation.ts';
import type { Commit, Endpoint, Reply } from '../define/endpoint.ts';
import { Failure } from '../define/failure.ts';
import type { Services } from '../define/services.ts';
import { checkRequest, refuseBody } from './guard.ts';
import { incompletePath } from './missing-parameter.ts';
import { preflightResponse } from './preflight.ts';
import type { RenderedResponse } from './rendered-response.ts';
import { type RequestBody, readJsonBody } from './request-body.ts';
import type { ReceivedRequest } from './request-gate.ts';
import { bodyChecker, inputReader, responseChecker } from './validate.ts';

export interface Routing {
  readonly endpoints: readonly Endpoint[];
  /** Paths that end or have ended. */
  readonly endings: readonly Ending[];
  readonly services: Services;
  readonly askedOf: (request: IncomingMessage) => ReceivedRequest;
  /** Compare every answer with its schema; one that does not fit becomes an internal error. For tests. */
  readonly isResponseChecked: boolean;
  /** Sends an answer or, of whatever was thrown, the error. */
  readonly send: (context: Koa.Context, outcome: Outcome) => void;
}

export interface Outcome {
  readonly endpoint: Endpoint | undefined;
  readonly answer?: RenderedResponse;
  readonly thrown?: unknown;
}

interface State {
  endpoint?: Endpoint;
  answer?: RenderedResponse;
  /** The first endpoint that fits the path and has nothing there. */
  missed?: { readonly endpoint: Endpoint; readonly failure: Failure };
  /** Methods of the endpoints that fit the path but not the method. */
  allowed?: string[];
}

export function createRouting(routing: Routing): Koa {
  const koa = new Koa<State>();
  const router = new Router<State>({ sensitive: true, strict: true });
  for (const endpoint of routing.endpoints) router.all(endpoint.path, routeOf(endpoint, routing));
  for (const ending of routing.endings) {
    const { path } = ending.entry;
    if (!routing.endpoints.some((endpoint) => endpoint.path === path))
      router.all(path, ({ params }) => checkSunset(ending, routing.services.nowMs(), params));
  }
  koa.use(async (context, next) => {
    context.respond = false;
    try {
      checkRequest(context.req);
      await next();
      judgeUnanswered(context, routing);
      routing.send(context, outcomeOf(context.state, routing.askedOf(context.req).admission));
    } catch (thrown) {
      routing.send(context, { endpoint: context.state.endpoint, thrown });
    }
  });
  koa.use(router.routes());
  return koa;
}

/**
 * What no endpoint answered because of its method or a value that its path lacks: the checks of the caller come first, as everywhere
 * (decision 69). @throws Failure
 */
function judgeUnanswered(
  { state, path, method, req }: Koa.ParameterizedContext<State>,
  routing: Routing,
): void {
  const { answer, missed, allowed } = state;
  if (answer !== undefined || missed !== undefined) return;
  const incomplete =
    state.endpoint === undefined ? incompletePath(routing.endpoints, path, method) : undefined;
  const endpoint = state.endpoint ?? incomplete?.endpoint;
  if (endpoint === undefined) return;
  state.endpoint = endpoint;
  const { admission } = routing.askedOf(req);
  if (admission.failure !== undefined) throw admission.failure;
  authorize(endpoint.access, admission.caller, routing.services.upgradeUrl);
  throw incomplete === undefined ? wrongMethod(allowed ?? []) : lackingValue(incomplete.missing);
}

function lackingValue(missing: readonly string[]): Failure {
  const words = missing.map((name) => `{${name}}`).join(' and ');
  return new Failure('invalid_request', `The path lacks a value for ${words}.`, { details: { missing } });
}

function outcomeOf({ endpoint, answer, missed }: State, { failure }: Admission): Outcome {
  if (answer !== undefined) return { endpoint, answer };
  if (missed !== undefined) return { endpoint: missed.endpoint, thrown: missed.failure };
  if (failure !== undefined) return { endpoint: undefined, thrown: failure };
  return { endpoint: undefined, thrown: new Failure('not_found', 'There is nothing at this path.') };
}

/** Of several endpoints that fit a path and method, the first that has something there answers. */
function routeOf(endpoint: Endpoint, routing: Routing) {
  const answer = answering(endpoint, routing);
  const methods = endpoint.method === 'GET' ? ['GET', 'HEAD'] : [endpoint.method];
  return async (context: RouterContext<State>, next: () => Promise<unknown>): Promise<void> => {
    const { state } = context;
    state.endpoint ??= endpoint;
    if (isPreflight(context)) {
      state.answer = preflightResponse();
      return;
    }
    if (!methods.includes(context.method)) {
      state.allowed = [...(state.allowed ?? []), ...methods];
      await next();
      return;
    }
    state.endpoint = endpoint;
    try {
      state.answer = await answer(context);
    } catch (thrown) {
      if (!(thrown instanceof Failure) || thrown.code !== 'not_found') throw thrown;
      state.missed ??= { endpoint, failure: thrown };
      await next();
    }
  };
}

const isPreflight = ({ method, request }: RouterContext<State>): boolean =>
  method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined;

const wrongMethod = (methods: readonly string[]): Failure => {
  const allowed = [...new Set(methods)].join(', ');
  return new Failure('invalid_request', `This path answers ${allowed}.`, { headers: ['Allow', allowed] });
};

function answering(endpoint: Endpoint, { services, askedOf, isResponseChecked }: Routing) {
  const read = inputReader(endpoint);
  const checkBody = endpoint.body && bodyChecker(endpoint.body);
  const check = isResponseChecked ? responseChecker(endpoint) : undefined;
  return async (context: RouterContext<State>): Promise<RenderedResponse> => {
    if (endpoint.ending !== undefined) checkSunset(endpoint.ending, services.nowMs(), context.params);
    const { admission, requestId } = askedOf(context.req);
    if (admission.failure !== undefined) throw admission.failure;
    const { caller } = admission;
    const access = endpoint.accessOf?.(context.params, services) ?? endpoint.access;
    authorize(access, caller, services.upgradeUrl);
    const query = read.query(context.request.search.slice(1));
    const sent = await bodyOf(endpoint, context.req);
    const params = read.params(context.params);
    const { accept } = context.request.headers;
    const handle = async (commit: Commit): Promise<Reply> => {
      const body = checkBody?.(sent?.value) ?? {};
      return endpoint.handle({ params, query, body, caller, requestId, commit, accept }, services);
    };
    const made = await respondOnce({ endpoint, request: context.req, caller, sent, services }, handle);
    const problem = check?.(made);
    if (problem !== undefined)
      throw new Error(`${endpoint.path} answers what its schema does not allow: ${problem}`);
    return made;
  };
}

async function bodyOf(endpoint: Endpoint, request: IncomingMessage): Promise<RequestBody | undefined> {
  if (endpoint.body !== undefined) return readJsonBody(request);
  refuseBody(request);
  return undefined;
}
