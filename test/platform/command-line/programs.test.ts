import { expect, test } from 'vitest';
import { readCommandLine } from '../../../platform/command-line/command-line.ts';
import { commandRows, PROGRAMS } from '../../docs/programs.ts';
import { SETTINGS } from '../../../platform/settings/settings.ts';
import { KEYS_TRUSTED_MS } from '../../../server/access/key-ring.ts';

/** `npm run jobs -- run --as-of x` -> the arguments after `--`. Quotes enclose one argument. */
function argumentsOf(invocation: string, example: string): string[] {
  const rest = example.slice(invocation.replace(/ --$/, '').length).replace(/^ -- /, '');
  return [...rest.matchAll(/'([^']*)'|\S+/g)].map(([text, quoted]) => quoted ?? text);
}

for (const program of PROGRAMS) {
  const { name, invocation, commands } = program;

  test(`${name}: every example is a valid command line of its command`, () => {
    for (const [command, { examples }] of Object.entries(commands)) {
      expect(examples.length).toBeGreaterThan(0);
      for (const example of examples) {
        const line = readCommandLine(program, argumentsOf(invocation, example));
        expect(line).toMatchObject({ help: null, command: { name: command }, settings: { problems: [] } });
      }
    }
  });

  test(`${name}: every command has a help text`, () => {
    for (const command of Object.keys(commands))
      expect(readCommandLine(program, [...command.split(' '), '--help']).help).toContain('Usage: npm ');
    for (const { name } of SETTINGS)
      expect(readCommandLine(program, ['--help']).help).toContain(`(${name.toUpperCase()})`);
  });

  test(`${name}: a flag has one type in all commands and the name of no setting`, () => {
    const types = new Map<string, string>();
    for (const { flags } of Object.values(commands)) {
      for (const [flag, { type }] of Object.entries(flags)) {
        expect(types.get(flag) ?? type, flag).toBe(type);
        types.set(flag, type);
      }
    }
    const settings = new Set([
      'config',
      'help',
      ...SETTINGS.map((setting) => setting.name.replaceAll('_', '-')),
    ]);
    expect([...types.keys()].filter((flag) => settings.has(flag))).toEqual([]);
  });
}

test('rows for the documentation hold every command of every program', () => {
  const rows = commandRows();
  expect(rows.map(({ program, command }) => `${program} ${command}`)).toEqual(
    PROGRAMS.flatMap(({ name, commands }) => Object.keys(commands).map((command) => `${name} ${command}`)),
  );
  expect(rows.find(({ command }) => command === 'retract')).toMatchObject({
    usage: 'npm run jobs -- retract --to VERSION',
    flags: [{ name: 'to', isRequired: true }],
  });
});

test('the help of keys says for how long a server trusts what it last read', () => {
  const text = PROGRAMS.find(({ name }) => name === 'keys')?.notes.join(' ');
  expect(text).toContain(`for ${KEYS_TRUSTED_MS / 1_000} seconds`);
});
