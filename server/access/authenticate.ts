// Resolves an `Authorization` header to a currently valid key (5.1-5.4, decision 33). Pure except for the key ring that it reads.
import { Failure } from '../define/failure.ts';
import type { KeyRecord } from '../store/store.ts';
import { CHALLENGE } from './authorize.ts';
import { hashKey, isWellFormedKey } from './keys.ts';

export interface KeyFinder {
  /** Changes whenever the results of `find` may have changed. */
  readonly generation: number;
  /** Finds a key by the SHA-256 of the whole key, hex. @throws Failure `unavailable` when the keys cannot be read. */
  find(hash: string): KeyRecord | undefined;
}

const BEARER = /^Bearer +([!-~]+) *$/i;

/** The token of a header; undefined without a header, or if it uses another scheme. */
export const bearerOf = (header: string | undefined): string | undefined =>
  header === undefined ? undefined : BEARER.exec(header)?.[1];

/** One class for both cases, so that constructing it takes the same time. */
export class InvalidKeyError extends Failure {
  /** Whether the key is well-formed but unknown, so that the caller may be guessing. */
  readonly isGuess: boolean;

  constructor(isGuess: boolean) {
    super('invalid_key', undefined, { headers: INVALID });
    this.isGuess = isGuess;
  }
}

/** The last header of a connection, and its token. */
interface ConnectionToken {
  readonly header: string;
  readonly token: string | undefined;
}

const presented = new WeakMap<object, ConnectionToken>();

/** Like `bearerOf`. Clients send the same header with every request, and comparing it with the last one is cheaper than parsing. */
export function bearerOver(connection: object, header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  const last = presented.get(connection);
  if (last?.header === header) return last.token;
  const token = bearerOf(header);
  presented.set(connection, { header, token });
  return token;
}

const INVALID: readonly string[] = ['WWW-Authenticate', 'Bearer error="invalid_token"'];

/** The last valid key of a connection, because clients send the same key with every request. */
interface ConnectionKey {
  readonly token: string;
  readonly generation: number;
  readonly record: KeyRecord;
}

const recognised = new WeakMap<object, ConnectionKey>();

/**
 * A malformed key is also hashed and looked up, so that the response time does not distinguish it from an unknown one.
 * `connection`: any object that identifies the connection.
 * @throws Failure `invalid_key`, `expired_key`, `revoked_key`, `unavailable`; InvalidKeyError.
 */
export function authenticate(
  token: string,
  keys: KeyFinder,
  request: { readonly connection: object; readonly nowMs: number },
): KeyRecord {
  const { connection, nowMs } = request;
  const before = recognised.get(connection);
  if (before?.token === token && before.generation === keys.generation)
    return stillGood(before.record, nowMs);
  const record = stillGood(lookUp(token, keys), nowMs);
  recognised.set(connection, { token, generation: keys.generation, record });
  return record;
}

function lookUp(token: string, keys: KeyFinder): KeyRecord {
  const hash = hashKey(token);
  const isWellFormed = isWellFormedKey(token);
  const record = keys.find(hash);
  if (record === undefined || !isWellFormed) throw new InvalidKeyError(isWellFormed);
  return record;
}

function stillGood(record: KeyRecord, nowMs: number): KeyRecord {
  if (record.revoked_ms !== null && record.revoked_ms <= nowMs) throw refused('revoked_key');
  if (record.expires_ms !== null && record.expires_ms <= nowMs) throw refused('expired_key');
  return record;
}

const refused = (code: 'expired_key' | 'revoked_key') => new Failure(code, undefined, { headers: CHALLENGE });
