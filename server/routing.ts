// The Koa side: finds the endpoint of a path, checks the input, asks the handler. Sending is the caller's.
import { Router, type RouterContext } from '@koa/router';
import Koa from 'koa';
import type { Answer } from './answer.ts';
import type { Caller, Endpoint, Reply } from './define.ts';
import { Failure } from './define-failure.ts';
import { checkRequest } from './guard.ts';
import { answerOf } from './respond.ts';
import type { Services } from './services.ts';
import { inputReader, responseChecker } from './validate.ts';

export interface Routing {
  readonly endpoints: readonly Endpoint[];
  readonly services: Services;
  readonly callerOf: (headers: Koa.Request['headers']) => Caller;
  /** Compare every answer with its schema; one that does not fit becomes an internal error. For tests. */
  readonly isResponseChecked: boolean;
  /** Sends an answer or, of whatever was thrown, the error. */
  readonly send: (context: Koa.Context, outcome: Outcome) => void;
}

export interface Outcome {
  readonly endpoint: Endpoint | undefined;
  readonly answer?: Answer;
  readonly thrown?: unknown;
}

interface State {
  endpoint?: Endpoint;
  answer?: Answer;
  /** The first endpoint that fits the path and has nothing there. */
  missed?: { readonly endpoint: Endpoint; readonly failure: Failure };
}

export function createRouting(routing: Routing): Koa {
  const koa = new Koa<State>();
  const router = new Router<State>({ sensitive: true, strict: true });
  for (const endpoint of routing.endpoints) router.all(endpoint.path, routeOf(endpoint, routing));
  koa.use(async (context, next) => {
    context.respond = false;
    try {
      checkRequest(context.req);
      await next();
      routing.send(context, outcomeOf(context.state));
    } catch (thrown) {
      routing.send(context, { endpoint: context.state.endpoint, thrown });
    }
  });
  koa.use(router.routes());
  return koa;
}

function outcomeOf({ endpoint, answer, missed }: State): Outcome {
  if (answer !== undefined) return { endpoint, answer };
  if (missed !== undefined) return { endpoint: missed.endpoint, thrown: missed.failure };
  return { endpoint: undefined, thrown: new Failure('not_found', 'There is nothing at this path.') };
}

/** Of several endpoints that fit a path, the first that has something there answers. */
function routeOf(endpoint: Endpoint, routing: Routing) {
  const answer = answering(endpoint, routing);
  return async (context: RouterContext<State>, next: () => Promise<unknown>): Promise<void> => {
    context.state.endpoint = endpoint;
    try {
      context.state.answer = await answer(context);
    } catch (thrown) {
      if (!(thrown instanceof Failure) || thrown.code !== 'not_found') throw thrown;
      context.state.missed ??= { endpoint, failure: thrown };
      await next();
    }
  };
}

function answering(endpoint: Endpoint, { services, callerOf, isResponseChecked }: Routing) {
  const readInput = inputReader(endpoint);
  const check = isResponseChecked ? responseChecker(endpoint) : undefined;
  return async (context: RouterContext<State>): Promise<Answer> => {
    checkMethod(endpoint, context.method);
    const caller = callerOf(context.request.headers);
    const input = readInput(context.params, context.request.search.slice(1));
    const reply: Reply = await endpoint.handle(
      { ...input, caller, accept: context.request.headers.accept },
      services,
    );
    const answer = answerOf(endpoint, reply, { caller, nowMs: services.nowMs() });
    const problem = reply.media === undefined ? check?.(answer.body) : undefined;
    if (problem !== undefined)
      throw new Error(`${endpoint.path} answers what its schema does not allow: ${problem}`);
    return answer;
  };
}

function checkMethod(endpoint: Endpoint, method: string): void {
  if (method === endpoint.method || (method === 'HEAD' && endpoint.method === 'GET')) return;
  const allowed = endpoint.method === 'GET' ? 'GET, HEAD' : endpoint.method;
  throw new Failure('invalid_request', `This path answers ${allowed}, not ${method}.`, {
    headers: ['Allow', allowed],
  });
}
