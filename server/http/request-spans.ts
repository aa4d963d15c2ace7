// A span for each recorded HTTP request, from its arrival until its response was handed to the socket. A caller that sends `traceparent`
// sees it in its own trace. Which requests are recorded is decided by the ratio alone: a caller cannot ask for more, only for none.
import type { IncomingMessage } from 'node:http';
import { isInRatio, readTraceparent, type TraceIds } from '../../platform/tracing/trace-context.ts';
import type { SpanSink } from '../../platform/tracing/tracer.ts';
import type { ReceivedRequest } from './request-gate.ts';

const FIRST_SERVER_ERROR = 500;

export interface RequestSpansDeps {
  readonly sink: SpanSink;
  readonly ids: TraceIds;
  /** Fraction of requests that are recorded, from 0 to 1. */
  readonly ratio: number;
  /** Uniform in [0, 1). */
  readonly random: () => number;
}

/** How a request ended. `route`: the pattern of the path; the path itself may contain secrets. */
export interface RequestEnd {
  readonly route: string;
  readonly status: number;
  readonly seconds: number;
}

export class RequestSpans {
  readonly #deps: RequestSpansDeps;

  constructor(deps: RequestSpansDeps) {
    this.#deps = deps;
  }

  record(request: IncomingMessage, received: ReceivedRequest, { route, status, seconds }: RequestEnd): void {
    const { sink, ids, ratio, random } = this.#deps;
    const header = request.headers['traceparent'];
    const parent = header === undefined ? undefined : readTraceparent(header);
    const isRecorded =
      parent === undefined ? random() < ratio : parent.isSampled && isInRatio(parent.traceId, ratio);
    if (!isRecorded) return;
    const { at, requestId } = received;
    const method = request.method ?? '';
    sink.add({
      name: `${method} ${route}`,
      kind: 'server',
      traceId: parent?.traceId ?? ids.trace(),
      spanId: ids.span(),
      parentId: parent?.spanId ?? null,
      startMs: at.nowMs,
      endMs: at.nowMs + seconds * 1_000,
      attributes: {
        'http.request.method': method,
        'http.route': route,
        'http.response.status_code': status,
        'request.id': requestId,
      },
      isError: status >= FIRST_SERVER_ERROR,
    });
  }
}
