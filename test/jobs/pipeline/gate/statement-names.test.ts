// The statements that look for missing rows and numbers name their results, and take columns of raw tables with them. A column of the same
// name would be read in place of the result, or the other way round, without an error.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { domains } from '../../../../jobs/registry.ts';

const FILES = ['missing-rows', 'missing-numbers'].map(
  (name) => new URL(`../../../../jobs/pipeline/gate/${name}.ts`, import.meta.url),
);
const TYPES = ['bigint', 'double', 'varchar', 'const', 'string'];

const named = new Set(
  FILES.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/\bas ([a-z_]+)\b/g)].flatMap(([, name]) => name ?? []),
  ).filter((name) => !TYPES.includes(name)),
);

test('no column by which rows are counted has a name of these statements', () => {
  expect(named.size).toBeGreaterThan(10);
  const columns = domains.flatMap(({ raw }) =>
    raw.flatMap(({ name, subject, key, observations }) =>
      [...new Set([...subject, ...key])]
        .filter((column) => column !== observations.time)
        .map((column) => ({ table: name, column })),
    ),
  );
  expect(columns.length).toBeGreaterThan(50);
  expect(columns.filter(({ column }) => named.has(column))).toEqual([]);
});
