// The commands of `npm run server`.
import { defineProgram } from './define-program.ts';
import { JOBS } from './jobs-commands.ts';

export const SERVER = defineProgram({
  name: 'server',
  invocation: 'npm run server --',
  description: 'The live program: serves published versions over HTTP, WebSocket and webhooks.',
  defaultCommand: 'serve',
  commands: {
    serve: {
      description: 'Serve until stopped',
      operands: [],
      flags: {},
      examples: ['npm run server -- --port 8080', 'npm run server -- --snapshot-dir /srv/snapshots'],
    },
    'copy-store': {
      description:
        'Copy keys, audit log, subscriptions, deliveries, charges and usage from the `OPS_STORE` file to PostgreSQL',
      operands: [],
      flags: {
        to: {
          type: 'string',
          value: 'ADDRESS',
          description:
            'Database for `OPS_STORE`, as postgres://user@host/database, that no server has used yet; the password comes from `PGPASSWORD` or `PGPASSFILE`',
          isRequired: true,
        },
      },
      examples: ['npm run server -- copy-store --to postgres://risk@db.internal/risk?sslmode=verify-full'],
    },
    export: { ...JOBS.commands.export, examples: ['npm run server -- export --out mirror'] },
  },
  notes: ['Exit codes: 0 stopped or done, 1 failed, 2 wrong command or configuration.'],
});
