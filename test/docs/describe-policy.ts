// The policy as rows of a table for the documentation: name, type, default, limits, description.
import { policySchema } from '../../jobs/define/policy/load.ts';
import { expectedOf, keyword, membersOf } from '../../jobs/define/policy/schema.ts';
import { definitionsOf } from '../../jobs/policies.ts';
import type { TSchema } from '../../schemas/define.ts';

export interface PolicyDescription {
  /** Dotted name in the `policy` section; `[]` stands for each entry of a list, `*` for each name of a map. */
  readonly name: string;
  readonly type: string;
  /** As JSON; null for members of entries, which are optional. */
  readonly default: string | null;
  readonly limits: string;
  readonly description: string;
}

/** The policy of the service. */
export const describedPolicy = (): readonly PolicyDescription[] =>
  describePolicy(policySchema(definitionsOf()));

/** A row for each value that configuration may change, in the order of the definitions. */
export function describePolicy(schema: TSchema, name = ''): readonly PolicyDescription[] {
  if (keyword(schema, 'readOnly') === true) return [];
  const members = membersOf(schema);
  if (members !== undefined)
    return members.flatMap(([member, own]) => describePolicy(own, dotted(name, member)));
  return [rowOf(schema, name), ...partsOf(schema, name)];
}

/** Members of the entries of a list, and values of a map. */
function partsOf(schema: TSchema, name: string): readonly PolicyDescription[] {
  const items = keyword(schema, 'items');
  if (isSchema(items)) return describePolicy(items, `${name}[]`).map(withoutDefault);
  const values = Object.values(
    (keyword(schema, 'patternProperties') ?? {}) as { readonly [key: string]: TSchema },
  );
  return values.flatMap((value) => describePolicy(value, `${name}.*`)).map(withoutDefault);
}

const rowOf = (schema: TSchema, name: string): PolicyDescription => ({
  name,
  type: typeOf(schema),
  default: JSON.stringify(keyword(schema, 'default') ?? null),
  limits: expectedOf(schema),
  description: String(keyword(schema, 'description') ?? ''),
});

function typeOf(schema: TSchema): string {
  if (keyword(schema, 'enum') !== undefined) return 'string';
  const alternatives = keyword(schema, 'anyOf');
  if (Array.isArray(alternatives)) return alternatives.map(typeOf).join(' or ');
  const type = String(keyword(schema, 'type'));
  return { array: 'list', object: 'map', integer: 'whole number' }[type] ?? type;
}

const withoutDefault = (row: PolicyDescription): PolicyDescription => ({ ...row, default: null });
const dotted = (name: string, member: string) => (name === '' ? member : `${name}.${member}`);
const isSchema = (value: unknown): value is TSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
