import { describe, expect, it } from 'vitest';
import { parseCommand } from '../../../jobs/commands/parse.ts';
import { readCommandLine } from '../../../platform/command-line/command-line.ts';
import { JOBS } from '../../../platform/command-line/jobs-commands.ts';
import { UsageError } from '../../../platform/command-line/usage-error.ts';

const words = (text: string) => {
  const line = readCommandLine(
    JOBS,
    text.split(' ').filter((word) => word !== ''),
  );
  if (line.help !== null || line.command.name === 'export')
    throw new Error(`${text} is no command of the jobs`);
  return parseCommand(line.command, 1_800_000_000);
};

describe('the command line of jobs', () => {
  it.each([
    ['run', { name: 'run', as_of: null }],
    ['run --as-of 2026-01-31', { name: 'run', as_of: Date.UTC(2026, 0, 31) / 1000 }],
    ['schedule', { name: 'schedule' }],
    ['backfill --from 100 --to 900', { name: 'backfill', from: 100, to: 900, step_seconds: 86_400 }],
    ['backfill --from=100 --to=900 --step=5m', { name: 'backfill', from: 100, to: 900, step_seconds: 300 }],
    ['rebuild', { name: 'rebuild' }],
    ['retract --to 01KDVE7KY0T38AJBKKS7D3481K', { name: 'retract', to: '01KDVE7KY0T38AJBKKS7D3481K' }],
    ['retract --to 1770000000', { name: 'retract', to: 1_770_000_000 }],
    ['status --json', { name: 'status', json: true }],
    ['quarantine list', { name: 'quarantine list', json: false }],
    ['lost+found list --json', { name: 'lost+found list', json: true }],
    ['lost+found adopt', { name: 'lost+found adopt' }],
    ['quarantine redrive --batch abc', { name: 'quarantine redrive', batch: 'abc' }],
    ['tables', { name: 'tables', table: null, json: false }],
    ['tables feed_round --json', { name: 'tables', table: 'feed_round', json: true }],
    ['verify', { name: 'verify' }],
    ['events', { name: 'events', type: null, subject: null, from: null, to: null, json: false }],
    [
      'events --type mev.spike --subject vault:global --from 1 --to 9 --json',
      { name: 'events', type: 'mev.spike', subject: 'vault:global', from: 1, to: 9, json: true },
    ],
    ['diff A B', { name: 'diff', versions: ['A', 'B'] }],
    [
      'detect --type mev.spike --from 1 --to 9 --set threshold=5 --set anomaly.min_days=7 --json',
      {
        name: 'detect',
        type: 'mev.spike',
        changes: [
          { name: 'threshold', value: '5' },
          { name: 'anomaly.min_days', value: '7' },
        ],
        from: 1,
        to: 9,
        json: true,
      },
    ],
  ])('reads %s', (line, command) => {
    expect(words(line)).toEqual(command);
  });

  it.each([
    ['', 'Name a command.'],
    ['fly', 'no command "fly"'],
    ['quarantine', 'no command "quarantine"'],
    ['lost+found lose', 'no command "lost+found lose"'],
    ['run --from 1', 'run has no flag --from'],
    ['run now', 'unexpected argument "now"'],
    ['run --as-of', '--as-of needs a value'],
    ['run --as-of tomorrow', '--as-of: "tomorrow" is not an instant'],
    ['backfill --from 5', '--to is missing'],
    ['backfill --from 5 --to 5', '--to must be later'],
    ['backfill --from 1 --to 9 --step 0', '--step: "0" is not a duration'],
    ['diff A B C', 'unexpected argument "C"'],
    ['events --type mev.spik', 'for example mev.spike'],
    ['events --from 9 --to 9', '--to must be later'],
    ['events now', 'unexpected argument "now"'],
    ['detect --from 1 --to 9', '--type is missing'],
    ['detect --type nothing --from 1 --to 9', 'is not an event type'],
    ['retract', '--to is missing'],
    ['export --out x --plan gold', '"gold" is not one of free'],
    ['detect --type mev.spik --from 1 --to 9', 'for example mev.spike'],
    ['detect --type mev.spike --from 9 --to 9', '--to must be later'],
    ['detect --type mev.spike --from 1 --to 9 --set threshold', 'write NAME=VALUE'],
  ])('rejects "%s" with a message of one line', (line, message) => {
    expect(() => words(line)).toThrow(UsageError);
    expect(() => words(line)).toThrow(message);
  });
});
