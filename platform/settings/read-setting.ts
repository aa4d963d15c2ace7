// Turns one given value into the value of a setting, or states what was expected. Flags, the environment and `.env` provide text; the
// configuration file provides JSON values.
import type { SettingSpec } from './setting-spec.ts';

export type SettingValue = string | number | boolean;

export type Reading =
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

/** Reads a value written as text. */
export function readText(spec: SettingSpec, text: string): Reading {
  if (spec.kind === 'boolean') return readJson(spec, BOOLEAN_WORDS.get(text.trim().toLowerCase()));
  if (spec.kind === 'integer' || spec.kind === 'number') {
    return readJson(spec, PLAIN_NUMBER.test(text.trim()) ? Number(text) : undefined);
  }
  return readJson(spec, text);
}

/** Reads a value from a JSON document. */
export function readJson(spec: SettingSpec, value: unknown): Reading {
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
