// No message shows a regular expression: what a text must look like is said in words with an example, for rows and for configurations.
import { expect, test } from 'vitest';
import { deliveredFields, type RawField } from '../../jobs/define/raw-table.ts';
import { limitChecks } from '../../jobs/ingest/check/checks.ts';
import { definitionsOf } from '../../jobs/policies.ts';
import { domains } from '../../jobs/registry.ts';
import { SETTINGS } from '../../platform/settings/settings.ts';

interface Form {
  readonly name: string;
  readonly pattern: string;
  readonly expected: string | undefined;
}

const rawFields: readonly Form[] = domains
  .flatMap(({ raw }) => raw)
  .flatMap((table) =>
    [...new Set<RawField>([...table.fields, ...deliveredFields(table)])].flatMap(
      ({ name, pattern, expected }) =>
        pattern === undefined ? [] : [{ name: `${table.name}.${name}`, pattern, expected }],
    ),
  );

/** Every text of the schema with a pattern, and every pattern of its member names. */
function formsIn(name: string, schema: unknown): readonly Form[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const { pattern, expected } = schema as Partial<Form>;
  const own = typeof pattern === 'string' ? [{ name, pattern, expected }] : [];
  return [...own, ...Object.entries(schema).flatMap(([key, value]) => formsIn(`${name}.${key}`, value))];
}

const policyForms = definitionsOf().flatMap(({ section, schema }) => formsIn(section, schema));
const settingForms = SETTINGS.flatMap((setting) =>
  'form' in setting ? [{ name: setting.name, ...setting.form }] : [],
);

/** What occurs in regular expressions and not in prose. */
const REGEX = /\[\^|\\[sdwSDW]|\{\d+,?\d*\}|\(\?|\]\+|\]\*|[)\]]\?|\[a-z|\[0-9|\$$/;

test.each([
  ['raw tables', rawFields],
  ['policies', policyForms],
  ['settings', settingForms],
])('every pattern of %s is described in words', (_, forms) => {
  expect(forms.length).toBeGreaterThan(5);
  const bad = forms.filter(
    ({ expected }) => expected === undefined || expected === '' || REGEX.test(expected),
  );
  expect(bad).toEqual([]);
});

test('the example of a raw field, which its description ends with, is of its form', () => {
  const wrong = rawFields.filter(({ pattern, expected = '' }) => {
    const example = [...expected.matchAll(/`([^`]+)`/g)].at(-1)?.[1];
    return example === undefined || !new RegExp(`^(?:${pattern})$`).test(example);
  });
  expect(wrong).toEqual([]);
});

test('no reason of a refusal contains the pattern', () => {
  const fields = domains.flatMap(({ raw }) => raw).flatMap(({ fields }) => fields);
  const texts = fields.flatMap((field) =>
    limitChecks(field).flatMap(({ reason }) =>
      [...reason.matchAll(/then concat\('[^']*', '([^']*)'\)/g)].map((match) => ({
        name: field.name,
        text: match[1] ?? '',
      })),
    ),
  );
  expect(texts.filter(({ text }) => REGEX.test(text))).toEqual([]);
});

/** Objects of the schema whose members are named by a pattern. */
function mapsIn(
  name: string,
  schema: unknown,
): readonly { readonly name: string; readonly isClosed: boolean }[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const { patternProperties, additionalProperties, expected } = schema as Record<string, unknown>;
  const isClosed = additionalProperties === false && typeof expected === 'string';
  const own = patternProperties === undefined ? [] : [{ name, isClosed }];
  return [...own, ...Object.entries(schema).flatMap(([key, value]) => mapsIn(`${name}.${key}`, value))];
}

test('a map of the policy refuses names of another form, and says what its names are', () => {
  const maps = definitionsOf().flatMap(({ section, schema }) => mapsIn(section, schema));
  expect(maps.length).toBeGreaterThan(4);
  expect(maps.filter(({ isClosed }) => !isClosed)).toEqual([]);
});
