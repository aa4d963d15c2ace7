// `POST /mcp`: the Model Context Protocol for agents, after the checks of every request. The official library speaks the protocol, in its
// stateless revision and in those of 2025; here requests and responses pass between it and this server.

import type { IncomingMessage } from 'node:http';
import { ERRORS } from '../../schemas/errors.ts';
import { respondOnce } from '../access/idempotency.ts';
import { Failure } from '../define/failure.ts';
import { hasBody } from '../http/guard.ts';
import { readBytes } from '../http/request-body.ts';
import type { Exchange, Outcome } from '../http/request-gate.ts';
import type { ServiceLinks } from '../http/service-links.ts';
import type { Log } from '../log.ts';
import { errorResponse, failureOf } from '../replies/error-response.ts';
import { RenderedResponse } from '../replies/rendered-response.ts';
import type { Services } from '../services.ts';
import { type CallRecord, ToolServers } from './tool-servers.ts';

export const MCP_PATH = '/mcp';

export interface McpDeps {
  readonly services: Services;
  readonly links: ServiceLinks;
  readonly origins: OriginRule;
  readonly log: Log;
  /** Compares every answer with its schema. For tests. */
  readonly isResponseChecked: boolean;
}

type ServedOutcome = Required<Pick<Outcome, 'rendered' | 'counted'>>;

export class McpEndpoint {
  readonly #deps: McpDeps;
  readonly #servers: ToolServers;

  constructor(deps: McpDeps) {
    this.#deps = deps;
    this.#servers = new ToolServers(deps);
  }

  async serve(exchange: Exchange): Promise<ServedOutcome> {
    const record: CallRecord = { tool: undefined, failure: undefined };
    const rendered = await this.#respond(exchange, record);
    const status = record.failure === undefined ? rendered.status : ERRORS[record.failure.code].http;
    const route = record.tool === undefined ? MCP_PATH : `${MCP_PATH} ${record.tool}`;
    return { rendered, counted: { route, status } };
  }

  async #respond(exchange: Exchange, record: CallRecord): Promise<RenderedResponse> {
    const { request, received } = exchange;
    const { links, origins, log } = this.#deps;
    const { requestId } = received;
    const docsUrl = links.documentationFor(request.headers);
    try {
      if (received.admission.failure !== undefined) throw received.admission.failure;
      checkOrigin(request, origins);
      if (request.method !== 'POST') return wrongMethod();
      const body = await bodyOf(exchange);
      if (isSubscription(body)) return noSubscriptions(body);
      return await renderedOf(await this.#fetch(exchange, { body, record, docsUrl }));
    } catch (thrown) {
      const failure = failureOf(thrown);
      if (failure.cause !== undefined)
        log.error({ err: failure.cause, request_id: requestId, path: MCP_PATH }, 'request failed');
      return refusal(failure, { requestId, docsUrl });
    }
  }

  #fetch(
    { request, received }: Exchange,
    { body, record, docsUrl }: { readonly body: Body; readonly record: CallRecord; readonly docsUrl: string },
  ): Promise<Response> {
    const { services } = this.#deps;
    const { requestId, admission } = received;
    const { caller } = admission;
    return this.#servers.fetch(webRequest(request, body, docsUrl), {
      ...{ caller, requestId, services, docsUrl, record },
      once: (run, handle) => respondOnce({ ...run, request, caller, services }, handle),
    });
  }
}

/** A body, and its JSON if it is that; the library reports what is not. */
interface Body {
  readonly text: string;
  readonly message: unknown;
}

/** @throws Failure `invalid_request` */
async function bodyOf({ request }: Exchange): Promise<Body> {
  const { 'content-encoding': encoding = 'identity' } = request.headers;
  if (encoding !== 'identity') throw malformed('A compressed request body is not accepted.');
  const bytes = hasBody(request) ? await readBytes(request) : Buffer.alloc(0);
  const text = textOf(bytes);
  const message = jsonOf(text);
  // A batch would be counted as one request, and the protocol has none since 2025-06-18.
  if (Array.isArray(message)) throw malformed('A batch is not accepted: send one message in a request.');
  return { text, message };
}

function textOf(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw malformed('The body is not UTF-8.');
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const malformed = (message: string) => new Failure('invalid_request', message);

function webRequest({ headers }: Exchange['request'], { text }: Body, docsUrl: string): Request {
  const sent = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    // The key stays in front; the length is that of another encoding.
    value === undefined || HIDDEN.has(name) ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
  );
  return new Request(new URL(MCP_PATH, docsUrl), { method: 'POST', headers: sent, body: text });
}

const HIDDEN: ReadonlySet<string> = new Set([
  ...['authorization', 'connection', 'content-length', 'expect', 'host', 'keep-alive', 'transfer-encoding'],
  ...['te', 'trailer', 'upgrade'],
]);

/** Headers of the protocol that a client needs. */
const PASSED_HEADERS = ['allow', 'www-authenticate'] as const;

async function renderedOf(response: Response): Promise<RenderedResponse> {
  const { status, headers } = response;
  const type = headers.get('content-type');
  const passed = PASSED_HEADERS.flatMap((name) => {
    const value = headers.get(name);
    return value === null ? [] : [name, value];
  });
  return new RenderedResponse({
    status,
    body: Buffer.from(await response.arrayBuffer()),
    headers: [...UNCACHED, ...passed],
    ...(type !== null && !type.startsWith('application/json') && { media: { type, isCompact: false } }),
  });
}

const UNCACHED = ['Cache-Control', 'no-store', 'Vary', 'Accept-Encoding, Origin'];

/** Codes of JSON-RPC errors. */
const RPC = { refused: -32_000, invalid_request: -32_600, no_method: -32_601, internal: -32_603 } as const;

const rpcError = (
  status: number,
  error: object,
  {
    headers = [],
    id,
  }: {
    readonly headers?: readonly string[];
    /** Absent if the request was refused before it was read: the schema of the protocol does not allow null. */
    readonly id?: unknown;
  } = {},
) =>
  new RenderedResponse({
    status,
    body: Buffer.from(JSON.stringify({ jsonrpc: '2.0', error, id })),
    headers: [...UNCACHED, ...headers],
  });

const wrongMethod = () =>
  rpcError(405, { code: RPC.refused, message: 'This path allows POST.' }, { headers: ['Allow', 'POST'] });

/** Nothing here notifies, and a subscription would keep its response open. */
const isSubscription = ({ message }: Body): boolean =>
  (message as { method?: unknown } | null | undefined)?.method === 'subscriptions/listen';

const noSubscriptions = ({ message }: Body) =>
  rpcError(
    404,
    { code: RPC.no_method, message: 'There are no subscriptions: nothing here sends notifications.' },
    { id: (message as { id?: unknown }).id },
  );

/** The body of an error as everywhere in the API is the data of the protocol's error. */
function refusal(failure: Failure, context: { readonly requestId: string; readonly docsUrl: string }) {
  const { status, body } = errorResponse(failure, context);
  const { error: data } = JSON.parse(body.toString()) as { error: { readonly message?: string } };
  const code = status === 400 ? RPC.invalid_request : status >= 500 ? RPC.internal : RPC.refused;
  return rpcError(
    status,
    { code, message: data.message ?? failure.message, data },
    { headers: failure.headers },
  );
}

/**
 * Which web pages may call tools. Without this check, a page could reach a server on the reader's own machine under a name that its owner
 * points there (DNS rebinding).
 */
interface OriginRule {
  /** Address on which the server listens. */
  readonly host: string;
  /** Origins allowed in addition to local ones; if undefined, a server on a public address allows any. */
  readonly allowed: ReadonlySet<string> | undefined;
}

const LOCAL = /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|\[::1\]|::1)$/i;
const ORIGIN = /^https?:\/\/[^/?#@\s]+$/i;

/** Programs other than browsers send no origin. @throws Failure `forbidden` */
export function checkOrigin(
  { headers }: Pick<IncomingMessage, 'headers'>,
  { host, allowed }: OriginRule,
): void {
  const { origin } = headers;
  if (origin === undefined || allowed?.has(origin) === true) return;
  const name = hostOf(origin);
  const isOpen = allowed === undefined && !LOCAL.test(host);
  if (name !== undefined && (isOpen || LOCAL.test(name))) return;
  throw new Failure(
    'forbidden',
    'Pages of this origin may not call tools. STREAM_ORIGINS lists the origins that may.',
  );
}

function hostOf(origin: string): string | undefined {
  if (!ORIGIN.test(origin) || !URL.canParse(origin)) return undefined;
  return new URL(origin).hostname;
}
