// Refuses requests that are malformed before anything looks at what they ask for.
import type { IncomingMessage } from 'node:http';
import { LIMITS } from '../schemas/plans.ts';
import { Failure } from './define-failure.ts';

/** A body that nobody reads: the connection cannot be used again before all of it has come. */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined ||
  (headers['content-length'] !== undefined && headers['content-length'] !== '0');

/** @throws Failure `invalid_request` */
export function checkRequest(request: IncomingMessage): void {
  const target = request.url ?? '';
  if (target.length > LIMITS.url_bytes) throw malformed(`The URL is longer than ${LIMITS.url_bytes} bytes.`);
  if (request.httpVersion === '1.1' && request.headers.host === undefined)
    throw malformed('The Host header is missing.');
  if (!isDecodable(target)) throw malformed('The URL holds a malformed percent-encoding.');
}

/** @throws Failure `invalid_request` */
export function refuseBody(request: IncomingMessage): void {
  if (hasBody(request)) throw malformed('This endpoint takes no request body.');
}

const malformed = (message: string) => new Failure('invalid_request', message);

function isDecodable(target: string): boolean {
  try {
    decodeURIComponent(target);
    return true;
  } catch {
    return false;
  }
}
