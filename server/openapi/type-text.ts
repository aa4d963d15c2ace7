// A schema of the document as a TypeScript type.
import type { OpenApiSchema } from '../../schemas/openapi30.ts';

const SCALARS: Readonly<Record<string, string>> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
};

/** `indent`: spaces in front of the line that the type begins on. */
export function typeText(schema: OpenApiSchema, indent = ''): string {
  const { $ref, nullable } = schema;
  if (typeof $ref === 'string') return `components['schemas']['${$ref.split('/').at(-1)}']`;
  const values = schema['enum'];
  const bare = Array.isArray(values)
    ? values.map((value) => literal(value)).join(' | ')
    : shape(schema, indent);
  return nullable === true && !bare.split(' | ').includes('null') ? `${bare} | null` : bare;
}

const literal = (value: unknown): string =>
  typeof value === 'string' ? quoted(value) : JSON.stringify(value);

export const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

function shape(schema: OpenApiSchema, indent: string): string {
  const { type, anyOf, oneOf, allOf, items, not } = schema;
  const several = (anyOf ?? oneOf) as readonly OpenApiSchema[] | undefined;
  if (several !== undefined) return several.map((one) => typeText(one, indent)).join(' | ');
  if (Array.isArray(allOf)) return allOf.map((one) => grouped(typeText(one, indent))).join(' & ');
  if (not !== undefined) return 'never';
  if (type === 'array') return `${grouped(typeText((items ?? {}) as OpenApiSchema, indent))}[]`;
  if (type === 'object') return objectText(schema, indent);
  return SCALARS[String(type)] ?? 'unknown';
}

const grouped = (text: string): string => (/ [|&] /.test(text) && !text.startsWith('{') ? `(${text})` : text);

function objectText({ properties, required, additionalProperties }: OpenApiSchema, indent: string): string {
  const needed = new Set((required ?? []) as readonly string[]);
  const members = Object.entries((properties ?? {}) as Record<string, OpenApiSchema>).map(([name, member]) =>
    memberText({ name, member, isRequired: needed.has(name) }, `${indent}  `),
  );
  if (additionalProperties !== false && additionalProperties !== undefined) {
    const values =
      members.length > 0 || additionalProperties === true
        ? 'unknown'
        : typeText(additionalProperties as OpenApiSchema, `${indent}  `);
    members.push(`${indent}  readonly [name: string]: ${values};\n`);
  }
  return members.length === 0 ? 'Record<string, never>' : `{\n${members.join('')}${indent}}`;
}

interface Member {
  readonly name: string;
  readonly member: OpenApiSchema;
  readonly isRequired: boolean;
}

function memberText({ name, member, isRequired }: Member, indent: string): string {
  const { description } = member;
  const comment = typeof description === 'string' ? `${indent}/** ${commented(description)} */\n` : '';
  return `${comment}${indent}readonly ${propertyName(name)}${isRequired ? '' : '?'}: ${typeText(member, indent)};\n`;
}

export const commented = (text: string): string => text.replaceAll('*/', '*\\/').replace(/\s+/g, ' ');

export const propertyName = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : quoted(name));
