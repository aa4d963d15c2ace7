// Backups: who can read the keys in them.
import { PATH, settingGroup } from './setting-spec.ts';

export const BACKUPS = settingGroup('Backups', [
  {
    name: 'backup_key_file',
    kind: 'string',
    form: PATH,
    default: '{data_dir}/backup.key',
    help: 'File with the key that encrypts the other keys in a backup; 64 hexadecimal digits, created on first use. Keep a copy of it on another machine: a restore needs it',
  },
]);
