// Canonical JSON: members sorted by UTF-16 code unit, no white space, numbers as JavaScript writes them. The same value yields the
// same bytes on any machine; what JSON cannot represent (NaN, undefined, dates, …) is refused instead of silently changed.
import { createHash, hash } from 'node:crypto';
import { RefusedInputError } from './errors.ts';

/** Throws RefusedInputError, with the path of the offending value, for a value that is not plain JSON. */
export function canonicalJson(value: unknown): string {
  try {
    return write(value);
  } catch (error) {
    // The only RangeError is that of the stack. JSON.parse has none, so a text may be nested deeper than can be written.
    if (error instanceof RangeError)
      throw new RefusedInputError('Not JSON: it is nested too deeply.', { cause: error });
    if (!(error instanceof NotJson)) throw error;
    throw new RefusedInputError(`Not JSON at ${offenderPath(value, '$')}: ${error.message}.`, {
      cause: error,
    });
  }
}

export const sha256Hex = (bytes: string | Uint8Array): string => hash('sha256', bytes, 'hex');

export function sha256HexOf(chunks: readonly Uint8Array[]): string {
  const digest = createHash('sha256');
  for (const chunk of chunks) digest.update(chunk);
  return digest.digest('hex');
}

class NotJson extends Error {}

function write(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return quote(value);
    case 'number':
      if (!Number.isFinite(value)) throw new NotJson(`the number ${value}`);
      return `${value}`;
    case 'boolean':
      return value ? 'true' : 'false';
    case 'object':
      if (value === null) return 'null';
      return Array.isArray(value) ? writeArray(value) : writeObject(value);
    default:
      throw new NotJson(value === undefined ? 'an undefined value' : `a ${typeof value}`);
  }
}

// A loop, because `map` skips holes.
function writeArray(items: readonly unknown[]): string {
  let text = '[';
  for (let i = 0; i < items.length; i++) text += i === 0 ? write(items[i]) : `,${write(items[i])}`;
  return `${text}]`;
}

function writeObject(value: object): string {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null)
    throw new NotJson(`an instance of ${value.constructor.name}`);
  const names = Object.keys(value);
  if (names.length === 0) return '{}';
  const { sorted, heads } = shapeOf(names);
  let text = '';
  for (let i = 0; i < sorted.length; i++)
    text += `${heads[i]}${write((value as Record<string, unknown>)[sorted[i] as string])}`;
  return `${text}}`;
}

/** The members for a list of names in final order, each with the text that precedes its value. */
interface Shape {
  readonly names: readonly string[];
  readonly sorted: readonly string[];
  readonly heads: readonly string[];
}

/** Rows of a table have one shape, so sorting and quoting of names is done once for all of them. */
const shapes = new Map<string, Shape[]>();
const MAX_DRAWERS = 1_000;
const MAX_SHAPES_PER_DRAWER = 8;

function shapeOf(names: readonly string[]): Shape {
  const label = `${names.length}${names[0]}`;
  const drawer = shapes.get(label) ?? [];
  const known = drawer.find((shape) => hasNames(shape, names));
  if (known !== undefined) return known;
  const sorted = names.toSorted();
  const shape = { names, sorted, heads: sorted.map((name, i) => `${i === 0 ? '{' : ','}${quote(name)}:`) };
  if (drawer.length < MAX_SHAPES_PER_DRAWER && shapes.size < MAX_DRAWERS)
    shapes.set(label, [...drawer, shape]);
  return shape;
}

function hasNames(shape: Shape, names: readonly string[]): boolean {
  for (let i = 0; i < names.length; i++) if (shape.names[i] !== names[i]) return false;
  return true;
}

// What JSON.stringify would escape; checking first is several times faster than calling it.
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must be escaped
const ESCAPED = /["\\\u0000-\u001f\ud800-\udfff]/;

const quote = (text: string): string => (ESCAPED.test(text) ? JSON.stringify(text) : `"${text}"`);

function offenderPath(value: unknown, path: string): string {
  if (typeof value !== 'object' || value === null) return path;
  for (const [name, inner] of Object.entries(value)) {
    const innerPath = Array.isArray(value) ? `${path}[${name}]` : `${path}.${name}`;
    if (!isJson(inner)) return offenderPath(inner, innerPath);
  }
  return path;
}

function isJson(value: unknown): boolean {
  try {
    write(value);
    return true;
  } catch {
    return false;
  }
}
