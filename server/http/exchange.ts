// One request on its way to its response, and what comes of it.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Endpoint } from '../define/endpoint.ts';
import type { RenderedResponse } from './rendered-response.ts';
import type { ReceivedRequest } from './request-gate.ts';

export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly received: ReceivedRequest;
}

/** A response or, where it could not be made, what was thrown. */
export interface Outcome {
  /** Undefined when no endpoint has the path. */
  readonly endpoint: Endpoint | undefined;
  readonly rendered?: RenderedResponse;
  readonly thrown?: unknown;
}
