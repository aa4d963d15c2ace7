// The secret that turns the addresses of authors into pseudonyms: a file of the installation, created on first use. A different key would
// give the same author a second pseudonym.
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

const FORM = /^[0-9a-f]{64}$/;
const OWNER_ONLY = 0o600;

/** @throws when the file does not hold a valid key */
export function authorKey(file: string, makeKey: () => Uint8Array): string {
  if (!existsSync(file)) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(`${file}.tmp`, `${Buffer.from(makeKey()).toString('hex')}\n`, {
      mode: OWNER_ONLY,
      flush: true,
    });
    renameSync(`${file}.tmp`, file);
  }
  const key = readFileSync(file, 'utf8').trim();
  if (FORM.test(key)) return key;
  throw new Error(
    `${file} does not hold a key of 64 hex digits. Put the file back. If it is lost, remove the recordings of repositories.`,
  );
}
