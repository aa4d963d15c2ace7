// What the `sources` section of a configuration file may contain. All problems are reported together: the key, what was given, what was
// expected, and the known name that was probably meant.
import { type Static, Strict, type TSchema, Type } from '../../../schemas/define.ts';
import { nearestName } from '../../../platform/base/nearest-name.ts';
import { type SettingsProblem, written } from '../../../platform/settings/settings-error.ts';
import { errorsOf } from '../../../schemas/validator.ts';
import { deliveredFields, type RawField, type RawTable } from '../../define/raw-table.ts';
import type { FieldMapping } from '../../define/source.ts';

const Opt = Type.Optional;
const Name = (description: string) => Type.String({ minLength: 1, description });

const TimeForm = Type.String({ pattern: '^(unix_s|unix_ms|unix_us|unix_ns|iso8601|.*%.*)$' });

/** How one raw field is read from a record; a plain column name is short for `{"from": name}`. */
export const FieldSection = Strict({
  from: Opt(
    Type.Union([Name('a column'), Type.Array(Name('a column'), { minItems: 1 })], {
      description: 'a column or dotted path, or a list of them, of which the first that is not empty is used',
    }),
  ),
  document: Opt(Name('a dotted path from the root of the JSON document')),
  value: Opt(
    Type.Union([Type.String(), Type.Number(), Type.Boolean()], {
      description: 'a constant: text, a number, true or false',
    }),
  ),
  time: Opt(
    Type.Union([TimeForm, Type.Array(TimeForm, { minItems: 1 })], {
      description:
        'unix_s, unix_ms, unix_us, unix_ns, iso8601 or a strptime pattern such as %d/%m/%Y %H:%M, or a list of them, of which the first that parses a value is used',
    }),
  ),
  number: Opt(Type.Enum(['plain', 'thousands', 'european', 'scientific'])),
  scale: Opt(
    Type.Union([Type.Number({ exclusiveMinimum: 0 }), Type.Literal('decimals')], {
      description: 'a factor greater than 0, or "decimals" for ten to the power of the field decimals',
    }),
  ),
  replace: Opt(
    Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()]), {
      description: 'an object that maps whole values to their replacements, null for no value',
    }),
  ),
  prefix: Opt(Type.String({ minLength: 1, maxLength: 64, description: 'text of 1 to 64 characters' })),
});

const Value = Type.Union([Type.String(), Type.Number(), Type.Boolean()]);
const Values = Type.Union([Value, Type.Array(Value, { minItems: 1 })]);
const Format = Type.Enum(['csv', 'ndjson', 'json', 'parquet']);
const Delimiter = Type.String({ minLength: 1, maxLength: 1, description: 'one character' });
const Records = Type.String({ description: 'the dotted path of the array of records in a JSON document' });

const JoinSection = Strict({
  path: Name('a path, relative to the configuration file'),
  format: Format,
  delimiter: Opt(Delimiter),
  records: Opt(Records),
  as: Type.String({
    pattern: '^[a-z][a-z0-9_]{0,31}$',
    description: 'a name of a-z, 0-9, _ that prefixes its columns in mappings: `<as>.<column>`',
  }),
  on: Type.Record(Type.String({ minLength: 1 }), Name('a column'), {
    minProperties: 1,
    description: 'an object that maps columns of the file to the matching columns of the joined file',
  }),
  missing: Opt(Type.Enum(['quarantine', 'filter', 'keep'])),
});

/** One source. `fields` is checked against its raw table, field by field. */
export const SourceSection = Strict({
  table: Name('a raw table'),
  path: Name('a path or glob, relative to the configuration file'),
  format: Format,
  delimiter: Opt(Delimiter),
  records: Opt(Records),
  where: Opt(
    Type.Record(Type.String({ minLength: 1 }), Type.Union([Values, Strict({ not: Values })]), {
      minProperties: 1,
      description:
        'an object that maps columns to the required value, a list of allowed values, or {"not": …}; an empty cell is ""',
    }),
  ),
  join: Opt(JoinSection),
  name: Name('a name to show'),
  url: Opt(Type.String({ pattern: '^https?://', description: 'an http or https address' })),
  license: Opt(Name('an SPDX id, or the wording of the source')),
  chain: Opt(Name('a chain name')),
  expects: Opt(
    Type.Object(
      {
        subjects: Opt(Type.Array(Name('a subject'), { minItems: 1 })),
        since: Opt(Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' })),
      },
      {
        additionalProperties: false,
        description:
          'an object with subjects, a list of the subjects that it delivers, and since, the day YYYY-MM-DD from which each has rows',
      },
    ),
  ),
  fields: Type.Object({}, { description: 'an object that maps each raw field to where it comes from' }),
});
export type SourceSection = Static<typeof SourceSection>;

type Members = Readonly<Record<string, unknown>>;

export const isRecord = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const SOURCE_ID = /^[a-z0-9][a-z0-9_.-]{0,63}$/;

/** Every problem of the section, in its order. */
export function problemsOfSources(section: unknown, rawTables: readonly RawTable[]): SettingsProblem[] {
  if (!isRecord(section) || Object.keys(section).length === 0)
    return [problem('sources', written(section), 'an object with at least one source')];
  return Object.entries(section).flatMap(([id, source]) => problemsOfSource(id, source, rawTables));
}

function problemsOfSource(id: string, source: unknown, rawTables: readonly RawTable[]): SettingsProblem[] {
  const where = `sources.${id}`;
  const problems = problemsOfShape(where, source, SourceSection);
  if (!SOURCE_ID.test(id))
    problems.push(
      problem(where, `the id ${JSON.stringify(id)}`, 'an id of a-z, 0-9, _ . -, at most 64 characters'),
    );
  if (!isRecord(source)) return problems;
  const { table: wanted, fields } = source;
  if (typeof wanted !== 'string' || wanted === '') return problems;
  problems.push(...problemsOfJoin(where, source));
  const table = rawTables.find(({ name }) => name === wanted);
  if (table !== undefined)
    return isRecord(fields)
      ? [
          ...problems,
          ...problemsOfDocument(where, source),
          ...problemsOfFields(`${where}.fields`, fields, table),
        ]
      : problems;
  const names = rawTables.map(({ name }) => name);
  problems.push(
    problem(`${where}.table`, written(wanted), `one of ${names.join(', ')}`, nearestName(wanted, names)),
  );
  return problems;
}

/** A joined file from which no field is read is a mistake, most likely in its name. */
function problemsOfJoin(where: string, { join, fields, where: filter }: Members): SettingsProblem[] {
  if (!isRecord(join) || typeof join['as'] !== 'string' || !isRecord(fields)) return [];
  const mark = `${join['as']}.`;
  const sources = Object.values(fields).flatMap((mapping) =>
    isRecord(mapping) ? [mapping['from']].flat() : mapping,
  );
  const columns = [...sources, ...(isRecord(filter) ? Object.keys(filter) : [])];
  if (columns.some((name) => typeof name === 'string' && name.startsWith(mark))) return [];
  return [
    problem(`${where}.join.as`, written(join['as']), `a field or a filter that uses a column "${mark}…"`),
  ];
}

/** Only a JSON document has values shared by all of its rows. */
function problemsOfDocument(where: string, { format, fields, join }: Members): SettingsProblem[] {
  if (!isRecord(fields) || (format === 'json' && join === undefined)) return [];
  return Object.entries(fields).flatMap(([name, mapping]) =>
    isRecord(mapping) && 'document' in mapping
      ? [
          problem(
            `${where}.fields.${name}.document`,
            written(mapping['document']),
            'format json without a join',
          ),
        ]
      : [],
  );
}

function problemsOfFields(where: string, fields: Members, table: RawTable): SettingsProblem[] {
  const delivered = deliveredFields(table);
  const names = delivered.map(({ name }) => name);
  const problems = Object.entries(fields).flatMap(([name, mapping]) => {
    const field = [...delivered, ...table.fields].find((one) => one.name === name);
    if (field === undefined) {
      return [
        problem(
          `${where}.${name}`,
          'an unknown field',
          `one of ${names.join(', ')}`,
          nearestName(name, names),
        ),
      ];
    }
    if (!delivered.includes(field))
      return [
        problem(
          `${where}.${name}`,
          'a computed field',
          `nothing: it is ${field.computed ?? 'computed from the other fields'}`,
        ),
      ];
    return problemsOfField(`${where}.${name}`, mapping, field);
  });
  problems.push(...problemsOfScale(where, fields, delivered), ...problemsOfComputed(where, fields, table));
  for (const field of delivered) {
    if (!field.required || field.name in fields) continue;
    problems.push(
      problem(
        `${where}.${field.name}`,
        'nothing given',
        `a column or a constant: ${table.name} requires it (${field.description})`,
      ),
    );
  }
  return problems;
}

/** A BIGINT that holds an instant: a source may deliver it in any time format. */
export const isInstant = ({ type, name, description }: RawField): boolean =>
  type === 'BIGINT' && name.endsWith('_at') && description.includes('Unix seconds');

/** Fields from which others are computed: if none of them is mapped, every row would be rejected. */
function problemsOfComputed(where: string, fields: Members, table: RawTable): SettingsProblem[] {
  const delivered = deliveredFields(table).map(({ name }) => name);
  return table.fields.flatMap(({ name, required, computed }) => {
    if (required !== true || computed === undefined) return [];
    const names = new Set(computed.match(/[a-z_][a-z0-9_]*/g));
    const from = delivered.filter((one) => names.has(one));
    if (from.length === 0 || from.some((one) => one in fields)) return [];
    const expected = `at least one of ${from.join(', ')}: ${table.name} requires ${name}, which is computed from them`;
    return [problem(where, `nothing given for ${name}`, expected)];
  });
}

/** Only an amount can be scaled by its row's decimals, and only if the row has them. */
function problemsOfScale(where: string, fields: Members, delivered: readonly RawField[]): SettingsProblem[] {
  const hasDecimals = delivered.some(({ name }) => name === 'decimals');
  return delivered.flatMap(({ name, amount }) => {
    const mapping = fields[name];
    if (!isRecord(mapping) || mapping['scale'] !== 'decimals' || (amount !== undefined && hasDecimals))
      return [];
    const expected = 'a factor: only the amounts of a table with a field decimals are scaled by it';
    return [problem(`${where}.${name}.scale`, '"decimals"', expected)];
  });
}

function problemsOfField(where: string, mapping: unknown, field: RawField): SettingsProblem[] {
  if (typeof mapping === 'string') return mapping === '' ? [problem(where, '""', 'a column')] : [];
  const shape = problemsOfShape(where, mapping, FieldSection);
  if (shape.length > 0) return shape;
  const { from, document, value, time, scale, prefix } = mapping as FieldMapping;
  const problems: SettingsProblem[] = [];
  if (isInstant(field) && time === undefined && typeof value === 'string' && !/^[0-9]+$/.test(value))
    problems.push(
      problem(where, written(mapping), 'Unix seconds, or a `time` next to it that gives the format'),
    );
  if ([from, document, value].filter((one) => one !== undefined).length !== 1)
    problems.push(problem(where, written(mapping), 'exactly one of from, document and value'));
  if (time !== undefined && field.type !== 'BIGINT' && field.type !== 'VARCHAR')
    problems.push(problem(`${where}.time`, written(time), `nothing: ${field.name} is ${field.type}`));
  if (prefix !== undefined && (field.type !== 'VARCHAR' || field.amount !== undefined)) {
    const kind = field.amount === undefined ? field.type : 'an exact number';
    problems.push(problem(`${where}.prefix`, written(prefix), `nothing: ${field.name} is ${kind}`));
  }
  if (scale !== undefined && field.type === 'BOOLEAN')
    problems.push(problem(`${where}.scale`, written(scale), 'nothing: it is true or false'));
  return problems;
}

/** Unknown, missing and wrong members of an object, each with what was expected. */
export function problemsOfShape(
  where: string,
  given: unknown,
  schema: {
    readonly properties: { readonly [key: string]: TSchema & { readonly description?: string } };
    readonly required?: readonly string[] | undefined;
  },
): SettingsProblem[] {
  const known = Object.keys(schema.properties);
  if (!isRecord(given)) return [problem(where, written(given), `an object with ${known.join(', ')}`)];
  const unknown = Object.keys(given).filter((key) => !known.includes(key));
  const problems = unknown.map((key) =>
    problem(`${where}.${key}`, 'an unknown key', `one of ${known.join(', ')}`, nearestName(key, known)),
  );
  for (const [key, property] of Object.entries(schema.properties)) {
    const value = given[key];
    if (value === undefined && schema.required?.includes(key) === true) {
      problems.push(problem(`${where}.${key}`, 'nothing given', describe(property)));
    } else if (value !== undefined && 'properties' in property && key === 'join') {
      problems.push(...problemsOfShape(`${where}.join`, value, JoinSection));
    } else if (value !== undefined && errorsOf(property, value).length > 0) {
      problems.push(...problemsWithin(`${where}.${key}`, value, property));
    }
  }
  return problems;
}

/** What is wrong in a member: the parts of it that are, if these can be named, else the whole of it. */
function problemsWithin(where: string, given: unknown, schema: TSchema): SettingsProblem[] {
  const { properties, required, items } = schema as PartialSchema;
  const whole = problem(where, written(given), describe(schema as PartialSchema));
  if (properties !== undefined && isRecord(given)) {
    const parts = problemsOfShape(where, given, { properties, required });
    return parts.length > 0 ? parts : [whole];
  }
  if (items === undefined || !Array.isArray(given)) return [whole];
  const parts = given.flatMap((item, index) =>
    errorsOf(items, item).length === 0 ? [] : problemsWithin(`${where}[${index}]`, item, items),
  );
  return parts.length > 0 ? parts : [whole];
}

interface PartialSchema {
  readonly properties?: { readonly [key: string]: TSchema & { readonly description?: string } };
  readonly required?: readonly string[];
  readonly items?: TSchema;
  readonly description?: string;
}

function describe(schema: { description?: string; enum?: readonly unknown[] }): string {
  return schema.description ?? `one of ${(schema.enum ?? []).join(', ')}`;
}

const problem = (
  where: string,
  given: string,
  expected: string,
  closest: string | null = null,
): SettingsProblem => ({
  where,
  given,
  expected,
  closest,
});
