// Parses the command line of a program: the command, its words and flags, and the settings given as flags.

import { parseArgs } from 'node:util';
import { nearestName } from '../base/nearest-name.ts';
import { CONFIG, flagName, type Layer, type SettingFlags } from '../settings/setting-layers.ts';
import { SETTINGS } from '../settings/settings.ts';
import type { SettingsProblem } from '../settings/settings-error.ts';
import type { CommandSpec, FlagSpec, ParsedCommand, ProgramSpec } from './define-program.ts';
import { commandHelp, groupHelp, isOnlyCommand, programHelp } from './help.ts';
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

interface SplitArguments {
  readonly settings: SettingFlags;
  /** Command flags in the order given; a boolean has the value null. */
  readonly flags: readonly { readonly name: string; readonly value: string | null }[];
  readonly operands: readonly string[];
  readonly isHelp: boolean;
}

type Flags = { readonly [name: string]: Pick<FlagSpec, 'type'> };
type Option = Extract<ReturnType<typeof parse>[number], { kind: 'option' }>;

/** Maps `data-dir` and `data_dir` to the setting they set. */
const SETTING_FLAGS: ReadonlyMap<string, { readonly name: string; readonly type: FlagSpec['type'] }> =
  new Map(
    [...SETTINGS, { name: CONFIG, kind: 'string' }].flatMap(({ name, kind }) => {
      const entry = { name, type: kind === 'boolean' ? 'boolean' : 'string' } as const;
      return [[name, entry] as const, [name.replaceAll('_', '-'), entry] as const];
    }),
  );

const HELP: Flags = { help: { type: 'boolean' } };

/**
 * Splits the arguments of a program into settings, command flags and words. Settings and flags may come in any order. `flags` contains the
 * flags of all commands.
 * @throws UsageError when a command flag lacks its value.
 */
export function splitArguments(argv: readonly string[], flags: Flags = {}): SplitArguments {
  const values: Layer = new Map();
  const problems: SettingsProblem[] = [];
  const given: { name: string; value: string | null }[] = [];
  const operands: string[] = [];
  const unknown = new Set<string>();
  let isHelp = false;
  let isValueOfUnknown = false;
  for (const { token, argument } of tokensOf(argv, flags)) {
    if (token.kind === 'positional' && !isValueOfUnknown) operands.push(token.value);
    isValueOfUnknown = false;
    if (token.kind !== 'option') continue;
    const { name } = token;
    if (name === 'help' || argument === '-h') isHelp = true;
    else if (SETTING_FLAGS.has(name)) readSetting(token, values, problems);
    else if (Object.hasOwn(flags, name) && !isNegated(token))
      given.push({ name, value: valueOfFlag(token, flags[name]?.type) });
    else {
      unknown.add(argument);
      isValueOfUnknown = !argument.includes('=');
    }
  }
  problems.push(...[...unknown].map((argument) => unknownFlag(argument, Object.keys(flags))));
  return { settings: { values, problems }, flags: given, operands, isHelp };
}

/** Parses arguments that contain only settings. */
export const settingFlags = (...argv: readonly string[]): SettingFlags => splitArguments(argv).settings;

function parse(argv: readonly string[], flags: Flags) {
  const known = [...Object.entries({ ...HELP, ...flags }), ...SETTING_FLAGS];
  const options = Object.fromEntries(known.map(([name, { type }]) => [name, { type }]));
  const how = { strict: false, allowPositionals: true, allowNegative: true, tokens: true } as const;
  return parseArgs({ args: [...argv], options, ...how }).tokens;
}

/** Tokens, each with its argument. In `--from --to 5` the parser takes `--to` as a value; here it is the next flag. */
function* tokensOf(
  argv: readonly string[],
  flags: Flags,
): Generator<{ readonly token: ReturnType<typeof parse>[number]; readonly argument: string }> {
  for (const token of parse(argv, flags)) {
    const argument = argv[token.index] ?? '';
    if (token.kind !== 'option' || token.inlineValue || !token.value?.startsWith('--')) {
      yield { token, argument };
      continue;
    }
    yield { token: { ...token, value: undefined, inlineValue: undefined }, argument };
    yield* tokensOf(argv.slice(token.index + 1), flags);
    return;
  }
}

const isNegated = ({ rawName }: Option) => rawName.startsWith('--no-');

/** A switch is turned on by `--name`, off by `--no-name`, and set by `--name=off`. */
function readSetting(option: Option, values: Layer, problems: SettingsProblem[]): void {
  const { name = '', type = 'string' } = SETTING_FLAGS.get(option.name) ?? {};
  const where = `flag ${option.rawName}`;
  const value = option.value ?? (type === 'boolean' ? String(!isNegated(option)) : undefined);
  if (type !== 'boolean' && isNegated(option)) problems.push(unknownFlag(option.rawName, []));
  else if (value !== undefined) values.set(name, { where, value, isText: true });
  else problems.push({ where, given: 'has no value', expected: `${flagName(name)} <value>`, closest: null });
}

function valueOfFlag({ name, value }: Option, type: FlagSpec['type'] = 'string'): string | null {
  if (type === 'boolean' && value !== undefined) throw new UsageError(`--${name} takes no value.`);
  if (type === 'string' && value === undefined) throw new UsageError(`--${name} needs a value.`);
  return value ?? null;
}

function unknownFlag(argument: string, flags: readonly string[]): SettingsProblem {
  const name = argument.replace(/=[\s\S]*/, '');
  const known = [...SETTINGS.map((setting) => setting.name), CONFIG, ...flags].map(flagName);
  return {
    where: `flag ${name}`,
    given: 'is not known',
    expected: 'a setting or a flag of the command',
    closest: nearestName(name, known),
  };
}
