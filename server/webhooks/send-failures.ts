// Error codes for connections to receivers. The codes are public: delivery records show them.
import { AddressError } from './address-guard.ts';

export interface AttemptError {
  readonly code: string;
  readonly message: string;
}

export const BLOCKED = 'blocked_url';

/** By the code of the error or of its cause. */
const KNOWN: readonly (readonly [codes: RegExp, code: string, message: string])[] = [
  [/^UND_ERR_CONNECT_TIMEOUT$|^ETIMEDOUT$/, 'connect_timeout', 'No connection was made in time.'],
  [/^ECONNREFUSED$/, 'connection_refused', 'The receiver refused the connection.'],
  [/^(EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL)$/, 'unreachable', 'There is no route to the receiver.'],
  [/^(ENOTFOUND|EAI_AGAIN)$/, 'unresolved_name', 'The name could not be resolved.'],
  [/^UND_ERR_HEADERS_OVERFLOW$/, 'answer_too_large', 'The headers of the response are too long.'],
  [
    /^(HTTPParserError|HPE_|UND_ERR_(RES_CONTENT_LENGTH_MISMATCH|INFO|INVALID))/,
    'invalid_answer',
    'The response is not valid HTTP.',
  ],
  [
    /^(UND_ERR_SOCKET|ECONNRESET|EPIPE|ECONNABORTED)$/,
    'connection_closed',
    'The connection ended before the response was complete.',
  ],
  [/^(ERR_(TLS|SSL)|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|ERR_OSSL|EPROTO)/, 'tls', 'TLS failed'],
];

export function failureOf(error: Error): AttemptError {
  const addressError = causesOf(error).find((cause) => cause instanceof AddressError);
  if (addressError instanceof AddressError) {
    const code = addressError.kind === 'blocked' ? BLOCKED : 'unresolved_name';
    return { code, message: `The URL ${addressError.message}.` };
  }
  for (const cause of causesOf(error)) {
    const known = KNOWN.find(([codes]) => codes.test(codeOf(cause)));
    if (known === undefined) continue;
    const [, code, message] = known;
    return { code, message: code === 'tls' ? `TLS failed: ${codeOf(cause)}.` : message };
  }
  return { code: 'failed', message: 'The request could not be sent.' };
}

/** Errors of the HTTP parser have a name but no code. */
const codeOf = (error: unknown): string => {
  if (!(error instanceof Error)) return '';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
};

/** The error and its causes, of which there are several if several addresses were tried. */
function causesOf(error: unknown, depth = 0): readonly unknown[] {
  if (!(error instanceof Error) || depth > 4) return [];
  const inner = error instanceof AggregateError ? error.errors : [];
  return [error, ...[error.cause, ...inner].flatMap((cause) => causesOf(cause, depth + 1))];
}
