import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { documentationPages } from '../docs/pages.ts';
import { PRODUCT_FOLDERS, PROJECT, type SourceFile, sourceFiles } from './source-tree.ts';

const read = (path: string): SourceFile => ({ path, text: readFileSync(`${PROJECT}${path}`, 'utf8') });
const decisions = read('docs/decisions.md').text;
const contract = read('docs/interface.md').text;

/** Numbers of the headings of docs/decisions.md. */
const knownDecisions = new Set([...decisions.matchAll(/^### (\d+)\. /gm)].map(([, number = '']) => number));

/** `2`, `2.13` (a heading), `5.8` (an entry of the list under a heading of one number). */
function sectionsOf(text: string): Set<string> {
  const known = new Set<string>();
  let part = '';
  for (const line of text.split('\n')) {
    const heading = /^#{2,3} (\d+(?:\.\d+)?)\.? /.exec(line)?.[1];
    if (heading !== undefined) known.add(heading);
    part = heading ?? part;
    const entry = /^(\d+)\. /.exec(line)?.[1];
    if (entry !== undefined) known.add(`${part}.${entry}`);
  }
  return known;
}

const knownSections = sectionsOf(contract);

const range = (from: string, to: string | undefined): string[] => {
  const first = Number(from);
  const last = to === undefined ? first : Number(to);
  return Array.from({ length: last - first + 1 }, (_, index) => String(first + index));
};

/** Numbers of `decision 57` and `decisions 19-21, 40 and 41`. */
const decisionsIn = (text: string): string[] =>
  [...text.matchAll(/\bdecisions? (\d+(?:(?:[-–]|, | and )\d+)*)/gi)].flatMap(([, list = '']) =>
    [...list.matchAll(/(\d+)(?:[-–](\d+))?/g)].flatMap(([, from = '', to]) => range(from, to)),
  );

/** `2.13` and `4.13-4.15` where a bracket begins with them, and `Part 6`. */
function sectionsIn(text: string): string[] {
  const bracketed = [...text.matchAll(/\((?:spec )?(?=\d\.\d{1,2}(?:[-–,;:)]))([^)]*)\)/g)];
  const numbers = bracketed
    .map(([, inside = '']) => inside.replace(/\bdecisions? .*/i, ''))
    .flatMap((inside) => [...inside.matchAll(/\b(\d\.\d{1,2})\b(?!\.\d)/g)].map(([, number = '']) => number));
  const parts = [...text.matchAll(/\bParts? (\d)(?: and (\d))?\b/g)].flatMap(([, one = '', two]) =>
    two === undefined ? [one] : [one, two],
  );
  return [...numbers, ...parts];
}

/** Comments of code, where sections are cited; the whole of a page. */
const prose = ({ path, text }: SourceFile) =>
  path.endsWith('.md')
    ? text
    : text
        .split('\n')
        .filter((line) => /^\s*(?:\/\/|\/?\*|--)/.test(line) || /\/\*\*?.*\*\//.test(line))
        .join('\n');

const files = [
  ...sourceFiles([...PRODUCT_FOLDERS, 'test'], '.ts').filter(
    ({ path }) => path !== 'test/rules/references.test.ts',
  ),
  ...sourceFiles(PRODUCT_FOLDERS, '.sql'),
  ...documentationPages().map(read),
];

const unresolved = (find: (text: string) => string[], known: ReadonlySet<string>) =>
  files.flatMap((file) =>
    find(prose(file))
      .filter((number) => !known.has(number))
      .map((number) => `${file.path} refers to ${number}`),
  );

test('every decision that is referred to is in docs/decisions.md', () => {
  expect(knownDecisions.size).toBeGreaterThanOrEqual(70);
  expect(unresolved(decisionsIn, knownDecisions)).toEqual([]);
});

test('every section that is referred to is in docs/interface.md', () => {
  expect(knownSections.size).toBeGreaterThan(70);
  expect(unresolved(sectionsIn, knownSections)).toEqual([]);
});

test('decisions are numbered without gaps', () => {
  expect([...knownDecisions].map(Number)).toEqual(range('1', String(knownDecisions.size)).map(Number));
});

test('lists and ranges are read', () => {
  expect(decisionsIn('(2.14, decisions 14 and 41); Decisions 15-17, 24')).toEqual([
    '14',
    '41',
    '15',
    '16',
    '17',
    '24',
  ]);
  expect(
    sectionsIn('(2.1, 2.2, 4.1-4.3; decisions 3, 4). See Parts 4 and 6 and a factor (1.5 times)'),
  ).toEqual(['2.1', '2.2', '4.1', '4.3', '4', '6']);
});
