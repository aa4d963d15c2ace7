// The names of a setting in each origin, and the values from the environment and `.env`. The program's command line reads the flags.
import { editDistance, nearestName } from '../base/nearest-name.ts';
import { SETTINGS } from './settings.ts';
import { type SettingsProblem, written } from './settings-error.ts';

/** The values of one origin, keyed by setting name, and where each was written. */
export type Layer = Map<
  string,
  { readonly where: string; readonly value: unknown; readonly isText: boolean }
>;

/** The settings given as flags, and flags that cannot be used. */
export interface SettingFlags {
  readonly values: Layer;
  readonly problems: readonly SettingsProblem[];
}

export interface Environment {
  readonly [name: string]: string | undefined;
}

/** Names the configuration file; not a setting itself. */
export const CONFIG = 'config';
export const environmentName = (name: string) => name.toUpperCase();
export const flagName = (name: string) => `--${name.replaceAll('_', '-')}`;

const NAMES: readonly string[] = [...SETTINGS.map((spec) => spec.name), CONFIG];

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

/** Variables that are spelled almost like one of ours. Short names allow one edit, or HOME would look like HOST. */
export function nearMisses(env: Environment): string[] {
  const known = NAMES.map(environmentName);
  const others = Object.keys(env).filter((name) => !known.includes(name));
  return others.flatMap((name) => {
    const near = known.find((setting) => {
      const max = setting.length < 6 ? 1 : 2;
      return Math.abs(name.length - setting.length) <= max && editDistance(name, setting) <= max;
    });
    return near === undefined ? [] : [`environment ${name} is not a setting; did you mean ${near}?`];
  });
}

// Reads the text of a `.env` file: `NAME=value` lines, `export` allowed, values bare or quoted, comments after `#`. Nothing is substituted
// inside values. Parsed by hand because util.parseEnv silently drops lines that it cannot read; here they are reported with their number.

interface DotEnvLine {
  readonly line: number;
  readonly name: string;
  readonly value: string;
}

interface DotEnv {
  readonly entries: readonly DotEnvLine[];
  /** Lines that are neither an assignment nor a comment nor blank. */
  readonly unreadable: readonly { readonly line: number; readonly text: string }[];
}

const ASSIGNMENT =
  /^(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(?:"([^"]*)"|'([^']*)'|(?!["'])((?:[^\s#]|\s(?!\s*#)|(?<=\S)#)*))\s*(?:(?<=["'\s=])#.*)?$/;

export function parseDotEnv(text: string): DotEnv {
  const entries: DotEnvLine[] = [];
  const unreadable: { line: number; text: string }[] = [];
  for (const [index, raw] of text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .entries()) {
    const trimmed = raw.trim();
    if (trimmed === '' || trimmed.startsWith('#')) continue;
    const found = ASSIGNMENT.exec(trimmed);
    const name = found?.[1];
    if (found === null || name === undefined) unreadable.push({ line: index + 1, text: trimmed });
    else entries.push({ line: index + 1, name, value: (found[2] ?? found[3] ?? found[4] ?? '').trim() });
  }
  return { entries, unreadable };
}
