// What a request schema must not leave open: arrays, strings and maps without a limit, slow patterns, nesting. The query as a whole is
// bounded by the length of the URL, a body by its size; within a body every part has its own bound.
import { isUnsafePattern } from './unsafe-patterns.ts';

interface Schema {
  readonly [keyword: string]: unknown;
}

const MAX_DEPTH = 5;
const MAX_ITEMS = 1_000;
const MAX_CHARACTERS = 4_096;
const SCALARS: ReadonlySet<unknown> = new Set(['string', 'integer', 'number', 'boolean', 'null']);

/** Each open end as a sentence with its location. */
export function openEnds(
  schema: object,
  where: 'query' | 'body',
  path = where as string,
  depth = 0,
): string[] {
  const given = schema as Schema;
  const inner = (next: unknown, name: string) =>
    openEnds(next as object, where, `${path}/${name}`, depth + 1);
  if (depth > MAX_DEPTH) return [`${path} is nested too deeply`];
  if ('$ref' in given || '$recursiveRef' in given || '$dynamicRef' in given)
    return [`${path} refers to a schema`];
  const branches = (given['anyOf'] ?? given['oneOf'] ?? given['allOf']) as readonly object[] | undefined;
  if (branches !== undefined) return branches.flatMap((branch, index) => inner(branch, String(index)));
  if ('const' in given || isScalarEnum(given)) return [];
  switch (given['type']) {
    case 'array':
      return [...openArray(given, where, path), ...inner(given['items'] ?? {}, 'items')];
    case 'object':
      return [
        ...openObject(given, path),
        ...Object.entries((given['properties'] ?? {}) as object).flatMap(([name, next]) => inner(next, name)),
      ];
    case 'string':
      return openString(given, where, path);
    case 'integer':
    case 'number':
    case 'boolean':
    case 'null':
      return [];
    default:
      return [`${path} may be anything`];
  }
}

const isScalarEnum = ({ enum: values, type }: Schema): boolean =>
  Array.isArray(values) && values.length > 0 && (type === undefined || SCALARS.has(type));

function openArray(schema: Schema, where: string, path: string): string[] {
  const { maxItems, uniqueItems, items } = schema;
  const bound = typeof maxItems === 'number' ? maxItems : Number.POSITIVE_INFINITY;
  const itemType = (items as Schema | undefined)?.['type'];
  return [
    ...(where === 'body' && bound > MAX_ITEMS ? [`${path} has no maxItems up to ${MAX_ITEMS}`] : []),
    // Items without a scalar type are compared with all previous items.
    ...(uniqueItems === true && !SCALARS.has(itemType) ? [`${path} is unique without a scalar type`] : []),
  ];
}

function openObject(schema: Schema, path: string): string[] {
  const { additionalProperties, patternProperties, maxProperties } = schema;
  const isOpen = additionalProperties !== false || patternProperties !== undefined;
  return isOpen && typeof maxProperties !== 'number' ? [`${path} takes any number of members`] : [];
}

function openString({ maxLength, pattern }: Schema, where: string, path: string): string[] {
  const bound = typeof maxLength === 'number' ? maxLength : Number.POSITIVE_INFINITY;
  const longest = Math.min(bound, MAX_CHARACTERS);
  return [
    ...(where === 'body' && bound > MAX_CHARACTERS
      ? [`${path} has no maxLength up to ${MAX_CHARACTERS}`]
      : []),
    ...(typeof pattern === 'string' && isUnsafePattern(pattern, longest)
      ? [`${path} has a slow pattern`]
      : []),
  ];
}
