// The commands of `npm run keys`.
import { PLANS, type PlanName } from '../../schemas/plans.ts';
import { defineProgram } from './define-program.ts';

const JSON_OUTPUT = { type: 'boolean', description: 'Print JSON' } as const;
const ID = { name: 'ID', description: 'Id of the key, as `list` shows it', isRequired: true } as const;
const limit = (what: string) =>
  ({ type: 'string', value: 'N', description: `${what}; plan custom only` }) as const;

/** Contractual limits: they replace the limits of a plan for keys of the plan `custom`. */
export const LIMIT_FLAGS = {
  'requests-per-minute': limit('Requests per minute'),
  'replay-window-days': limit('Days of replay'),
  'stream-connections': limit('Concurrent stream connections'),
  'webhook-subscriptions': limit('Webhook subscriptions'),
  'monte-carlo-runs-per-month': limit('Monte Carlo runs per month'),
  'simulator-runs-per-month': limit('Simulator runs per month'),
} as const;

export const KEYS = defineProgram({
  name: 'keys',
  invocation: 'npm run keys --',
  description: 'Creates, lists, rotates and revokes API keys. Running servers apply changes within a second.',
  defaultCommand: null,
  commands: {
    create: {
      description: 'Create a key and print it; it is shown only once',
      operands: [],
      flags: {
        org: {
          type: 'string',
          value: 'ORG',
          description: 'Organisation that owns the key',
          isRequired: true,
        },
        plan: {
          type: 'string',
          choices: Object.keys(PLANS) as PlanName[],
          description: 'Plan of the key',
          isRequired: true,
        },
        scopes: {
          type: 'string',
          value: 'LIST',
          description: 'Comma-separated scopes; all: every scope of the plan',
          default: 'all',
        },
        expires: {
          type: 'string',
          value: 'TIME',
          description: 'Duration such as 90d, an INSTANT, or never',
          default: 'never',
        },
        ...LIMIT_FLAGS,
        json: JSON_OUTPUT,
      },
      examples: ['npm run keys -- create --org acme --plan team --expires 90d'],
    },
    list: {
      description: 'List keys, without their secrets',
      operands: [],
      flags: {
        org: { type: 'string', value: 'ORG', description: 'Only keys of this organisation' },
        json: JSON_OUTPUT,
      },
      examples: ['npm run keys -- list --org acme'],
    },
    show: {
      description: 'Print one key, without its secret',
      operands: [ID],
      flags: { json: JSON_OUTPUT },
      examples: ['npm run keys -- show key_01KDVE7KY0T38AJBKKS7D3481K'],
    },
    rotate: {
      description: 'Replace a key with a new one; the old key stays valid during the overlap',
      operands: [ID],
      flags: {
        overlap: {
          type: 'string',
          value: 'SPAN',
          description: 'How long the old key stays valid',
          default: '24h',
        },
        expires: {
          type: 'string',
          value: 'TIME',
          description: 'Duration such as 90d, an INSTANT, or never; defaults to the lifetime of the old key',
        },
        json: JSON_OUTPUT,
      },
      examples: ['npm run keys -- rotate key_01KDVE7KY0T38AJBKKS7D3481K --overlap 7d'],
    },
    revoke: {
      description: 'Revoke a key at once and close its open streams',
      operands: [ID],
      flags: { json: JSON_OUTPUT },
      examples: ['npm run keys -- revoke key_01KDVE7KY0T38AJBKKS7D3481K'],
    },
    audit: {
      description: 'Print every change to keys: who, what, when',
      operands: [],
      flags: {
        verify: {
          type: 'boolean',
          description: 'Check that the log is complete and that the keys match it, instead of printing it',
        },
        accept: {
          type: 'boolean',
          description:
            'Accept a store that is refused because it is older than the last one seen, for example one restored from a backup, or start an empty one with the existing seal key; recorded in the log',
        },
        json: JSON_OUTPUT,
      },
      examples: ['npm run keys -- audit', 'npm run keys -- audit --verify'],
    },
  },
  notes: [
    'INSTANT is 2026-01-31T09:00:00Z, 2026-01-31 or Unix seconds. SPAN is a duration: 30s, 5m, 24h or 7d.',
    'Exit codes: 0 done, 1 failed (or the audit log is damaged), 2 wrong command or configuration; nothing was changed.',
    'A server that cannot read its store trusts the keys it last read for 30 seconds, then rejects every key.',
  ],
});
