// What the `policy` section of a configuration may hold: any part of the policy, each value within its own limits.
// Limits that involve several values are checked after merging, in load.ts.

import { nearestName } from '../../../platform/base/nearest-name.ts';
import { type SettingsProblem, written } from '../../../platform/settings/settings-error.ts';
import { Strict, type TSchema, Type } from '../../../schemas/define.ts';
import { errorsOf } from '../../../schemas/validator.ts';
import { expectedOf, keyword, membersOf } from './schema.ts';

/** The schema with every member optional, and without members that cannot be configured. */
export function sectionOf(schema: TSchema): TSchema {
  const members = membersOf(schema);
  if (members === undefined) return withOpenEntries(schema);
  const open = members.filter(([, member]) => keyword(member, 'readOnly') !== true);
  return Strict(Object.fromEntries(open.map(([name, member]) => [name, Type.Optional(sectionOf(member))])));
}

/** A list whose entries may omit what they inherit from the defaults. */
function withOpenEntries(schema: TSchema): TSchema {
  const items = keyword(schema, 'items');
  const members = isSchema(items) ? membersOf(items) : undefined;
  if (!members?.some(([, member]) => keyword(member, 'inherited') === true)) return schema;
  const open = members.map(([name, member]) => [
    name,
    keyword(member, 'inherited') === true ? Type.Optional(member) : member,
  ]);
  return Type.Array(Strict(Object.fromEntries(open)));
}

/** Everything in the section that is unknown or outside its limits, each with what was expected. */
export function problemsOfShape(schema: TSchema, section: unknown): SettingsProblem[] {
  const errors = errorsOf(schema, section);
  const problems = errors.map((error) => {
    const where = `policy${error.instancePath.replaceAll('/', '.')}`;
    if (error.keyword === 'additionalProperties') return unknownName(schema, where, error);
    const given = written(valueAt(section, error.instancePath));
    return { where, given, expected: describe(schema, error, errors), closest: null };
  });
  // A value that breaks two of its limits is reported once.
  return [...new Map(problems.map((one) => [`${one.where} ${one.expected}`, one])).values()];
}

type ShapeError = ReturnType<typeof errorsOf>[number];

function describe(schema: TSchema, error: ShapeError, all: readonly ShapeError[]): string {
  if (error.keyword === 'required') {
    const together = all.filter(
      ({ keyword, instancePath }) => keyword === 'required' && instancePath === error.instancePath,
    );
    return `also ${together.map(({ params }) => params['missingProperty']).join(', ')}`;
  }
  const wanted = schemaOf(schema, error);
  return isSchema(wanted) ? expectedOf(wanted) : (error.message ?? 'another value').replace(/^must be /, '');
}

/** The schema that contains the keyword whose check failed. */
const schemaOf = (schema: TSchema, { schemaPath }: ShapeError): unknown =>
  valueAt(schema, schemaPath.slice(1, schemaPath.lastIndexOf('/')));

const isSchema = (value: unknown): value is TSchema =>
  typeof value === 'object' && value !== null && ['type', 'expected', 'enum'].some((name) => name in value);

function unknownName(schema: TSchema, where: string, error: ShapeError): SettingsProblem {
  const name = String(error.params['additionalProperty']);
  const known = schemaOf(schema, error);
  const names = isSchema(known) ? (membersOf(known) ?? []).map(([member]) => member) : [];
  return {
    where: `${where}.${name}`,
    given: 'is not known here',
    // A map has no fixed names; its description says what its names are.
    expected: names.length === 0 && isSchema(known) ? expectedOf(known) : `one of ${names.join(', ')}`,
    closest: nearestName(name, names),
  };
}

/** The value at a JSON pointer, undefined when there is none. */
function valueAt(document: unknown, pointer: string): unknown {
  let value = document;
  for (const part of pointer.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}
