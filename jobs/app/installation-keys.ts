// The secrets with which an installation hides personal names: files, created on first use. With another one, the same person or author
// would get a second name.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

export const LANDING_KEY_BYTES = 32;
const FORM = /^[0-9a-f]{64}\s*$/i;
const OWNER_ONLY = 0o600;

export interface LandingKeyFacts {
  readonly file: string;
  /** File of the key's fingerprint. */
  readonly fingerprint: string;
  /** Folders of tables with personal data: once they hold rows, a lost key must not be replaced unnoticed. */
  readonly folders: readonly string[];
  /** Fresh random bytes. */
  readonly makeKey: () => Uint8Array;
}

/**
 * The secret with which landing hashes personal names and encrypts bad rows that contain them. Its fingerprint is stored with the rows so
 * that a different key is noticed.
 * @throws when the file is not a key, or when it is missing or different although rows hashed with the first key exist.
 */
export function landingKey({ file, fingerprint, folders, makeKey }: LandingKeyFacts): Uint8Array {
  const inUse = folders.find((folder) => existsSync(folder)) ?? null;
  const key = existsSync(file) ? parse(file, inUse) : newKey({ file, inUse, makeKey });
  const own = fingerprintOf(key);
  const recorded = existsSync(fingerprint) ? readFileSync(fingerprint, 'utf8').trim() : null;
  if (recorded === own) return key;
  if (recorded !== null && inUse !== null) {
    throw new Error(
      `${file}: names in ${inUse} were hashed with a different key: the fingerprint of this one is ${own}, but ${fingerprint} holds "${recorded}". ${backOr(inUse)}`,
    );
  }
  mkdirSync(dirname(fingerprint), { recursive: true });
  putFile(fingerprint, own);
  return key;
}

/** Identifies the key without revealing it. */
const fingerprintOf = (key: Uint8Array): string =>
  createHash('sha256').update('landing key\n').update(key).digest('hex');

const backOr = (inUse: string) =>
  `Put the file back. If it is lost, remove ${inUse} and land its sources again.`;

function newKey({
  file,
  inUse,
  makeKey,
}: Pick<LandingKeyFacts, 'file' | 'makeKey'> & { readonly inUse: string | null }): Uint8Array {
  if (inUse !== null)
    throw new Error(
      `${file}: the key is missing, and names in ${inUse} were hashed with it. ${backOr(inUse)}`,
    );
  const key = makeKey();
  putFile(file, Buffer.from(key).toString('hex'));
  return key;
}

function putFile(file: string, text: string): void {
  const temporary = `${file}.tmp`;
  writeFileSync(temporary, `${text}\n`, { mode: OWNER_ONLY, flush: true });
  renameSync(temporary, file);
}

function parse(file: string, inUse: string | null): Uint8Array {
  const text = readFileSync(file, 'utf8');
  if (FORM.test(text)) return Buffer.from(text.trim(), 'hex');
  const todo =
    inUse === null
      ? `Create one with \`openssl rand -hex ${LANDING_KEY_BYTES}\`.`
      : `Names in ${inUse} were hashed with the original key. ${backOr(inUse)}`;
  throw new Error(`${file}: not a key; a key is 64 hexadecimal digits. ${todo}`);
}

const AUTHOR_KEY = /^[0-9a-f]{64}$/;

/** The secret that turns the addresses of authors into pseudonyms. @throws when the file does not hold a valid key */
export function authorKey(file: string, makeKey: () => Uint8Array): string {
  if (!existsSync(file)) {
    mkdirSync(dirname(file), { recursive: true });
    putFile(file, Buffer.from(makeKey()).toString('hex'));
  }
  const key = readFileSync(file, 'utf8').trim();
  if (AUTHOR_KEY.test(key)) return key;
  throw new Error(
    `${file} does not hold a key of 64 hex digits. Put the file back. If it is lost, remove the recordings of repositories.`,
  );
}
