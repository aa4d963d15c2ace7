// docs/sources.md describes every option of a file source and of a field, and no other.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { FieldMapping, JoinedFile } from '../../jobs/define/source.ts';
import { FieldSection, problemsOfSources, SourceSection } from '../../jobs/sources/files/section.ts';
import { domains } from '../../jobs/registry.ts';
import { PROJECT } from './source-tree.ts';

const page = readFileSync(`${PROJECT}docs/sources.md`, 'utf8');

/** The texts in code format in the first column of the table below a heading. */
function optionsBelow(heading: string): string[] {
  const [, section = ''] = page.split(`\n${heading}\n`);
  const [text = ''] = section.split(/\n#+ /);
  const [, ...below] = text.split(/\n\|-[-|]*\n/);
  const rows = below
    .join('\n')
    .split('\n')
    .filter((line) => line.startsWith('| '));
  return rows.flatMap((row) =>
    [...(row.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
  );
}

/** The type and the schema have the same options: this does not compile otherwise. */
const FIELD_OPTIONS: { readonly [option in keyof Required<FieldMapping>]: true } = {
  from: true,
  document: true,
  value: true,
  time: true,
  number: true,
  scale: true,
  replace: true,
  prefix: true,
};
const NUMBER_FORMS: { readonly [form in NonNullable<FieldMapping['number']>]: true } = {
  plain: true,
  thousands: true,
  european: true,
  scientific: true,
};
const JOIN_OPTIONS: { readonly [option in keyof Required<JoinedFile>]: true } = {
  path: true,
  format: true,
  records: true,
  delimiter: true,
  as: true,
  on: true,
  missing: true,
};

describe('the page, the configuration and the types have the same', () => {
  test('options of a file', () => {
    expect(optionsBelow('## The file').sort()).toEqual(Object.keys(SourceSection.properties).sort());
  });

  test('options of a field', () => {
    expect(Object.keys(FIELD_OPTIONS).sort()).toEqual(Object.keys(FieldSection.properties).sort());
    expect(optionsBelow('## Fields').sort()).toEqual(Object.keys(FIELD_OPTIONS).sort());
  });

  test('notations of numbers', () => {
    expect(optionsBelow('### Numbers').sort()).toEqual(Object.keys(NUMBER_FORMS).sort());
    expect(FieldSection.properties.number.enum.toSorted()).toEqual(Object.keys(NUMBER_FORMS).sort());
  });

  test('forms of times', () => {
    expect(optionsBelow('### Times').sort()).toEqual(['iso8601', 'unix_ms', 'unix_ns', 'unix_s', 'unix_us']);
  });

  test('options of a joined file', () => {
    const { join } = SourceSection.properties;
    expect(Object.keys(join.properties).sort()).toEqual(Object.keys(JOIN_OPTIONS).sort());
    expect(optionsBelow('### Join').sort()).toEqual(Object.keys(JOIN_OPTIONS).sort());
  });
});

test('the sources that recipe 1 shows in parts are accepted', () => {
  const recipes = readFileSync(`${PROJECT}docs/recipes.md`, 'utf8');
  const swaps = /"my-swaps": (\{[\s\S]*?\n {2}\})\n/.exec(recipes)?.[1] ?? 'null';
  const raw = domains.flatMap((domain) => domain.raw);
  expect(problemsOfSources({ 'my-swaps': JSON.parse(swaps) }, raw)).toEqual([]);
});
