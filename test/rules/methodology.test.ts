// The published methodology version follows the texts of the models: it cannot be forgotten, and it does not change while they do not.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { DEFAULT_POLICY } from '../../jobs/policies.ts';
import {
  changedFamilies,
  nextMethodology,
  plainSql,
  presentTexts,
  recordedMethodology,
} from '../methodology/methodology.ts';
import { PROJECT } from './source-tree.ts';

const recorded = recordedMethodology();

test('the texts of the models and the default policies are those of the recorded methodology', () => {
  expect(
    changedFamilies(recorded.texts, presentTexts()).map(
      (family) =>
        `The models or the default policies of ${family} have changed: run \`npm run methodology -- same\` if the same inputs give the same figures, else \`npm run methodology -- other\` (recipe 20).`,
    ),
  ).toEqual([]);
});

test('the published version is the recorded one, and the change log names it', () => {
  expect(DEFAULT_POLICY.methodology_version).toBe(recorded.version);
  expect(readFileSync(`${PROJECT}CHANGELOG.md`, 'utf8')).toContain(
    `\`methodology_version\` ${recorded.version}`,
  );
});

test('comments and layout are no change; text in quotes, numbers and names are', () => {
  const sql = "-- What a row is.\nselect a,\n  'x  -- y' as b -- why\nfrom t";
  expect(plainSql(sql)).toBe("select a, 'x  -- y' as b from t");
  expect(plainSql("select a, 'x  -- y' as b from t -- other")).toBe(plainSql(sql));
  for (const other of [
    sql.replace('x  --', 'x --'),
    sql.replace('select a', 'select c'),
    sql.replace("'x", "'it''s x"),
  ])
    expect(plainSql(other)).not.toBe(plainSql(sql));
});

test('the version is raised only when figures differ', () => {
  const before = { version: '1.9.2', texts: { a: '1', b: '2' } };
  const texts = { a: '1', b: '3', c: '4' };
  expect(changedFamilies(before.texts, texts)).toEqual(['b', 'c']);
  expect(nextMethodology(before, texts, 'same')).toEqual({ version: '1.9.2', texts });
  expect(nextMethodology(before, texts, 'other')).toEqual({ version: '1.10.0', texts });
  expect(changedFamilies(texts, texts)).toEqual([]);
});
