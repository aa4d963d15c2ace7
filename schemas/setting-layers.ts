// The names a setting goes by, and what each origin that is plain text says: flags, environment and `.env`.
import { editDistance, nearestName } from './nearest-name.ts';
import { parseDotEnv } from './parse-dot-env.ts';
import { SETTINGS } from './settings.ts';
import { type SettingsProblem, written } from './settings-error.ts';

/** What one origin says, keyed by setting name, and where each value was written. */
export type Layer = Map<
  string,
  { readonly where: string; readonly value: unknown; readonly isText: boolean }
>;

export interface Environment {
  readonly [name: string]: string | undefined;
}

/** Names the configuration file; it is not a setting itself. */
export const CONFIG = 'config';
export const environmentName = (name: string) => name.toUpperCase();
export const flagName = (name: string) => `--${name.replaceAll('_', '-')}`;

const NAMES: readonly string[] = [...SETTINGS.map((spec) => spec.name), CONFIG];
const SWITCHES: readonly string[] = SETTINGS.filter((spec) => spec.kind === 'boolean').map(
  (spec) => spec.name,
);

/** Takes the settings' flags out of `argv`; positional arguments and the command's own flags stay in `rest`. */
export function readFlags(
  argv: readonly string[],
  commandFlags: readonly string[],
  problems: SettingsProblem[],
) {
  const layer: Layer = new Map();
  const rest: string[] = [];
  const passed = commandFlags.map((flag) => flag.replace(/^-+/, ''));
  for (let index = 0; index < argv.length; index++) {
    const argument = argv[index] ?? '';
    if (argument === '--') return { layer, rest: [...rest, ...argv.slice(index + 1)] };
    const [, name, value] = /^--?([A-Za-z][^=]*)(?:=([\s\S]*))?$/.exec(argument) ?? [];
    if (name === undefined || passed.includes(name)) {
      rest.push(argument);
      continue;
    }
    const setting = settingOfFlag(name);
    const where = `flag ${argument.replace(/=[\s\S]*/, '')}`;
    const following = value ?? setting?.implied ?? valueAfter(argv, index);
    if (value === undefined && setting?.implied === undefined && following !== undefined) index++;
    if (setting === null) problems.push(unknownFlag(where, name, passed));
    else if (following !== undefined) layer.set(setting.name, { where, value: following, isText: true });
    else
      problems.push({
        where,
        given: 'has no value',
        expected: `${flagName(setting.name)} <value>`,
        closest: null,
      });
  }
  return { layer, rest };
}

function unknownFlag(where: string, name: string, passed: readonly string[]): SettingsProblem {
  const closest = nearestName(flagName(name), [...NAMES, ...passed].map(flagName));
  return { where, given: 'is not known', expected: 'a setting or a flag of the command', closest };
}

function valueAfter(argv: readonly string[], index: number): string | undefined {
  const next = argv[index + 1];
  return next?.startsWith('--') ? undefined : next;
}

/** A switch needs no value: `--demo-incidents` and `--no-demo-incidents`. */
function settingOfFlag(flag: string): { readonly name: string; readonly implied?: string } | null {
  const name = flag.replaceAll('-', '_');
  if (NAMES.includes(name)) return SWITCHES.includes(name) ? { name, implied: 'true' } : { name };
  const negated = name.replace(/^no_/, '');
  return SWITCHES.includes(negated) ? { name: negated, implied: 'false' } : null;
}

/** An empty variable counts as not set. */
export function readEnvironment(env: Environment): Layer {
  const layer: Layer = new Map();
  for (const name of NAMES) {
    const value = env[environmentName(name)];
    if (value !== undefined && value !== '')
      layer.set(name, { where: `environment ${environmentName(name)}`, value, isText: true });
  }
  return layer;
}

export function readDotEnv(text: string, problems: SettingsProblem[]): Layer {
  const layer: Layer = new Map();
  const { entries, unreadable } = parseDotEnv(text);
  for (const { line, text: given } of unreadable) {
    problems.push({
      where: `.env line ${line}`,
      given: written(given),
      expected: 'NAME=value',
      closest: null,
    });
  }
  for (const { line, name, value } of entries) {
    const setting = NAMES.find((known) => environmentName(known) === name);
    if (setting === undefined) {
      const closest = nearestName(name, NAMES.map(environmentName));
      problems.push({
        where: `.env line ${line}`,
        given: `${name} is not a setting`,
        expected: 'the name of a setting',
        closest,
      });
    } else if (value !== '') {
      layer.set(setting, { where: `.env line ${line} ${name}`, value, isText: true });
    }
  }
  return layer;
}

/** Variables that are not ours but are spelled almost like one of ours. Short names allow one slip, or HOME would look like HOST. */
export function nearMisses(env: Environment): string[] {
  const known = NAMES.map(environmentName);
  const others = Object.keys(env).filter((name) => !known.includes(name));
  return others.flatMap((name) => {
    const near = known.find((setting) => {
      const most = setting.length < 6 ? 1 : 2;
      return Math.abs(name.length - setting.length) <= most && editDistance(name, setting) <= most;
    });
    return near === undefined ? [] : [`environment ${name} is not a setting; did you mean ${near}?`];
  });
}
