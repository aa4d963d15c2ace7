// Responses to invalid HTTP, with the same body as every other error, and the deadlines that end slow connections.
import type { Server, ServerOptions } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { Failure } from '../define/failure.ts';
import { errorResponse } from '../replies/error-response.ts';
import { COMMON_HEADERS, type RenderedResponse, sendResponse } from '../replies/rendered-response.ts';
import { headerLines, statusLine } from '../replies/send-head.ts';
import { type MakeRequestId, type RequestGate, requestIdOf } from './request-gate.ts';
import type { ServiceLinks } from './service-links.ts';

/** Deadlines, milliseconds. A slow connection ends within the longest of them plus one check. */
export interface Deadlines {
  /** For the headers of a request. */
  readonly headersMs: number;
  /** For a whole request. */
  readonly requestMs: number;
  /** For a response to be read. */
  readonly responseMs: number;
  /** Without any transfer, for example between two requests. */
  readonly quietMs: number;
  readonly checkEveryMs: number;
}

export const DEADLINES: Deadlines = Object.freeze({
  headersMs: 10_000,
  requestMs: 14_000,
  responseMs: 15_000,
  quietMs: 15_000,
  checkEveryMs: 1_000,
});

const MAX_HEADER_BYTES = 16_384;

export const serverOptions = (deadlines: Deadlines): ServerOptions => ({
  headersTimeout: deadlines.headersMs,
  requestTimeout: deadlines.requestMs,
  // One sweep ends all quiet connections, because a timer per connection would add a cost to every request.
  keepAliveTimeout: 0,
  connectionsCheckingInterval: deadlines.checkEveryMs,
  maxHeaderSize: MAX_HEADER_BYTES,
  // Checked together with all other problems of a request, so that the response has the usual body.
  requireHostHeader: false,
  // A request without a body is complete once its head arrives. Waiting for the end of its stream took a fifth of the time of a small
  // response.
  optimizeEmptyRequests: true,
});

const REASONS: { readonly [code: string]: string } = {
  ERR_HTTP_REQUEST_TIMEOUT: 'The request did not arrive in time.',
  HPE_HEADER_OVERFLOW: `The headers are longer than ${MAX_HEADER_BYTES} bytes.`,
};

export interface ProtocolErrors {
  readonly makeRequestId: MakeRequestId;
  readonly links: ServiceLinks;
  readonly requestGate: RequestGate;
}

export function respondToProtocolErrors(server: Server, facts: ProtocolErrors): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    refuse(socket, REASONS[error.code ?? ''] ?? 'The request is not valid HTTP.', facts);
  });
  server.on('connect', (_request, socket) => refuse(socket, 'This service is not a proxy.', facts));
  server.on('checkExpectation', (request, response) => {
    const requestId = requestIdOf(request.headers['x-request-id'], facts.makeRequestId);
    response.shouldKeepAlive = false;
    sendResponse(
      request,
      response,
      badRequest('The Expect header names an unknown expectation.', requestId, facts),
      facts.requestGate.uncountedLines(requestId, request),
    );
  });
}

const badRequest = (message: string, requestId: string, { links }: ProtocolErrors): RenderedResponse =>
  errorResponse(new Failure('invalid_request', message), { requestId, docsUrl: links.documentationFor({}) });

function refuse(socket: Duplex, message: string, facts: ProtocolErrors): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const requestId = facts.makeRequestId();
  const { body } = badRequest(message, requestId, facts);
  const headers = ['Connection', 'close', 'Content-Type', 'application/json', 'Cache-Control', 'no-store'];
  const lines = headerLines([...headers, 'Content-Length', `${body.length}`, ...COMMON_HEADERS]);
  const own = facts.requestGate.uncountedLines(requestId, { headers: {}, socket: socket as Socket });
  const head = `${statusLine(400)}${lines}${own}\r\n`;
  socket.end(Buffer.concat([Buffer.from(head), body]), () => socket.destroy());
}
