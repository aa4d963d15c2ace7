// The backup key: encrypts the keys of an installation in its backups, so that who can read a backup cannot open the secrets in it. It is
// never in a backup.
import { existsSync } from 'node:fs';
import { RefusedInputError } from '../../platform/storage/errors.ts';
import { makeSealer, type Sealer, sealKey } from '../../server/store/seal.ts';
import type { Backup, BackupFile } from './backup-form.ts';

const MARK_DIGITS = 16;
const purposeOf = (path: string): string => `${path} in a backup`;

/** Identifies the key and reveals nothing of it. */
export const keyMarkOf = (sealer: Sealer): string =>
  sealer.mac('backup', 'mark of a backup key').slice(0, MARK_DIGITS);

export const sealedKey = (sealer: Sealer, path: string, plain: Uint8Array): Buffer =>
  sealer.seal(plain, purposeOf(path));

export const openedKey = (sealer: Sealer, { path }: BackupFile, sealed: Uint8Array): Buffer =>
  sealer.open(sealed, purposeOf(path));

export interface KeyEffects {
  readonly randomBytes: (count: number) => Uint8Array;
  readonly onMade: (file: string) => void;
}

/** Creates the key if there is none. */
export const sealerOf = (file: string, { randomBytes, onMade }: KeyEffects): Sealer =>
  makeSealer(sealKey({ file, randomBytes, onMade }), randomBytes);

/** The key of a backup; null if the backup needs none. @throws RefusedInputError if the file is missing or holds another key */
export function sealerFor(
  { key_mark, id }: Backup,
  file: string,
  { randomBytes }: Pick<KeyEffects, 'randomBytes'>,
): Sealer | null {
  if (key_mark === null) return null;
  if (!existsSync(file))
    throw new RefusedInputError(
      `The keys in backup ${id} are encrypted, and ${file} does not exist. Nothing was done. Name the backup key of the installation with --backup-key-file FILE.`,
    );
  const sealer = sealerOf(file, { randomBytes, onMade: () => undefined });
  if (keyMarkOf(sealer) === key_mark) return sealer;
  throw new RefusedInputError(
    `${file} is not the key of backup ${id}: it has the mark ${keyMarkOf(sealer)}, and the backup ${key_mark}. Nothing was done. Name the right one with --backup-key-file FILE.`,
  );
}
