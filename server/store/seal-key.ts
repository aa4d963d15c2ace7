// The key that encrypts the store's secrets, in a separate file created on first use, so that a copy of the database alone reveals none.
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeOwnFolder } from './own-folder.ts';
import { SEAL_KEY_BYTES } from './seal.ts';

const FORM = /^[0-9a-f]{64}\s*$/i;
const OWNER_ONLY_FILE = 0o600;

export interface SealKeyFacts {
  readonly file: string;
  readonly randomBytes: (count: number) => Uint8Array;
  /** Called once, when the file is created. */
  readonly onMade: (file: string) => void;
}

/** @throws if the file cannot be read or created, or is not a key. */
export function sealKey({ file, randomBytes, onMade }: SealKeyFacts): Uint8Array {
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
  if (FORM.test(text)) return Buffer.from(text.trim(), 'hex');
  throw new Error(
    `${file}: not a key; a key has 64 hexadecimal digits. Restore it from the backup of the store; for a first start, create one with \`openssl rand -hex ${SEAL_KEY_BYTES}\`.`,
  );
}

const codeOf = (error: unknown) => (error instanceof Error && 'code' in error ? error.code : undefined);
