// The default policy, read from the `default` of every value in a schema.
import type { TSchema } from '../../../schemas/define.ts';
import { keyword, membersOf } from './schema.ts';

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
