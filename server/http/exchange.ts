// A request while it is handled, and its outcome.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Endpoint } from '../define/endpoint.ts';
import type { RenderedResponse } from '../replies/rendered-response.ts';
import type { ReceivedRequest } from './request-gate.ts';

export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly received: ReceivedRequest;
}

/** A response, or the thrown value if there is none. */
export interface Outcome {
  /** Undefined if no endpoint matches the path, and for the Model Context Protocol, which forms its own responses. */
  readonly endpoint: Endpoint | undefined;
  readonly rendered?: RenderedResponse;
  readonly thrown?: unknown;
  /** How it is counted, if not by the path of the endpoint and the status of the response. */
  readonly counted?: { readonly route: string; readonly status: number };
}
