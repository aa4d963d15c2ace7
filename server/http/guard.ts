// Refuses malformed requests before they are routed.
import type { IncomingMessage } from 'node:http';
import { LIMITS } from '../../schemas/plans.ts';
import { Failure } from '../define/failure.ts';

/** Whether the request has a body. The connection cannot be reused before the whole body has arrived. */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined ||
  (headers['content-length'] !== undefined && headers['content-length'] !== '0');

/** @throws Failure `invalid_request` */
export function checkRequest(request: IncomingMessage): void {
  const target = request.url ?? '';
  if (target.length > LIMITS.url_bytes) throw malformed(`The URL is longer than ${LIMITS.url_bytes} bytes.`);
  const problem = hostProblem(request);
  if (problem !== undefined) throw malformed(problem);
  if (!isDecodable(target)) throw malformed('The URL contains a malformed percent-encoding.');
}

/** Characters of a host and port (RFC 3986, 3.2), excluding those of lists, user info and paths. */
const HOST = /^[A-Za-z0-9._~%!$&'()*+;=:[\]-]*$/;

/**
 * What is wrong with the Host header: every request has exactly one (RFC 9112, 3.2). Health checks still use HTTP/1.0, which has none, so
 * it may be missing there.
 */
export function hostProblem({ headers, rawHeaders, httpVersion }: IncomingMessage): string | undefined {
  const { host } = headers;
  if (host === undefined) return httpVersion === '1.0' ? undefined : 'The Host header is missing.';
  // If there are several, `headers` holds only the first.
  if (isTwice(rawHeaders, 'host')) return 'There is more than one Host header.';
  return HOST.test(host) ? undefined : 'The Host header is not a host.';
}

/** `name` in lower case. */
function isTwice(rawHeaders: readonly string[], name: string): boolean {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const other = rawHeaders[at];
    if (other?.length === name.length && other.toLowerCase() === name) count++;
  }
  return count > 1;
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
