// What the request's own headers decide: which encoding the answer takes and whether the client already has it. Pure functions.

export type Encoding = 'identity' | 'gzip' | 'br';

const REMEMBERED_HEADERS = 256;
const remembered = new Map<string, Encoding>();

/** The best encoding of `br`, `gzip` and `identity` that an `Accept-Encoding` header allows; `identity` when it allows none. */
export function acceptedEncoding(header: string | undefined): Encoding {
  if (header === undefined) return 'identity';
  const known = remembered.get(header);
  if (known !== undefined) return known;
  const chosen = chooseEncoding(header);
  if (remembered.size < REMEMBERED_HEADERS) remembered.set(header, chosen);
  return chosen;
}

function chooseEncoding(header: string): Encoding {
  const weights = new Map<string, number>();
  for (const part of header.toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((piece) => piece.trim());
    const q = parameters.find((parameter) => parameter.startsWith('q='));
    const weight = q === undefined ? 1 : Number(q.slice(2));
    weights.set(name, Number.isFinite(weight) ? weight : 0);
  }
  const weightOf = (name: string) => weights.get(name) ?? weights.get('*') ?? 0;
  const [br, gzip] = [weightOf('br'), weightOf('gzip')];
  const identity = weights.get('identity') ?? 0;
  if (br > 0 && br >= gzip && br >= identity) return 'br';
  return gzip > 0 && gzip >= identity ? 'gzip' : 'identity';
}

/** ETag of an encoded form: strong tags must differ where the bytes do, and a weak one says the same of every form. */
export function encodedEtag(etag: string, encoding: Encoding): string {
  return encoding === 'identity' ? etag : `${etag.slice(0, -1)}-${encoding}"`;
}

const WEAK = /^W\//;

/** Whether `If-None-Match` names this content in any of its encodings; the comparison is the weak one (RFC 9110, 13.1.2). */
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
