// The secret with which landing hashes names and encrypts bad rows that hold them: a file of its own, made on first use.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

export const LANDING_KEY_BYTES = 32;
const FORM = /^[0-9a-f]{64}\s*$/i;
const OWNER_ONLY = 0o600;

export interface LandingKeyFacts {
  readonly file: string;
  /** Folders of tables that name people: with rows in them a key that is gone cannot be replaced unnoticed. */
  readonly folders: readonly string[];
  /** Fresh random bytes. */
  readonly makeKey: () => Uint8Array;
}

/** @throws when the file is not a key, or is gone while rows hashed with it are there. */
export function landingKey({ file, folders, makeKey }: LandingKeyFacts): Uint8Array {
  if (existsSync(file)) return parse(file, readFileSync(file, 'utf8'));
  const inUse = folders.find((folder) => existsSync(folder));
  if (inUse !== undefined) {
    throw new Error(
      `${file}: the key is gone, and names in ${inUse} were hashed with it. Put the file back; without it, remove that folder and land its sources again.`,
    );
  }
  const key = makeKey();
  const temporary = `${file}.tmp`;
  writeFileSync(temporary, `${Buffer.from(key).toString('hex')}\n`, { mode: OWNER_ONLY, flush: true });
  renameSync(temporary, file);
  return key;
}

function parse(file: string, text: string): Uint8Array {
  if (!FORM.test(text))
    throw new Error(
      `${file}: not a key. It holds 64 hexadecimal digits; make one with: openssl rand -hex ${LANDING_KEY_BYTES}`,
    );
  return Buffer.from(text.trim(), 'hex');
}
