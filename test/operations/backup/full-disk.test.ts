// A restore whose disk fills up although it looked large enough: the message names the folder, and nothing is left in it.
import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Backup } from '../../../operations/backup/backup-form.ts';
import type { Repository } from '../../../operations/backup/repository.ts';
import { restoreBackup } from '../../../operations/backup/restore-backup.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const file = (bytes: number) => ({ path: 'landing/a', sha256: '', bytes, pieces: [''] });

const restored = (to: string, bytes: number, code: string) => {
  const piece = async () => {
    throw Object.assign(new Error(code), { code });
  };
  const repository = { piece } as unknown as Repository;
  const backup = { formats: null, has_store: false, files: [file(bytes)] } as unknown as Backup;
  return restoreBackup({ repository, backup, to, sealer: null, program: '1.0.0' });
};

test.each(['ENOSPC', 'EDQUOT'])('%s', async (code) => {
  const to = temporaryFolder('full');
  await expect(restored(to, 1, code)).rejects.toThrow(
    `${to} cannot be written: the disk is full. Nothing was`,
  );
  expect(readdirSync(to)).toEqual([]);
});

test('another error stays what it is, and a backup that is larger than the disk is not begun', async () => {
  const to = temporaryFolder('full');
  await expect(restored(to, 1, 'EIO')).rejects.toThrow(/^EIO$/);
  await expect(restored(to, 2 ** 52, 'ENOSPC')).rejects.toThrow(/has \d+ bytes free, and backup .* needs/);
  expect(readdirSync(to)).toEqual([]);
});
