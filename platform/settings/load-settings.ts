// One frozen settings object from defaults < configuration file < `.env` < environment < flags. All problems are collected and reported
// together. Reads nothing itself: texts and the file reader are passed in.
import { nearestName } from '../base/nearest-name.ts';
import {
  CONFIG,
  type Environment,
  type Layer,
  nearMisses,
  readDotEnv,
  readEnvironment,
  type SettingFlags,
} from './setting-layers.ts';
import type { SettingSpec } from './setting-spec.ts';
import { SETTINGS, type Settings } from './settings.ts';
import { SettingsError, type SettingsProblem, written } from './settings-error.ts';

export { SettingsError } from './settings-error.ts';

export interface SettingsInput {
  /** Settings given on the command line. */
  readonly flags?: SettingFlags;
  readonly env: Environment;
  /** Text of `.env`, if there is one. */
  readonly dotEnv?: string | undefined;
  /** Reads the configuration file as text; throws when it cannot be read. */
  readonly readFile: (path: string) => string;
  /** Returns the problems of the sections, to be reported together with those of the settings. */
  readonly checkSections?: (sections: Sections, settings: Settings) => readonly SettingsProblem[];
}

/** Parts of the configuration file with a shape of their own; each is checked by its owner. */
export interface Sections {
  readonly sources?: unknown;
  readonly policy?: unknown;
  readonly hosts?: unknown;
}

export interface LoadedSettings {
  readonly settings: Settings;
  readonly sections: Sections;
  /** Configuration file as given, or null. */
  readonly config_path: string | null;
  /** Values that are allowed but look like a mistake. */
  readonly warnings: readonly string[];
}

export const SECTIONS = ['sources', 'policy', 'hosts'] as const;
const NO_FLAGS: SettingFlags = { values: new Map(), problems: [] };
const KNOWN_KEYS: readonly string[] = [...SETTINGS.map((spec) => spec.name), ...SECTIONS];
const SPECS: ReadonlyMap<string, SettingSpec> = new Map(SETTINGS.map((spec) => [spec.name, spec]));

/** @throws SettingsError that lists every problem of every origin. */
export function loadSettings(input: SettingsInput): LoadedSettings {
  const { values: flags, problems: wrongFlags } = input.flags ?? NO_FLAGS;
  const problems = [...wrongFlags];
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
  const sections: Sections = Object.fromEntries(
    SECTIONS.filter((name) => name in file).map((name) => [name, file[name]]),
  );
  problems.push(...(input.checkSections?.(sections, settings) ?? []));
  if (problems.length > 0) throw new SettingsError(problems);
  return Object.freeze({
    settings,
    sections,
    config_path: configPath,
    warnings: nearMisses(input.env),
  });
}

/** Checks every given value, even one that a later origin overrides. */
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
  for (const [key, value] of Object.entries(file)) {
    if (SPECS.has(key)) layer.set(key, { where: `${path}: ${key}`, value, isText: false });
    else if (!KNOWN_KEYS.includes(key)) {
      const closest = nearestName(key, KNOWN_KEYS);
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

const isRecord = (value: unknown): value is { readonly [key: string]: unknown } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const reason = (cause: unknown) => (cause instanceof Error ? cause.message : String(cause));

type SettingValue = string | number | boolean;

type Reading =
  | { readonly ok: true; readonly value: SettingValue }
  | { readonly ok: false; readonly expected: string };

/** What a setting accepts, as text: `an integer from 0 to 65535`. */
export function expectation(spec: SettingSpec): string {
  if (typeof spec.kind !== 'string') return `one of ${spec.kind.join(', ')}`;
  if (spec.kind === 'boolean') return 'true or false';
  if (spec.kind === 'string') return spec.form?.expected ?? 'text';
  const noun = spec.kind === 'integer' ? 'an integer' : 'a number';
  if (spec.min !== undefined && spec.max !== undefined) return `${noun} from ${spec.min} to ${spec.max}`;
  if (spec.min !== undefined) return `${noun} of at least ${spec.min}`;
  return spec.max === undefined ? noun : `${noun} of at most ${spec.max}`;
}

/** Reads a value written as text: in a flag, the environment or `.env`. */
function readText(spec: SettingSpec, text: string): Reading {
  if (spec.kind === 'boolean') return readJson(spec, BOOLEAN_WORDS.get(text.trim().toLowerCase()));
  if (spec.kind === 'integer' || spec.kind === 'number') {
    return readJson(spec, PLAIN_NUMBER.test(text.trim()) ? Number(text) : undefined);
  }
  return readJson(spec, text);
}

/** Reads a value of the configuration file. */
function readJson(spec: SettingSpec, value: unknown): Reading {
  return fits(spec, value) ? { ok: true, value } : { ok: false, expected: expectation(spec) };
}

const PLAIN_NUMBER = /^-?[0-9]+(\.[0-9]+)?$/;

const BOOLEAN_WORDS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['yes', true],
  ['on', true],
  ['false', false],
  ['0', false],
  ['no', false],
  ['off', false],
]);

function fits(spec: SettingSpec, value: unknown): value is SettingValue {
  if (typeof spec.kind !== 'string') return typeof value === 'string' && spec.kind.includes(value);
  if (spec.kind === 'boolean') return typeof value === 'boolean';
  if (spec.kind === 'string') {
    return (
      typeof value === 'string' &&
      (spec.form === undefined || new RegExp(`^(?:${spec.form.pattern})$`).test(value))
    );
  }
  if (typeof value !== 'number' || !Number.isFinite(value)) return false;
  if (spec.kind === 'integer' && !Number.isSafeInteger(value)) return false;
  return value >= (spec.min ?? -Infinity) && value <= (spec.max ?? Infinity);
}
