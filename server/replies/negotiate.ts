// What request headers decide: the encoding of the response, and whether the client already has it.
import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import Negotiator from 'negotiator';

/** Identity of a piece of content, as in ETags: 128 bits of its sha256. */
export const contentHash = (content: string | Uint8Array): string =>
  hash('sha256', content, 'base64url').slice(0, 22);

export type Encoding = 'identity' | 'gzip' | 'br';

/** Order of preference at equal quality. */
const PREFERRED: readonly Encoding[] = ['br', 'gzip', 'identity'];
const MAX_HEADERS = 256;
const chosen = new LRUCache<string, Encoding>({ max: MAX_HEADERS });

/** The signature missing from the package's types. */
interface PreferringNegotiator {
  encoding(
    available: readonly string[],
    options: { readonly preferred: readonly string[] },
  ): string | undefined;
}

/** The best of `br`, `gzip` and `identity` that an `Accept-Encoding` header allows; `identity` if it allows none. */
export function acceptedEncoding(header: string | undefined): Encoding {
  if (header === undefined) return 'identity';
  const known = chosen.get(header);
  if (known !== undefined) return known;
  const negotiator: PreferringNegotiator = new Negotiator({ headers: { 'accept-encoding': header } });
  const best = negotiator.encoding(PREFERRED, { preferred: PREFERRED });
  const encoding = PREFERRED.find((one) => one === best) ?? 'identity';
  chosen.set(header, encoding);
  return encoding;
}

/** ETag of an encoded form. Strong tags must differ where the bytes do; a weak tag covers every encoding. */
export function encodedEtag(etag: string, encoding: Encoding): string {
  return encoding === 'identity' ? etag : `${etag.slice(0, -1)}-${encoding}"`;
}

const WEAK = /^W\//;

/** Whether `If-None-Match` names this content in any of its encodings. Uses the weak comparison (RFC 9110, 13.1.2). */
export function isMatchedBy(header: string | undefined, etag: string | undefined): boolean {
  if (header === undefined || etag === undefined) return false;
  if (header === etag || header === '*') return true;
  const opaque = etag.replace(WEAK, '');
  const stem = opaque.slice(0, -1);
  return header.split(',').some((candidate) => {
    const tag = candidate.trim().replace(WEAK, '');
    return tag === opaque || tag === `${stem}-gzip"` || tag === `${stem}-br"`;
  });
}
