import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  readCommandLine,
  settingFlags,
  splitArguments,
} from '../../../platform/command-line/command-line.ts';
import { defineProgram } from '../../../platform/command-line/define-program.ts';
import { UsageError } from '../../../platform/command-line/usage-error.ts';

const PROGRAM = defineProgram({
  name: 'zoo',
  invocation: 'npm run zoo --',
  description: 'Feeds animals.',
  defaultCommand: null,
  commands: {
    feed: {
      description: 'Feed an animal',
      operands: [
        { name: 'ANIMAL', description: 'Who is fed', isRequired: true },
        { name: 'FOOD', description: 'What it gets', isRequired: false },
      ],
      flags: {
        at: { type: 'string', value: 'TIME', description: 'When', isRequired: true },
        amount: { type: 'string', value: 'N', description: 'How much', default: '1' },
        keeper: { type: 'string', choices: ['ann', 'bob'], description: 'By whom' },
        tag: { type: 'string', value: 'TAG', description: 'Label', isRepeatable: true },
        quiet: { type: 'boolean', description: 'Print nothing' },
      },
      examples: ['npm run zoo -- feed lion --at noon'],
    },
    'gate open': { description: 'Open the gate', operands: [], flags: {}, examples: [] },
    'gate close': { description: 'Close the gate', operands: [], flags: {}, examples: [] },
  },
  notes: ['TIME is a word.'],
});

const read = (line: string) => readCommandLine(PROGRAM, line.split(' ').filter(Boolean));
const commandOf = (line: string) => {
  const { help, ...rest } = read(line);
  expect(help).toBeNull();
  return 'command' in rest ? rest.command : undefined;
};

describe('a command', () => {
  test('has its operands, its flags and the defaults of the others', () => {
    expect(commandOf('feed lion --at noon')).toEqual({
      name: 'feed',
      operands: ['lion'],
      flags: { at: 'noon', amount: '1', keeper: undefined, tag: [], quiet: false },
    });
    expect(commandOf('feed lion meat --tag a --quiet --at 1 --tag b --at 2 --keeper bob --amount=5')).toEqual(
      {
        name: 'feed',
        operands: ['lion', 'meat'],
        flags: { at: '2', amount: '5', keeper: 'bob', tag: ['a', 'b'], quiet: true },
      },
    );
  });

  test('may have a name of two words', () => {
    expect(commandOf('gate open')).toMatchObject({ name: 'gate open', operands: [] });
  });

  test('may be left out where there is a default', () => {
    const { commands } = PROGRAM;
    const program = { ...PROGRAM, defaultCommand: 'gate open', commands };
    expect(readCommandLine(program, ['--port', '1'])).toMatchObject({ command: { name: 'gate open' } });
  });

  test('comes with the settings that are given as flags', () => {
    const line = read('gate open --port 1 --prot 2');
    expect('settings' in line && line.settings.values.get('port')?.value).toBe('1');
    expect('settings' in line && line.settings.problems).toMatchObject([{ closest: '--port' }]);
  });
});

describe('refused:', () => {
  test.each([
    ['', 'Name a command.'],
    ['fed lion', 'There is no command "fed"; did you mean feed?'],
    ['constructor', 'There is no command "constructor".'],
    ['gate', 'There is no command "gate"; there are gate open, gate close.'],
    ['gate opne', 'There is no command "gate opne"; did you mean gate open?'],
    ['gate open wide', 'gate open: unexpected argument "wide".'],
    ['feed --at noon', 'feed: ANIMAL is missing: Who is fed.'],
    ['feed lion', 'feed: --at is missing: When.'],
    ['feed lion --at', '--at needs a value.'],
    ['feed lion --at 1 --keeper bib', '--keeper: "bib" is not one of ann, bob. Did you mean bob?'],
    ['feed lion --at 1 --keeper toString', '--keeper: "toString" is not one of ann, bob.'],
    ['gate open --at 1', 'gate open has no flag --at.'],
  ])('%s', (line, message) => {
    expect(() => read(line)).toThrow(new UsageError(message));
  });
});

describe('help', () => {
  const helpOf = (line: string) => read(line).help ?? '';

  test('of the program lists its commands, the settings with their defaults and the notes', () => {
    const text = helpOf('--help');
    expect(text).toContain('Usage: npm run zoo -- <command> [flags]');
    expect(text).toMatch(/^ {2}gate close +Close the gate$/m);
    expect(text).toMatch(/--data-dir \(DATA_DIR\) .*\[var\]/);
    expect(text.trimEnd().endsWith('TIME is a word.')).toBe(true);
  });

  test('of a group lists only its commands', () => {
    expect(helpOf('gate --help')).toContain('gate open');
    expect(helpOf('gate --help')).not.toContain('Feed an animal');
  });

  test('of a command lists operands, flags, choices, defaults and examples', () => {
    const text = helpOf('feed --help');
    expect(text).toContain(
      'Usage: npm run zoo -- feed ANIMAL [FOOD] --at TIME [--amount N] [--keeper ann|bob] [--tag TAG …] [--quiet]',
    );
    expect(text).toMatch(/--amount N +How much \[1\]/);
    expect(text).toMatch(/--at TIME +When \(required\)/);
    expect(text).toContain('npm run zoo -- feed lion --at noon');
  });

  test('lists the settings once, and says where', () => {
    for (const line of ['feed --help', 'gate --help']) {
      expect(helpOf(line)).not.toContain('(DATA_DIR)');
      expect(helpOf(line)).toContain('npm run zoo -- --help');
    }
  });

  test('of a command that does not exist is refused', () => {
    expect(() => read('fed --help')).toThrow('did you mean feed?');
  });

  test('fits a terminal of 110 columns', () => {
    const usage = /^Usage:/;
    const long = ['--help', 'gate --help', 'feed --help']
      .flatMap((line) => helpOf(line).split('\n'))
      .filter((line) => line.length > 110 && !usage.test(line));
    expect(long).toEqual([]);
  });
});

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
