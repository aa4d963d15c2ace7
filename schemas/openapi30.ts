// Converts the JSON Schema that TypeBox makes to the subset that OpenAPI 3.0 supports: no null type, no const, one example, no pattern
// properties. A keyword without an equivalent there is an error that names its place, because leaving it out would change the meaning.
import type { TSchema } from './define.ts';

export interface OpenApiSchema {
  readonly [keyword: string]: unknown;
}

/** Reference to a schema that is named elsewhere; undefined if it is to be written out. */
export type RefOf = (schema: TSchema) => string | undefined;

type Keywords = Readonly<Record<string, unknown>>;
type SchemaPath = readonly string[];

const ONLY_NULL: OpenApiSchema = { type: 'object', nullable: true, enum: [null] };

const SAME = new Set([
  'type',
  'description',
  'title',
  'format',
  'pattern',
  'default',
  'minimum',
  'maximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'uniqueItems',
  'minProperties',
  'maxProperties',
  'required',
  'enum',
]);

/** @throws Error naming the place of what OpenAPI 3.0 cannot express. */
export function openapi30(schema: TSchema, refOf: RefOf = () => undefined): OpenApiSchema {
  return convert(schema as Keywords, { refOf, path: [] });
}

interface Walk {
  readonly refOf: RefOf;
  readonly path: SchemaPath;
}

const below = ({ refOf, path }: Walk, ...names: readonly string[]): Walk => ({
  refOf,
  path: [...path, ...names],
});

function convert(schema: Keywords, walk: Walk): OpenApiSchema {
  const ref = walk.path.length === 0 ? undefined : walk.refOf(schema as TSchema);
  if (ref !== undefined) return { $ref: ref };
  if (schema['type'] === 'null') return { ...described(schema), ...ONLY_NULL };
  const { anyOf, ...rest } = schema;
  if (Array.isArray(anyOf)) return union(anyOf, rest, walk);
  const made: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(schema)) Object.assign(made, member(keyword, value, walk));
  return typed(made);
}

const described = ({ description }: Keywords): OpenApiSchema =>
  description === undefined ? {} : { description };

const isNull = (schema: Keywords): boolean => schema['type'] === 'null';

/** With null among the choices the others become nullable; a named one is written out, because a reference cannot be nullable. */
function union(choices: readonly Keywords[], rest: Keywords, walk: Walk): OpenApiSchema {
  const others = choices.filter((choice) => !isNull(choice));
  const outer = convert(rest, walk);
  const [only] = others;
  if (others.length === choices.length) {
    return { ...outer, anyOf: others.map((choice, i) => convert(choice, below(walk, 'anyOf', String(i)))) };
  }
  if (others.length === 1 && only !== undefined) return { ...nullable(only, walk), ...outer };
  return { ...outer, anyOf: others.map((choice) => nullable(choice, walk)) };
}

function nullable(schema: Keywords, walk: Walk): OpenApiSchema {
  const made = convert(schema, { ...walk, path: [] });
  const values = made['enum'];
  // Without a type every value is allowed, null included.
  if (made['type'] === undefined && values === undefined) return made;
  return { ...made, nullable: true, ...(Array.isArray(values) ? { enum: [...values, null] } : {}) };
}

function member(keyword: string, value: unknown, walk: Walk): Keywords {
  if (SAME.has(keyword) && !Array.isArray(value)) return { [keyword]: value };
  switch (keyword) {
    case 'required':
    case 'enum':
    case 'default':
      return { [keyword]: value };
    case 'const':
      return { enum: [value] };
    case 'examples':
      return { example: (value as readonly unknown[])[0] };
    case 'exclusiveMinimum':
      return { minimum: value, exclusiveMinimum: true };
    case 'exclusiveMaximum':
      return { maximum: value, exclusiveMaximum: true };
    case 'properties':
      return { properties: each(value as Record<string, Keywords>, below(walk, keyword)) };
    case 'items':
    case 'not':
      return { [keyword]: convert(value as Keywords, below(walk, keyword)) };
    case 'additionalProperties':
      return {
        [keyword]: typeof value === 'boolean' ? value : convert(value as Keywords, below(walk, keyword)),
      };
    case 'patternProperties':
      return { additionalProperties: onlyPattern(value as Record<string, Keywords>, walk) };
    case 'allOf':
    case 'oneOf':
      return {
        [keyword]: (value as Keywords[]).map((one, i) => convert(one, below(walk, keyword, String(i)))),
      };
    default:
      throw cannotSay(keyword, walk);
  }
}

const each = (properties: Record<string, Keywords>, walk: Walk): Record<string, OpenApiSchema> =>
  Object.fromEntries(
    Object.entries(properties).map(([name, one]) => [name, convert(one, below(walk, name))]),
  );

/** A record over all texts has one pattern, which every name matches. */
function onlyPattern(patterns: Record<string, Keywords>, walk: Walk): OpenApiSchema | true {
  const [first, ...others] = Object.entries(patterns);
  if (first === undefined || others.length > 0 || first[0] !== '^.*$')
    throw cannotSay('patternProperties', walk);
  const value = convert(first[1], below(walk, 'patternProperties'));
  return Object.keys(value).length === 0 ? true : value;
}

/** `Type.Enum` leaves the type to the values; OpenAPI requires it. */
function typed(made: Keywords): OpenApiSchema {
  const values = made['enum'];
  if (made['type'] !== undefined || !Array.isArray(values)) return made;
  const types = new Set(values.map((value) => typeof value));
  const [type] = types;
  return types.size === 1 && type !== undefined ? { type, ...made } : made;
}

const cannotSay = (keyword: string, { path }: Walk): Error =>
  new Error(`OpenAPI 3.0 has no form for "${keyword}" at ${path.join('.') || 'the top'}.`);
