// The secrets with which an installation hides personal names: files, created on first use. With another one, the same person or author
// would get a second name.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { RawTable } from '../define/raw-table.ts';

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
export function landingKey({ makeKey, ...facts }: LandingKeyFacts): Uint8Array {
  const { file, fingerprint } = facts;
  const key = knownLandingKey(facts) ?? newKey(file, makeKey);
  const own = fingerprintOf(key);
  if (recordedIn(fingerprint) === own) return key;
  mkdirSync(dirname(fingerprint), { recursive: true });
  putFile(fingerprint, own);
  return key;
}

/** Null if there is none and none is needed yet. Changes nothing. @throws as `landingKey` */
export function knownLandingKey({
  file,
  fingerprint,
  folders,
}: Omit<LandingKeyFacts, 'makeKey'>): Uint8Array | null {
  const inUse = folders.find((folder) => existsSync(folder)) ?? null;
  if (!existsSync(file)) {
    if (inUse === null) return null;
    throw new Error(
      `${file}: the key is missing, and names in ${inUse} were hashed with it. ${backOr(inUse)}`,
    );
  }
  const key = parse(file, inUse);
  const [own, recorded] = [fingerprintOf(key), recordedIn(fingerprint)];
  if (recorded === null || recorded === own || inUse === null) return key;
  throw new Error(
    `${file}: names in ${inUse} were hashed with a different key: the fingerprint of this one is ${own}, but ${fingerprint} holds "${recorded}". ${backOr(inUse)}`,
  );
}

const recordedIn = (fingerprint: string): string | null =>
  existsSync(fingerprint) ? readFileSync(fingerprint, 'utf8').trim() : null;

/** Folders of the tables with personal data. */
export const personalFolders = (
  raw: readonly Pick<RawTable, 'name' | 'isPersonal'>[],
  parents: readonly string[],
): readonly string[] =>
  raw
    .filter(({ isPersonal }) => isPersonal)
    .flatMap(({ name }) => parents.map((parent) => join(parent, name)));

/** Identifies the key without revealing it. */
const fingerprintOf = (key: Uint8Array): string =>
  createHash('sha256').update('landing key\n').update(key).digest('hex');

const backOr = (inUse: string) =>
  `Put the file back. If it is lost, remove ${inUse} and land its sources again.`;

function newKey(file: string, makeKey: LandingKeyFacts['makeKey']): Uint8Array {
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
