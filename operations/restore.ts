// `npm run restore`: puts a backup into an empty folder. Owns settings, randomness and the exit code.
import { dirname, join } from 'node:path';
import { counted } from '../platform/base/plural.ts';
import { shellWord } from '../platform/command-line/command-for.ts';
import { RESTORE } from '../platform/command-line/operator-commands.ts';
import { FolderError, readInstallation } from '../platform/processes/data-folder.ts';
import type { Settings } from '../platform/settings/settings.ts';
import { RefusedInputError } from '../platform/storage/errors.ts';
import { type Backup, sumOf } from './backup/backup-form.ts';
import { sealerFor } from './backup/backup-key.ts';
import { backupStoreAt } from './backup/place.ts';
import { Repository } from './backup/repository.ts';
import { restoreBackup } from './backup/restore-backup.ts';
import { EXIT, runProgram } from './program.ts';

interface Restored {
  readonly to: string;
  readonly settings: Settings;
  /** The profile that the restored folder is written with; null if nothing has landed in it. */
  readonly profile: Settings['profile'] | null;
}

function closingLines(backup: Backup, { to, settings, profile }: Restored): readonly string[] {
  const { id, begun_at, version, as_of, events, files, config, key_mark } = backup;
  const published = version === null ? 'no version' : `version ${version} as of ${as_of}`;
  const flags = [
    ...(config === null ? ['--profile', profile ?? settings.profile] : ['--config', join(to, config)]),
    '--data-dir',
    to,
  ];
  return [
    `Restored backup ${id} of ${begun_at} to ${to}: ${published}, ${counted(events, 'event')}; ${counted(files.length, 'file')}, ${sumOf(backup)} bytes, all compared with their hashes.`,
    `Next: npm start -- ${flags.map(shellWord).join(' ')}`,
    ...(config === null ? [] : [configLine(join(to, config))]),
    ...(key_mark === null ? [] : [keyLine(settings.backup_key_file, to)]),
    'The first run computes the warehouse again from landing. To move it to buckets or PostgreSQL, see Backups in docs/operations.md.',
  ];
}

/** A backup has no backup key, and the next one would make another, of which there is no copy elsewhere. */
const keyLine = (file: string, to: string): string =>
  `Before the next backup, put the backup key at ${join(to, 'backup.key')} too, or name ${file} in BACKUP_KEY_FILE: otherwise that backup makes another key.`;

/** Files of sources are the operator's, and in no backup. */
const configLine = (file: string): string =>
  `Relative paths in that configuration now begin at ${dirname(file)}: put the files of its sources there, or copy the configuration to where it was and name it with --config.`;

process.exitCode = await runProgram(RESTORE, async ({ flags }, { settings }, effects) => {
  const to = flags.to ?? settings.data_dir;
  if (to.trim() === '')
    throw new FolderError('--to is empty. Nothing was restored. Name an empty or new folder.');
  const repository = new Repository(backupStoreAt(flags.from, '--from', { settings, ...effects }), effects);
  const id = flags.backup ?? (await repository.ids()).at(-1);
  if (id === undefined)
    throw new RefusedInputError(
      `${repository.name} holds no backup. Nothing was restored; name its place with --from.`,
    );
  const backup = await repository.read(id);
  const sealer = sealerFor(backup, settings.backup_key_file, effects);
  await restoreBackup({ repository, backup, to, sealer, program: effects.program });
  const profile = readInstallation(to, effects.program)?.profile ?? null;
  for (const line of closingLines(backup, { to, settings, profile })) effects.print(line);
  return EXIT.done;
});
