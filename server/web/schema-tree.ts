// A schema as an HTML list: names, types, units and limits, with nested objects collapsed.
import type { OpenApiSchema } from '../../schemas/openapi30.ts';
import type { OpenApiDocument } from '../openapi/model.ts';
import { type Html, html, prose } from './html.ts';

type Schemas = OpenApiDocument['components']['schemas'];
type Members = Readonly<Record<string, OpenApiSchema>>;

const DEEPEST = 8;

/** The schema that a reference names. */
export function resolved(schema: OpenApiSchema, schemas: Schemas): OpenApiSchema {
  const ref = schema['$ref'];
  return typeof ref === 'string' ? (schemas[ref.split('/').at(-1) ?? ''] ?? {}) : schema;
}

export function schemaTree(schema: OpenApiSchema, schemas: Schemas, depth = 0): Html {
  const { properties, required, choices } = partsOf(schema, schemas);
  if (choices.length > 0) {
    const shown = choices.map((one) => html`<li>${schemaTree(one, schemas, depth + 1)}</li>`);
    return html`<p class="type">One of:</p><ul class="tree">${shown}</ul>`;
  }
  const rows = Object.entries(properties).map(([name, member]) =>
    memberRow({ name, member, isRequired: required.has(name) }, schemas, depth),
  );
  return rows.length === 0
    ? html`<p class="type">${typeName(schema, schemas)} ${facts(resolved(schema, schemas))}</p>`
    : html`<ul class="tree">${rows}</ul>`;
}

function memberRow(
  {
    name,
    member,
    isRequired,
  }: { readonly name: string; readonly member: OpenApiSchema; readonly isRequired: boolean },
  schemas: Schemas,
  depth: number,
): Html {
  const whole = resolved(member, schemas);
  const { description } = whole;
  const head = html`<code>${name}</code> <span class="type">${typeName(member, schemas)}${isRequired ? '' : ', may be absent'}</span>
${typeof description === 'string' && html`<span class="about">${prose(description)}</span>`} ${facts(whole)}`;
  const { properties, choices } = partsOf(member, schemas);
  const isNested = Object.keys(properties).length > 0 || choices.length > 0;
  return isNested && depth < DEEPEST
    ? html`<li><details><summary>${head}</summary>${schemaTree(member, schemas, depth + 1)}</details></li>`
    : html`<li>${head}</li>`;
}

interface Parts {
  readonly properties: Members;
  readonly required: ReadonlySet<string>;
  readonly choices: readonly OpenApiSchema[];
}

/** The members of a schema: the items of a list, the values of a record, all parts of an intersection. */
function partsOf(schema: OpenApiSchema, schemas: Schemas): Parts {
  const whole = resolved(schema, schemas);
  const { items, allOf, additionalProperties: values } = whole;
  if (isSchema(items)) return partsOf(items, schemas);
  if (Array.isArray(allOf)) return merged(allOf.map((part: OpenApiSchema) => partsOf(part, schemas)));
  const choices = (whole['anyOf'] ?? whole['oneOf'] ?? []) as readonly OpenApiSchema[];
  if (whole['properties'] === undefined && isSchema(values)) {
    return { properties: { '<name>': values }, required: new Set(['<name>']), choices };
  }
  return {
    properties: (whole['properties'] ?? {}) as Members,
    required: new Set((whole['required'] ?? []) as readonly string[]),
    choices,
  };
}

const merged = (parts: readonly Parts[]): Parts => ({
  properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
  required: new Set(parts.flatMap(({ required }) => [...required])),
  choices: parts.flatMap(({ choices }) => choices),
});

const isSchema = (value: unknown): value is OpenApiSchema => typeof value === 'object' && value !== null;

/** `list of integer`, `text or null`. */
export function typeName(schema: OpenApiSchema, schemas: Schemas): string {
  const whole = resolved(schema, schemas);
  const { type, items, nullable, format } = whole;
  const values = whole['enum'];
  if (Array.isArray(values) && values.every((value) => value === null)) return 'null';
  if (isSchema(items)) return `list of ${typeName(items, schemas)}${nullable ? ' or null' : ''}`;
  const word =
    typeof type === 'string' ? type : whole['anyOf'] || whole['oneOf'] ? 'one of several' : 'anything';
  return `${word}${typeof format === 'string' ? ` (${format})` : ''}${nullable ? ' or null' : ''}`;
}

const LIMITS: Readonly<Record<string, string>> = {
  minimum: 'from',
  maximum: 'to',
  minLength: 'characters from',
  maxLength: 'characters to',
  minItems: 'entries from',
  maxItems: 'entries to',
  default: 'default',
};

function facts(schema: OpenApiSchema): Html {
  const values = ((schema['enum'] ?? []) as readonly unknown[]).filter((value) => value !== null);
  const limits = Object.entries(LIMITS).flatMap(([keyword, text]) =>
    schema[keyword] === undefined ? [] : `${text} ${String(schema[keyword])}`,
  );
  const example = schema['example'];
  const shown = [
    values.length > 0 &&
      html`<span class="fact">${values.map((value, i) => html`${i > 0 && ' · '}<code>${String(value)}</code>`)}</span>`,
    limits.length > 0 && html`<span class="fact">${limits.join(', ')}</span>`,
    example !== undefined &&
      html`<span class="fact">for example <code>${typeof example === 'string' ? example : JSON.stringify(example)}</code></span>`,
  ];
  return html`${shown.map((fact) => fact && html`${fact} `)}`;
}
