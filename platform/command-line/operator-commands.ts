// The commands of `npm run backup`, `npm run restore` and `npm run doctor`.
import { defineProgram } from './define-program.ts';

const FROM = {
  type: 'string',
  value: 'ADDRESS',
  description: 'Where the backups are: a folder, or a bucket as s3://bucket/prefix',
  isRequired: true,
} as const;
const JSON_OUTPUT = { type: 'boolean', description: 'Print JSON' } as const;
const BACKUP_ID = {
  type: 'string',
  value: 'ID',
  description: 'Backup, as `backup list` shows it; defaults to the newest',
} as const;
const EXIT_CODES =
  'Exit codes: 0 done, 1 failed (no backup was made, nothing was restored), 2 wrong command or configuration.';

export const BACKUP = defineProgram({
  name: 'backup',
  invocation: 'npm run backup --',
  description:
    'Copies an installation while its programs run: landing, recordings, ledger, published versions, events, the ops store and the keys. Writes only what earlier backups in the same place do not have.',
  defaultCommand: 'make',
  commands: {
    make: {
      description: 'Make a backup',
      operands: [],
      flags: {
        to: {
          type: 'string',
          value: 'ADDRESS',
          description: 'Where to write: a folder, or a bucket as s3://bucket/prefix',
          isRequired: true,
        },
        keep: {
          type: 'string',
          value: 'N',
          description: 'Backups to keep, this one included; older ones are removed afterwards',
        },
        json: JSON_OUTPUT,
      },
      examples: [
        'npm run backup -- --to /mnt/backups/risk',
        'npm run backup -- --to s3://backups/risk --keep 48',
      ],
    },
    list: {
      description: 'List the backups in a place, newest first',
      operands: [],
      flags: { from: FROM, json: JSON_OUTPUT },
      examples: ['npm run backup -- list --from /mnt/backups/risk'],
    },
    verify: {
      description: 'Read every file of a backup and compare it with its hash',
      operands: [],
      flags: { from: FROM, backup: BACKUP_ID },
      examples: ['npm run backup -- verify --from /mnt/backups/risk'],
    },
  },
  notes: [EXIT_CODES],
});

export const RESTORE = defineProgram({
  name: 'restore',
  invocation: 'npm run restore --',
  description:
    'Puts a backup into an empty folder, after every file was compared with its hash. An interrupted restore leaves a folder that the programs refuse, and can be repeated.',
  defaultCommand: 'restore',
  commands: {
    restore: {
      description: 'Restore a backup',
      operands: [],
      flags: {
        from: FROM,
        to: {
          type: 'string',
          value: 'DIR',
          description: 'Empty or new folder, the next `DATA_DIR`; defaults to `DATA_DIR`',
        },
        backup: BACKUP_ID,
      },
      examples: [
        'npm run restore -- --from /mnt/backups/risk --to /var/lib/risk --backup-key-file /media/backup.key',
      ],
    },
  },
  notes: [EXIT_CODES],
});

/** `npm run doctor`. */
export const DOCTOR = defineProgram({
  name: 'doctor',
  invocation: 'npm run doctor --',
  description:
    'Reads an installation and prints what is wrong, most urgent first, and what to do. Changes nothing, and needs no running program. Give it the flags and the environment of the programs.',
  defaultCommand: 'doctor',
  commands: {
    doctor: {
      description:
        'Check settings, folders, formats, disks, clocks, the store, leases, runs, sources, engines and backups',
      operands: [],
      flags: { json: { type: 'boolean', description: 'Print one JSON object' } },
      examples: ['npm run doctor', 'npm run doctor -- --json --config my.json --data-dir /var/lib/risk'],
    },
  },
  notes: ['Exit codes: 0 nothing, or only notices; 4 warnings; 1 something critical; 2 wrong command line.'],
});
