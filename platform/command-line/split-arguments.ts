// Splits the arguments of a program into settings, command flags and words. Settings and flags may come in any order.
import { parseArgs } from 'node:util';
import { nearestName } from '../base/nearest-name.ts';
import { CONFIG, flagName, type Layer, type SettingFlags } from '../settings/setting-layers.ts';
import { SETTINGS } from '../settings/settings.ts';
import type { SettingsProblem } from '../settings/settings-error.ts';
import type { FlagSpec } from './define-program.ts';
import { UsageError } from './usage-error.ts';

export interface SplitArguments {
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

/** `flags` contains the flags of all commands. @throws UsageError when a command flag lacks its value. */
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
