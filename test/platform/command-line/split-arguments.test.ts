import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { settingFlags, splitArguments } from '../../../platform/command-line/split-arguments.ts';
import { UsageError } from '../../../platform/command-line/usage-error.ts';

const FLAGS = { from: { type: 'string' }, json: { type: 'boolean' } } as const;
const split = (...argv: string[]) => splitArguments(argv, FLAGS);
const settings = (...argv: string[]) =>
  Object.fromEntries([...settingFlags(...argv).values].map(([name, { value }]) => [name, value]));
const problems = (...argv: string[]) => split(...argv).settings.problems;

test('settings, flags of the command and words are separated in any order', () => {
  const {
    settings: given,
    flags,
    operands,
  } = split('backfill', '--from', '5', '--port=1', '--json', '-', '--', '--port');
  expect(operands).toEqual(['backfill', '-', '--port']);
  expect(flags).toEqual([
    { name: 'from', value: '5' },
    { name: 'json', value: null },
  ]);
  expect(given.values.get('port')).toEqual({ where: 'flag --port', value: '1', isText: true });
  expect(given.problems).toEqual([]);
});

describe('settings', () => {
  test('a switch is turned on, off, or set, and takes no word behind it', () => {
    expect(settings('--demo-incidents')).toEqual({ demo_incidents: 'true' });
    expect(settings('--no-demo-incidents')).toEqual({ demo_incidents: 'false' });
    expect(settings('--demo-incidents=off')).toEqual({ demo_incidents: 'off' });
    expect(split('--no-demo-incidents', 'run').operands).toEqual(['run']);
  });

  test('a value may hold an equals sign or start with a dash; the last one counts', () => {
    expect(settings('--host=a=b', '--demo-seed', '-1')).toEqual({ host: 'a=b', demo_seed: '-1' });
    expect(settings('--port', '1', '--port', '2')).toEqual({ port: '2' });
  });

  test('underscores serve as well as dashes', () => {
    expect(settings('--data_dir', 'x')).toEqual({ data_dir: 'x' });
  });

  test('a missing value does not take the next flag', () => {
    expect(problems('--port')).toMatchObject([{ where: 'flag --port', given: 'has no value' }]);
    const { settings: given, operands } = split('--host', '--port', '1');
    expect(given.problems).toMatchObject([{ where: 'flag --host' }]);
    expect([given.values.get('port')?.value, operands]).toEqual(['1', []]);
  });

  test('only a switch can be negated', () => {
    expect(problems('--no-port')).toMatchObject([{ where: 'flag --no-port', given: 'is not known' }]);
  });
});

describe('an unknown flag', () => {
  test.each([
    [['--prot', '1'], '--prot', '--port'],
    [['--prot=1'], '--prot', '--port'],
    [['-port', '1'], '-port', '--port'],
    [['--form', '5'], '--form', '--from'],
    [['-x'], '-x', null],
    [['--constructor'], '--constructor', null],
  ])('%j is refused once, with the nearest known one', (argv, name, closest) => {
    expect(problems(...argv)).toMatchObject([{ where: `flag ${name}`, given: 'is not known', closest }]);
  });

  test('takes its value with it', () => {
    expect(split('run', '--prot', '1').operands).toEqual(['run']);
    expect(split('--prot=1', 'run').operands).toEqual(['run']);
  });
});

describe('flags of commands', () => {
  test.each([
    [['--from'], '--from needs a value.'],
    [['--from', '--json'], '--from needs a value.'],
    [['--json=yes'], '--json takes no value.'],
  ])('%j is refused', (argv, message) => {
    expect(() => split(...argv)).toThrow(new UsageError(message));
  });
});

test('--help and -h ask for help wherever they are', () => {
  expect(
    [split('--help'), split('run', '-h'), split('run', '--from', '5')].map(({ isHelp }) => isHelp),
  ).toEqual([true, true, false]);
});

test('whatever is given, it is split or refused as a usage error', () => {
  const argument = fc.oneof(
    fc.string(),
    fc.constantFrom('--port', '--from', '--json', '--', '-', '--=', '--no-json', '-h'),
  );
  fc.assert(
    fc.property(fc.array(argument), (argv) => {
      try {
        split(...argv);
      } catch (error) {
        expect(error).toBeInstanceOf(UsageError);
      }
    }),
    { numRuns: 2_000 },
  );
});
