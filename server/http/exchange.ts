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
  /** Undefined if no endpoint matches the path. */
  readonly endpoint: Endpoint | undefined;
  readonly rendered?: RenderedResponse;
  readonly thrown?: unknown;
}
