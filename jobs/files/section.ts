// What the `sources` section of a configuration file may hold, and everything that is wrong with one, said at once: which key, what was
// given, what was expected, which known name was probably meant.
import { Settings } from 'typebox/system';
import { Errors } from 'typebox/value';
import { type Static, Strict, Type } from '../../schemas/define.ts';
import { nearestName } from '../../schemas/nearest-name.ts';
import { type SettingsProblem, written } from '../../schemas/settings-error.ts';
import { deliveredFields, type FieldMapping, type RawField, type RawTable } from '../define.ts';

const Opt = Type.Optional;
const Name = (description: string) => Type.String({ minLength: 1, description });

const TimeForm = Type.String({ pattern: '^(unix_s|unix_ms|iso8601|.*%.*)$' });

/** How one raw field is taken from a record; a plain column name stands for `{"from": name}`. */
export const FieldSection = Strict({
  from: Opt(
    Type.Union([Name('a column'), Type.Array(Name('a column'), { minItems: 1 })], {
      description: 'a column or dotted path, or a list of them: the first that is not empty counts',
    }),
  ),
  value: Opt(
    Type.Union([Type.String(), Type.Number(), Type.Boolean()], {
      description: 'a constant: text, a number, true or false',
    }),
  ),
  time: Opt(
    Type.Union([TimeForm, Type.Array(TimeForm, { minItems: 1 })], {
      description:
        'unix_s, unix_ms, iso8601 or a strptime pattern such as %d/%m/%Y %H:%M, or a list of them: the first that reads a value counts',
    }),
  ),
  number: Opt(Type.Enum(['plain', 'thousands', 'scientific'])),
  scale: Opt(Type.Number({ exclusiveMinimum: 0, description: 'a factor greater than 0' })),
  replace: Opt(
    Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()]), {
      description: 'an object of whole values and what stands for them, null for none',
    }),
  ),
});

/** One source. `fields` is checked field by field against its raw table. */
export const SourceSection = Strict({
  table: Name('a raw table'),
  path: Name('a path or glob, relative to the configuration file'),
  format: Type.Enum(['csv', 'ndjson', 'json', 'parquet']),
  delimiter: Opt(Type.String({ minLength: 1, maxLength: 1, description: 'one character' })),
  records: Opt(Type.String({ description: 'the dotted path of the array of records in a JSON document' })),
  name: Name('a name to show'),
  url: Opt(Type.String({ pattern: '^https?://', description: 'an http or https address' })),
  license: Opt(Name('an SPDX id, or the words of the source')),
  chain: Opt(Name('a chain name')),
  fields: Type.Object({}, { description: 'an object of raw fields and where each comes from' }),
});
export type SourceSection = Static<typeof SourceSection>;

type Named = Readonly<Record<string, unknown>>;

export const isRecord = (value: unknown): value is Named =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const SOURCE_ID = /^[a-z0-9][a-z0-9_.-]{0,63}$/;

/** Every problem of the section, in its order. */
export function problemsOfSources(section: unknown, rawTables: readonly RawTable[]): SettingsProblem[] {
  const { maxErrors } = Settings.Get();
  Settings.Set({ maxErrors: 1_000 });
  try {
    if (!isRecord(section) || Object.keys(section).length === 0)
      return [problem('sources', written(section), 'an object with a source or more')];
    return Object.entries(section).flatMap(([id, source]) => problemsOfSource(id, source, rawTables));
  } finally {
    Settings.Set({ maxErrors });
  }
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
  const table = rawTables.find(({ name }) => name === wanted);
  if (table !== undefined)
    return isRecord(fields) ? [...problems, ...problemsOfFields(`${where}.fields`, fields, table)] : problems;
  const names = rawTables.map(({ name }) => name);
  problems.push(
    problem(`${where}.table`, written(wanted), `one of ${names.join(', ')}`, nearestName(wanted, names)),
  );
  return problems;
}

function problemsOfFields(where: string, fields: Named, table: RawTable): SettingsProblem[] {
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
          `nothing: it is ${field.computed ?? 'made from the others'}`,
        ),
      ];
    return problemsOfField(`${where}.${name}`, mapping, field);
  });
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

function problemsOfField(where: string, mapping: unknown, field: RawField): SettingsProblem[] {
  if (typeof mapping === 'string') return mapping === '' ? [problem(where, '""', 'a column')] : [];
  const shape = problemsOfShape(where, mapping, FieldSection);
  if (shape.length > 0) return shape;
  const { from, value, time, scale } = mapping as FieldMapping;
  const problems: SettingsProblem[] = [];
  if ((from === undefined) === (value === undefined))
    problems.push(problem(where, written(mapping), 'exactly one of from and value'));
  if (time !== undefined && field.type !== 'BIGINT')
    problems.push(problem(`${where}.time`, written(time), `nothing: ${field.name} is ${field.type}`));
  if (scale !== undefined && field.type === 'BOOLEAN')
    problems.push(problem(`${where}.scale`, written(scale), 'nothing: it is true or false'));
  return problems;
}

function problemsOfShape(
  where: string,
  given: unknown,
  schema: typeof SourceSection | typeof FieldSection,
): SettingsProblem[] {
  const known = Object.keys(schema.properties);
  if (!isRecord(given)) return [problem(where, written(given), `an object with ${known.join(', ')}`)];
  const unknown = Object.keys(given).filter((key) => !known.includes(key));
  const problems = unknown.map((key) =>
    problem(`${where}.${key}`, 'an unknown key', `one of ${known.join(', ')}`, nearestName(key, known)),
  );
  for (const [key, property] of Object.entries(schema.properties)) {
    const value = given[key];
    if (
      value === undefined &&
      key in Object.fromEntries((schema.required ?? []).map((name) => [name, true]))
    ) {
      problems.push(problem(`${where}.${key}`, 'nothing given', inWords(property)));
    } else if (value !== undefined && Errors(property, value).length > 0) {
      problems.push(problem(`${where}.${key}`, written(value), inWords(property)));
    }
  }
  return problems;
}

function inWords(schema: { description?: string; enum?: readonly unknown[] }): string {
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
