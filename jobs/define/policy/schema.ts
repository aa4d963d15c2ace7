// Helpers for policy schemas: members of objects, single values, and their limits in words.
import type { TSchema } from '../../../schemas/define.ts';

type Keywords = Readonly<Record<string, unknown>>;

export const keyword = (schema: TSchema, name: string): unknown => (schema as Keywords)[name];

/** Members of an object with fixed names; undefined for everything else. */
export function membersOf(schema: TSchema): readonly (readonly [string, TSchema])[] | undefined {
  const members = keyword(schema, 'properties');
  return typeof members === 'object' && members !== null
    ? Object.entries(members as { readonly [name: string]: TSchema })
    : undefined;
}

export const isNumeric = (schema: TSchema): boolean =>
  ['number', 'integer'].includes(String(keyword(schema, 'type')));

/** The values allowed, as worded in messages and the documentation. */
export function expectedOf(schema: TSchema): string {
  const expected = keyword(schema, 'expected');
  if (typeof expected === 'string') return expected;
  const allowed = keyword(schema, 'enum');
  if (Array.isArray(allowed)) return `one of ${allowed.join(', ')}`;
  const type = String(keyword(schema, 'type'));
  if (isNumeric(schema)) return `${type === 'integer' ? 'a whole number' : 'a number'}${rangeOf(schema)}`;
  if (type === 'boolean') return 'true or false';
  return `a JSON ${type}`;
}

/** `, 0 to 1`, ` above 0, at most 1`, or nothing. */
function rangeOf(schema: TSchema): string {
  const limit = (name: string, message: string) => {
    const value = keyword(schema, name);
    return value === undefined ? [] : [`${message} ${String(value)}`];
  };
  const [min, max] = [keyword(schema, 'minimum'), keyword(schema, 'maximum')];
  if (min !== undefined && max !== undefined) return `, ${String(min)} to ${String(max)}`;
  const limits = [
    ...limit('minimum', 'at least'),
    ...limit('exclusiveMinimum', 'above'),
    ...limit('maximum', 'at most'),
    ...limit('exclusiveMaximum', 'below'),
  ];
  return limits.length === 0 ? '' : ` ${limits.join(', ')}`;
}

// The default policy, read from the `default` of every value in a schema.

/** Deeply frozen. @throws Error that names the value without a default. */
export function defaultsOf(schema: TSchema): unknown {
  return deepFreeze(defaultOf(schema, ''));
}

function defaultOf(schema: TSchema, path: string): unknown {
  const given = keyword(schema, 'default');
  if (given !== undefined) return given;
  const members = membersOf(schema);
  if (members === undefined) throw new Error(`The policy has no default for ${path || 'a section'}.`);
  return Object.fromEntries(members.map(([name, member]) => [name, defaultOf(member, `${path}.${name}`)]));
}

export function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(value).forEach(deepFreeze);
  return Object.freeze(value);
}
