// `npm run doctor`.
import { defineProgram } from './define-program.ts';

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
