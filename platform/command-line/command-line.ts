// Parses the command line of a program: the command, its words and flags, and the settings given as flags.
import { nearestName } from '../base/nearest-name.ts';
import type { SettingFlags } from '../settings/setting-layers.ts';
import type { CommandSpec, FlagSpec, ParsedCommand, ProgramSpec } from './define-program.ts';
import { commandHelp, groupHelp, isOnlyCommand, programHelp } from './help.ts';
import { type SplitArguments, splitArguments } from './split-arguments.ts';
import { UsageError } from './usage-error.ts';

export type CommandLine<P extends ProgramSpec> =
  | { readonly help: string }
  | { readonly help: null; readonly command: ParsedCommand<P>; readonly settings: SettingFlags };

type FlagTable = CommandSpec['flags'];

/** `argv` are the arguments after the program's name. @throws UsageError */
export function readCommandLine<P extends ProgramSpec>(program: P, argv: readonly string[]): CommandLine<P> {
  const split = splitArguments(argv, flagsOf(program));
  if (split.isHelp) return { help: helpFor(program, split.operands) };
  const { name, spec, operands } = findCommand(program, split.operands);
  checkOperands(name, spec, operands);
  const flags = valuesOf(name, spec.flags, split.flags);
  return {
    help: null,
    command: { name, flags, operands } as unknown as ParsedCommand<P>,
    settings: split.settings,
  };
}

/** The flags of all commands. A flag has the same type in every command. */
const flagsOf = ({ commands }: ProgramSpec): FlagTable =>
  Object.assign({}, ...Object.values(commands).map(({ flags }) => flags));

/** Help for the named command, for all commands that start with the word, or for the program. */
function helpFor(program: ProgramSpec, operands: readonly string[]): string {
  const [first] = operands;
  if (first === undefined && !isOnlyCommand(program)) return programHelp(program);
  const group = Object.keys(program.commands).filter((name) => name.startsWith(`${first} `));
  if (group.length > 0 && operands.length === 1) return groupHelp(program, group);
  const { name, spec } = findCommand(program, operands);
  return commandHelp(program, name, spec);
}

interface CommandMatch {
  readonly name: string;
  readonly spec: CommandSpec;
  /** The arguments after the name. */
  readonly operands: readonly string[];
}

/** A command name has one or two words. */
function findCommand(program: ProgramSpec, operands: readonly string[]): CommandMatch {
  const { commands, defaultCommand } = program;
  if (operands.length === 0) {
    const spec = defaultCommand === null ? undefined : commands[defaultCommand];
    if (defaultCommand !== null && spec !== undefined) return { name: defaultCommand, spec, operands };
    throw new UsageError('Name a command.');
  }
  for (const length of [2, 1]) {
    const name = operands.slice(0, length).join(' ');
    const spec = Object.hasOwn(commands, name) ? commands[name] : undefined;
    if (spec !== undefined) return { name, spec, operands: operands.slice(length) };
  }
  throw new UsageError(noSuchCommand(Object.keys(commands), operands));
}

function noSuchCommand(names: readonly string[], [first = '', second]: readonly string[]): string {
  const isGroup = names.some((name) => name.startsWith(`${first} `));
  const given = isGroup && second !== undefined ? `${first} ${second}` : first;
  const group = isGroup ? names.filter((name) => name.startsWith(`${first} `)) : names;
  const closest = nearestName(given, group);
  if (closest !== null) return `There is no command "${given}"; did you mean ${closest}?`;
  // The usage text printed below the message lists all commands.
  if (!isGroup) return `There is no command "${given}".`;
  return `There is no command "${given}"; there ${group.length === 1 ? 'is' : 'are'} ${group.join(', ')}.`;
}

function checkOperands(name: string, { operands: specs }: CommandSpec, operands: readonly string[]): void {
  if (operands.length > specs.length)
    throw new UsageError(`${name}: unexpected argument "${operands.at(-1)}".`);
  const missing = specs.slice(operands.length).find(({ isRequired }) => isRequired);
  if (missing !== undefined)
    throw new UsageError(`${name}: ${missing.name} is missing: ${missing.description}.`);
}

function valuesOf(
  command: string,
  specs: FlagTable,
  given: SplitArguments['flags'],
): { readonly [name: string]: unknown } {
  for (const { name } of given)
    if (!Object.hasOwn(specs, name)) throw new UsageError(noSuchFlag(command, name, Object.keys(specs)));
  return Object.fromEntries(
    Object.entries(specs).map(([name, spec]) => {
      const values = given.filter((one) => one.name === name).map(({ value }) => value);
      return [name, flagValue({ command, name, spec }, values)];
    }),
  );
}

function noSuchFlag(command: string, name: string, known: readonly string[]): string {
  const closest = nearestName(name, known);
  return `${command} has no flag --${name}${closest === null ? '.' : `; did you mean --${closest}?`}`;
}

/** When a flag that is not repeatable is given several times, the last value applies. */
function flagValue(
  { command, name, spec }: { readonly command: string; readonly name: string; readonly spec: FlagSpec },
  values: readonly (string | null)[],
): unknown {
  if (spec.type === 'boolean') return values.length > 0;
  for (const given of values) checkChoice(name, spec, given ?? '');
  if (spec.isRepeatable) return values;
  const value = values.at(-1) ?? spec.default;
  if (value === undefined && spec.isRequired)
    throw new UsageError(`${command}: --${name} is missing: ${spec.description}.`);
  return value;
}

function checkChoice(name: string, { choices }: FlagSpec, given: string): void {
  if (choices === undefined || choices.includes(given)) return;
  const closest = nearestName(given, choices);
  const hint = closest === null ? '' : ` Did you mean ${closest}?`;
  throw new UsageError(`--${name}: "${given}" is not one of ${choices.join(', ')}.${hint}`);
}
