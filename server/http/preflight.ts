// The response to a CORS preflight: any page may send requests, with the headers that the service reads.
import { DAY_S } from '../../platform/base/time.ts';
import { RenderedResponse } from '../replies/rendered-response.ts';

let rendered: RenderedResponse | undefined;

export function preflightResponse(): RenderedResponse {
  rendered ??= new RenderedResponse({
    status: 204,
    body: Buffer.alloc(0),
    headers: [
      'Vary',
      'Origin',
      'Access-Control-Allow-Methods',
      'GET, HEAD, POST, PATCH, DELETE',
      'Access-Control-Allow-Headers',
      'Authorization, Content-Type, If-None-Match, If-Range, Range, X-Idempotency-Key, X-Request-ID',
      'Access-Control-Max-Age',
      String(DAY_S),
    ],
  });
  return rendered;
}
