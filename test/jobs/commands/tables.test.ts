import { expect, test } from 'vitest';
import { showTables } from '../../../jobs/commands/tables.ts';
import { loadConfig } from '../../../jobs/config.ts';
import { deliveredFields } from '../../../jobs/define/raw-table.ts';
import { exampleSource } from '../../../jobs/sources/files/example-source.ts';
import { domains } from '../../../jobs/registry.ts';
import { UsageError } from '../../../platform/command-line/usage-error.ts';

const TABLES = domains.flatMap(({ raw }) => raw);

function printed(name: string | null, json: boolean): string {
  const lines: string[] = [];
  expect(showTables(domains, { name, json, example: exampleSource, print: (line) => lines.push(line) })).toBe(
    0,
  );
  return lines.join('\n');
}

test('the list names every raw table with its family and description', () => {
  const text = printed(null, false);
  for (const { name } of TABLES) expect(text).toMatch(new RegExp(`^  ${name} `, 'm'));
  expect(text).toMatch(/^oracles:$/m);
  const listed: { name: string; family: string; description: string }[] = JSON.parse(printed(null, true));
  expect(listed.map(({ name }) => name)).toEqual(TABLES.map(({ name }) => name));
  expect(listed.find(({ name }) => name === 'feed_round')).toMatchObject({ family: 'oracles' });
});

test.each(TABLES)('$name is described with every field that a source can deliver', (table) => {
  const text = printed(table.name, false);
  for (const { name, type, description } of deliveredFields(table)) {
    expect(text).toMatch(new RegExp(`^  ${name} +${type}`, 'm'));
    expect(text).toContain(description);
  }
  const described: { fields: { name: string }[]; key: string[] } = JSON.parse(printed(table.name, true));
  expect(described.fields.map(({ name }) => name)).toEqual(deliveredFields(table).map(({ name }) => name));
  expect(described.key).toEqual(table.key);
});

test.each(TABLES)('the example of $name is accepted as a configured source', (table) => {
  const file = JSON.stringify({ profile: 'files', sources: { mine: exampleSource(table) } });
  const { sources } = loadConfig({ env: { CONFIG: 'c.json' }, readFile: () => file });
  expect(sources).toMatchObject({ mine: { table: table.name } });
});

test('patterns and limits are shown', () => {
  const text = printed('feed_round', false);
  expect(text).toContain('an exact number of at most 78 digits, whole');
  expect(text).toContain('at least 0; at most 38');
  expect(text).toContain('stored in lower case');
});

test('an unknown table is rejected, and the nearest name suggested', () => {
  const ask = () =>
    showTables(domains, { name: 'feed_rund', json: false, example: exampleSource, print: () => undefined });
  expect(ask).toThrow(UsageError);
  expect(ask).toThrow('Did you mean feed_round?');
});
