// The answer to a browser's question whether a page may send a request: any page may, with the headers the service reads.
import { RenderedResponse } from './rendered-response.ts';

const DAY_SECONDS = 86_400;

let answer: RenderedResponse | undefined;

export function preflightResponse(): RenderedResponse {
  answer ??= new RenderedResponse({
    status: 204,
    body: Buffer.alloc(0),
    headers: [
      'Vary',
      'Origin',
      'Access-Control-Allow-Methods',
      'GET, HEAD, POST, PATCH, DELETE',
      'Access-Control-Allow-Headers',
      'Authorization, Content-Type, If-None-Match, X-Idempotency-Key, X-Request-ID',
      'Access-Control-Max-Age',
      String(DAY_SECONDS),
    ],
  });
  return answer;
}
