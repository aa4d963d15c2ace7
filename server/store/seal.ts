// Encrypts data that may contain a secret before it is stored (AES-256-GCM), and signs data that must not change (HMAC-SHA-256). Data
// sealed for one place cannot be opened in another. And the file with the key.
import { createCipheriv, createDecipheriv, createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeOwnFolder } from './own-folder.ts';

export const SEAL_KEY_BYTES = 32;
const ALGORITHM = 'aes-256-gcm';
/** First byte of sealed data, so that the format can change later. */
const FORM = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export interface Sealer {
  /** `place` names the data and its owner: `signing secret of wh_…`. */
  seal(plain: Uint8Array, database: string): Buffer;
  /** @throws if the data was sealed with another key or for another place, or has changed. */
  open(sealed: Uint8Array, database: string): Buffer;
  /** 64 hexadecimal digits that cannot be computed without the key. A MAC for one purpose is invalid for another. */
  mac(text: string, purpose: string): string;
}

/** Nonces are random, which is safe for 2^32 messages per key. */
export function makeSealer(key: Uint8Array, randomBytes: (count: number) => Uint8Array): Sealer {
  if (key.length !== SEAL_KEY_BYTES) throw new Error(`A sealing key has ${SEAL_KEY_BYTES} bytes.`);
  // For an HMAC, Node takes fifteen times as long with a key given as bytes.
  const sealKey = createSecretKey(key);
  const macKeys = new Map<string, KeyObject>();
  const macKeyOf = (purpose: string): KeyObject => {
    const known = macKeys.get(purpose);
    if (known !== undefined) return known;
    const made = createSecretKey(createHmac('sha256', sealKey).update(`mac: ${purpose}`).digest());
    macKeys.set(purpose, made);
    return made;
  };
  return {
    mac: (text, purpose) => createHmac('sha256', macKeyOf(purpose)).update(text).digest('hex'),
    seal(plain, database) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(ALGORITHM, sealKey, nonce, { authTagLength: TAG_BYTES });
      cipher.setAAD(Buffer.from(database));
      const hidden = [cipher.update(plain), cipher.final()];
      return Buffer.concat([Buffer.of(FORM), nonce, cipher.getAuthTag(), ...hidden]);
    },
    open(sealed, database) {
      const bytes = Buffer.from(sealed);
      const start = 1 + NONCE_BYTES + TAG_BYTES;
      if (bytes[0] !== FORM || bytes.length < start) throw new Error('This was not sealed by the service.');
      const decipher = createDecipheriv(ALGORITHM, sealKey, bytes.subarray(1, 1 + NONCE_BYTES), {
        authTagLength: TAG_BYTES,
      });
      decipher.setAuthTag(bytes.subarray(1 + NONCE_BYTES, start));
      decipher.setAAD(Buffer.from(database));
      return Buffer.concat([decipher.update(bytes.subarray(start)), decipher.final()]);
    },
  };
}

const KEY_TEXT = /^[0-9a-f]{64}\s*$/i;
const OWNER_ONLY_FILE = 0o600;

/**
 * The key that encrypts the store's secrets, in a separate file created on first use, so that a copy of the database alone reveals none.
 * @throws if the file cannot be read or created, or is not a key.
 */
export function sealKey({
  file,
  randomBytes,
  onMade,
}: {
  readonly file: string;
  readonly randomBytes: (count: number) => Uint8Array;
  /** Called once, when the file is created. */
  readonly onMade: (file: string) => void;
}): Uint8Array {
  const text = readIfThere(file);
  if (text !== undefined) return parse(file, text);
  makeOwnFolder(dirname(file));
  const temporary = `${file}.${Buffer.from(randomBytes(6)).toString('hex')}.tmp`;
  const key = `${Buffer.from(randomBytes(SEAL_KEY_BYTES)).toString('hex')}\n`;
  writeFileSync(temporary, key, { mode: OWNER_ONLY_FILE, flush: true });
  try {
    if (isFirst(temporary, file)) onMade(file);
  } finally {
    rmSync(temporary, { force: true });
  }
  return parse(file, readFileSync(file, 'utf8'));
}

/** Linking fails if the name is taken, so if two processes start at once, one creates the key and both use it. */
function isFirst(temporary: string, file: string): boolean {
  try {
    linkSync(temporary, file);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function parse(file: string, text: string): Uint8Array {
  if (KEY_TEXT.test(text)) return Buffer.from(text.trim(), 'hex');
  throw new Error(
    `${file}: not a key; a key has 64 hexadecimal digits. Restore it from the backup of the store; for a first start, create one with \`openssl rand -hex ${SEAL_KEY_BYTES}\`.`,
  );
}

const codeOf = (error: unknown) => (error instanceof Error && 'code' in error ? error.code : undefined);
