// One frozen settings object from defaults < configuration file < `.env` < environment < flags. Everything that is wrong is
// collected and reported together. Reads nothing itself: text and the file reader come in as arguments.
import { editDistance, nearestName } from './nearest-name.ts';
import { parseDotEnv } from './parse-dot-env.ts';
import { type Reading, readJson, readText, type SettingValue } from './read-setting.ts';
import { SETTINGS, type SettingSpec, type Settings } from './settings.ts';

export interface SettingsInput {
  /** Arguments after the program's name. */
  readonly argv: readonly string[];
  readonly env: { readonly [name: string]: string | undefined };
  /** Text of `.env`, when there is one. */
  readonly dotEnv?: string | undefined;
  /** Reads the configuration file as text; throws when it cannot be read. */
  readonly readFile: (path: string) => string;
  /** Flags that belong to the command and not to the settings, such as `as-of`; they are passed on in `rest`. */
  readonly commandFlags?: readonly string[];
}

export interface LoadedSettings {
  readonly settings: Settings;
  /** Parts of the configuration file with a shape of their own; whoever owns one checks it. */
  readonly sections: { readonly sources?: unknown; readonly policy?: unknown };
  /** Configuration file as it was named, or null. */
  readonly config_path: string | null;
  /** Positional arguments and command flags, in order. */
  readonly rest: readonly string[];
  /** Things that are allowed but look like a slip. */
  readonly warnings: readonly string[];
}

export interface SettingsProblem {
  /** For example `environment PORT`, `.env line 3`, `config.json: demo_feeds`, `flag --port`. */
  readonly where: string;
  readonly given: string;
  readonly expected: string;
  /** The known name that was probably meant, written as it is written there. */
  readonly closest: string | null;
}

export class SettingsError extends Error {
  override readonly name = 'SettingsError';
  readonly problems: readonly SettingsProblem[];

  constructor(problems: readonly SettingsProblem[]) {
    const lines = problems.map(({ where, given, expected, closest }) => {
      const hint = closest === null ? '' : `; did you mean ${closest}?`;
      return `  ${where}: ${given}; expected ${expected}${hint}`;
    });
    super(
      `The configuration has ${problems.length === 1 ? 'a problem' : `${problems.length} problems`}:\n${lines.join('\n')}`,
    );
    this.problems = problems;
  }
}

export const SECTIONS = ['sources', 'policy'] as const;
export const environmentName = (name: string) => name.toUpperCase();
export const flagName = (name: string) => `--${name.replaceAll('_', '-')}`;

const CONFIG = 'config';
const NAMES: readonly string[] = [...SETTINGS.map((spec) => spec.name), CONFIG];
const SPECS: ReadonlyMap<string, SettingSpec> = new Map(SETTINGS.map((spec) => [spec.name, spec]));

/** Settings of one origin: the texts or JSON values, keyed by setting name, and where each was written. */
type Layer = Map<string, { readonly where: string; readonly value: unknown; readonly isText: boolean }>;

/** @throws SettingsError that lists every problem of every origin. */
export function loadSettings(input: SettingsInput): LoadedSettings {
  const problems: SettingsProblem[] = [];
  const { layer: flags, rest } = readFlags(input.argv, input.commandFlags ?? [], problems);
  const environment = readEnvironment(input.env);
  const dotEnv = readDotEnv(input.dotEnv ?? '', problems);
  const config = [flags, environment, dotEnv]
    .map((layer) => layer.get(CONFIG))
    .find((entry) => entry !== undefined);
  const configPath = config === undefined ? null : String(config.value);
  const file = configPath === null ? {} : readConfigFile(configPath, input.readFile, problems);
  const layers = [
    configPath === null ? new Map() : fileLayer(configPath, file, problems),
    dotEnv,
    environment,
    flags,
  ];
  const settings = resolve(layers, problems);
  if (problems.length > 0) throw new SettingsError(problems);
  const sections = Object.fromEntries(
    SECTIONS.filter((name) => name in file).map((name) => [name, file[name]]),
  );
  return Object.freeze({
    settings,
    sections,
    config_path: configPath,
    rest,
    warnings: nearMisses(input.env),
  });
}

/** Every value given is checked, also one that a later origin overrides. */
function resolve(layers: readonly Layer[], problems: SettingsProblem[]): Settings {
  const values: Record<string, SettingValue> = {};
  for (const spec of SETTINGS) {
    const origins = [
      { where: 'default', value: spec.default, isText: true },
      ...layers.map((layer) => layer.get(spec.name)),
    ];
    for (const origin of origins) {
      if (origin === undefined) continue;
      const reading: Reading = origin.isText
        ? readText(spec, String(origin.value))
        : readJson(spec, origin.value);
      if (reading.ok) values[spec.name] = reading.value;
      else
        problems.push({
          where: origin.where,
          given: written(origin.value),
          expected: reading.expected,
          closest: null,
        });
    }
  }
  for (const [name, value] of Object.entries(values)) {
    if (typeof value === 'string' && name !== 'data_dir')
      values[name] = value.replaceAll('{data_dir}', String(values['data_dir']));
  }
  return Object.freeze(values) as unknown as Settings;
}

function readFlags(argv: readonly string[], commandFlags: readonly string[], problems: SettingsProblem[]) {
  const layer: Layer = new Map();
  const rest: string[] = [];
  const passed = new Set(commandFlags.map((flag) => flag.replace(/^-+/, '')));
  const known = [...NAMES.map(flagName), ...[...passed].map((flag) => `--${flag}`)];
  for (let index = 0; index < argv.length; index++) {
    const argument = argv[index] ?? '';
    if (argument === '--') return { layer, rest: [...rest, ...argv.slice(index + 1)] };
    const [, name, value] = /^--?([A-Za-z][^=]*)(?:=([\s\S]*))?$/.exec(argument) ?? [];
    if (name === undefined || passed.has(name)) {
      rest.push(argument);
      continue;
    }
    const setting = settingOfFlag(name);
    const where = `flag --${name}`;
    if (setting === null) {
      const closest = nearestName(`--${name}`, known);
      problems.push({
        where,
        given: 'is not a flag',
        expected: 'a setting or a flag of the command',
        closest,
      });
      if (value === undefined && !isFlag(argv[index + 1])) index++;
    } else if (value !== undefined || setting.implied !== undefined) {
      layer.set(setting.name, { where, value: value ?? setting.implied, isText: true });
    } else if (isFlag(argv[index + 1])) {
      problems.push({
        where,
        given: 'has no value',
        expected: `${flagName(setting.name)} <value>`,
        closest: null,
      });
    } else {
      layer.set(setting.name, { where, value: argv[++index], isText: true });
    }
  }
  return { layer, rest };
}

const isFlag = (argument: string | undefined) => argument === undefined || argument.startsWith('--');

/** A switch needs no value: `--demo-incidents` and `--no-demo-incidents`. */
function settingOfFlag(flag: string): { readonly name: string; readonly implied?: string } | null {
  const name = flag.replaceAll('-', '_');
  if (NAMES.includes(name)) return SPECS.get(name)?.kind === 'boolean' ? { name, implied: 'true' } : { name };
  const negated = name.replace(/^no_/, '');
  return SPECS.get(negated)?.kind === 'boolean' ? { name: negated, implied: 'false' } : null;
}

/** An empty variable counts as not set. */
function readEnvironment(env: SettingsInput['env']): Layer {
  const layer: Layer = new Map();
  for (const name of NAMES) {
    const value = env[environmentName(name)];
    if (value !== undefined && value !== '')
      layer.set(name, { where: `environment ${environmentName(name)}`, value, isText: true });
  }
  return layer;
}

function readDotEnv(text: string, problems: SettingsProblem[]): Layer {
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

function readConfigFile(path: string, readFile: SettingsInput['readFile'], problems: SettingsProblem[]) {
  const fail = (given: string, expected: string): { [key: string]: unknown } => {
    problems.push({ where: path, given, expected, closest: null });
    return {};
  };
  let text: string;
  try {
    text = readFile(path);
  } catch (cause) {
    return fail(`cannot be read (${reason(cause)})`, 'a readable file, as named by CONFIG');
  }
  try {
    const document: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
    return isRecord(document) ? document : fail(`holds ${written(document)}`, 'one JSON object');
  } catch (cause) {
    return fail(`is not JSON (${reason(cause)})`, 'one JSON object');
  }
}

function fileLayer(
  path: string,
  file: { readonly [key: string]: unknown },
  problems: SettingsProblem[],
): Layer {
  const layer: Layer = new Map();
  const known: readonly string[] = [...SPECS.keys(), ...SECTIONS];
  for (const [key, value] of Object.entries(file)) {
    if (SPECS.has(key)) layer.set(key, { where: `${path}: ${key}`, value, isText: false });
    else if (!known.includes(key)) {
      const closest = nearestName(key, known);
      problems.push({
        where: `${path}: ${key}`,
        given: 'is not a setting',
        expected: 'the name of a setting or section',
        closest,
      });
    }
  }
  return layer;
}

/** Variables that are not ours but are spelled almost like one of ours. Short names allow one slip, or HOME would look like HOST. */
function nearMisses(env: SettingsInput['env']): string[] {
  const known = NAMES.map(environmentName);
  return Object.keys(env).flatMap((name) => {
    const near = known.find((setting) => {
      const most = setting.length < 6 ? 1 : 2;
      return Math.abs(name.length - setting.length) <= most && editDistance(name, setting) <= most;
    });
    return near === undefined || near === name
      ? []
      : [`environment ${name} is not a setting; did you mean ${near}?`];
  });
}

const isRecord = (value: unknown): value is { readonly [key: string]: unknown } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const reason = (cause: unknown) => (cause instanceof Error ? cause.message : String(cause));

function written(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return `${text.length > 80 ? `${text.slice(0, 80)}…` : text} given`;
}
