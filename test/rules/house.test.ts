// The measures of `npm run house` that must hold: they may only get better.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { documentationPages } from '../docs/pages.ts';
import { longCells, measuresOf, productFiles, smallFiles } from '../house/measures.ts';
import { PROJECT } from './source-tree.ts';

const files = productFiles();
const measured = (name: string) => measuresOf(files, []).find((measure) => measure.name === name)?.value;

test('no new file of less than 40 lines has a single importer', () => {
  expect(smallFiles(files, 40).length).toBeLessThanOrEqual(18);
});

test('no type is named by a participle', () => {
  expect(measured('types named by a participle')).toBe(0);
});

test('no files import each other in a circle', () => {
  expect(measured('circles of imports')).toBe(0);
});

test('readers of live sources stand on at most eight levels of imports', () => {
  expect(measured('jobs/sources/live: levels of imports')).toBeLessThanOrEqual(8);
});

test('no cell of a table in the documentation has more than 300 characters', () => {
  const pages = documentationPages().map((page) => ({
    page,
    text: readFileSync(`${PROJECT}${page}`, 'utf8'),
  }));
  expect(pages.filter(({ text }) => longCells(text, 300) > 0).map(({ page }) => page)).toEqual([]);
});
