// Troubles that cannot be mistaken for data: responses that refuse, and responses that break in transit.
import { asJson, html, packed, status } from './replies.ts';
import { isGraph, isRpc, MAX_BYTES, type Trouble, trouble } from './trouble.ts';

export const REFUSING: readonly Trouble[] = [
  trouble('429 without Retry-After', () => status(429)),
  trouble('429 with Retry-After', () => status(429, { 'retry-after': '7' })),
  trouble('429 with a date in Retry-After', ({ question: { now } }) =>
    status(429, { 'retry-after': new Date((now + 20) * 1000).toUTCString() }),
  ),
  trouble('403 of a limit', () => status(403, { 'x-ratelimit-remaining': '0' })),
  trouble('5xx', (_, turn) => status([500, 502, 503, 504][turn % 4] ?? 500, {}, '{"message":"upstream"}')),
  trouble('503 as a page', () => html(503)),
  trouble('4xx', (_, turn) => status([404, 402, 401, 400][turn % 4] ?? 404)),
  trouble('an empty answer', () => status(200)),
  trouble('HTML in a 200', () => html(200)),
  trouble('an error in a 200', ({ question: { now } }) => ({
    reply: asJson({ error: 'internal error', status: 'error' }, now),
  })),
  trouble('words in a 200', () => status(200, { 'content-type': 'text/plain' }, 'error code: 1015')),
  trouble(
    'GraphQL errors',
    ({ question: { now } }, turn) => ({
      reply: asJson(
        {
          errors: [{ message: turn % 2 === 0 ? 'Too many requests' : 'Cannot query field "vp"' }],
          data: null,
        },
        now,
      ),
    }),
    isGraph,
  ),
  trouble(
    'limit codes of JSON-RPC',
    ({ question: { now } }, turn) => ({
      reply: asJson(
        {
          jsonrpc: '2.0',
          id: 1,
          error: { code: [-32_005, -32_029, -32_097][turn % 3], message: 'limit exceeded' },
        },
        now,
      ),
    }),
    isRpc,
  ),
  trouble(
    'a busy node',
    ({ question: { now } }) => ({
      reply: asJson({ jsonrpc: '2.0', id: 1, error: { code: -32_603, message: 'internal error' } }, now),
    }),
    isRpc,
  ),
];

export const BROKEN: readonly Trouble[] = [
  trouble('a cut body', ({ document, question: { now } }) => ({
    reply: { ...asJson(document, now), cutAt: 40 },
  })),
  trouble('JSON that ends early', ({ document, question: { now } }) => {
    const reply = asJson(document, now);
    return { reply: { ...reply, body: String(reply.body).slice(0, -7) } };
  }),
  trouble('a slow body', ({ document, question: { now } }) => ({
    reply: { ...asJson(document, now), dripMs: 5 },
  })),
  trouble('no answer', () => ({ reply: { isSilent: true } })),
  trouble('a connection that breaks', () => ({ reply: { isBroken: true } })),
  trouble('a name that does not resolve', () => ({ detour: 'unknown_name' })),
  trouble('a closed port', () => ({ detour: 'closed_port' })),
  trouble('a failed TLS handshake', () => ({ detour: 'broken_tls' })),
  trouble('damaged gzip', ({ document, question: { now } }) => ({
    reply: packed(document, now, (bytes) => Buffer.concat([bytes.subarray(0, 20), bytes.subarray(28)])),
  })),
  trouble('a redirect without end', ({ question: { path } }) =>
    status(302, { location: `${path.split('?')[0]}?again=${path.length}` }),
  ),
  trouble('an absurd size', ({ question: { now } }) => ({
    reply: packed('x'.repeat(MAX_BYTES + 1), now, (bytes) => bytes),
  })),
];
