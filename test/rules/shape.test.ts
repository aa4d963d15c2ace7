import { posix } from 'node:path';
import { describe, expect, test } from 'vitest';
import { lineOf, SOURCE_FOLDERS, type SourceFile, sourceFiles, syntaxTree, walk } from './source-tree.ts';

const KEBAB = /^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+([-_][a-z0-9]+)*)*\.ts$/;
const SQL_NAME =
  /^([a-z][a-z0-9-]*|(obs|derived|out)\.[a-z][a-z0-9_]*(\.audit)?|event\.[a-z][a-z0-9_.]*)\.sql$/;
const EMPTY_WORDS = /(^|[-.])(utils?|helpers?|common|managers?|misc|shared)([-.]|$)|^index\./;

function nameProblems({ path }: SourceFile): string[] {
  const name = posix.basename(path);
  const form = path.endsWith('.sql') ? SQL_NAME : KEBAB;
  const problems = form.test(name) ? [] : [`${path}: name it in kebab-case (SQL models: schema.table.sql)`];
  return EMPTY_WORDS.test(name)
    ? [...problems, `${path}: the name says nothing; name it after what it does`]
    : problems;
}

/** Matches files that may break the rule; other files need not be parsed. */
const EXPORTS_OTHERS = /\bexport\s*(?:default\b|type\b|[*{/])/;

function exportProblems(file: SourceFile): string[] {
  if (!EXPORTS_OTHERS.test(file.text)) return [];
  const tree = syntaxTree(file);
  const problems: string[] = [];
  walk(tree, (node) => {
    const where = () => `${file.path}:${lineOf(file.text, node.start)}`;
    if (node.type === 'ExportDefaultDeclaration')
      problems.push(`${where()} exports a default: export it by its name`);
    if (node.type === 'ExportAllDeclaration')
      problems.push(`${where()} exports everything of a file: import from that file instead`);
  });
  const body = Array.isArray(tree['body']) ? tree['body'] : [];
  const isBarrel =
    body.length > 0 && body.every((node) => node.type === 'ExportNamedDeclaration' && node.source !== null);
  return isBarrel
    ? [...problems, `${file.path} only passes others on: import from where things are`]
    : problems;
}

/** Tests say what they are for in their names; everything else opens with a comment. */
function headerProblems({ path, text }: SourceFile): string[] {
  if (path.endsWith('.test.ts')) return [];
  const first = text.split('\n').find((line) => line.trim() !== '' && !line.startsWith('#!')) ?? '';
  const opens = path.endsWith('.sql') ? /^-- \S/ : /^(\/\/|\/\*\*?) ?\S/;
  return opens.test(first)
    ? []
    : [`${path} does not begin with what it is for: add one to three comment lines`];
}

/** One word that says what happened to a thing, or what is done with it, instead of what it is. */
const PARTICIPLE =
  /^(?:[A-Z][a-z]+(?:ed|ing)|Built|Found|Given|Held|Kept|Known|Left|Lost|Made|Met|Put|Read|Sent|Shown|Taken|Written)$/;
/** Nouns that end the same way. */
const NOUNS = new Set(
  'Backing Embed Encoding Ending Feed Finding Grouping Holding Landing Listing Mapping Meaning Plotting Reading Recording Reopening Routing Setting Spacing Standing Warning Withholding'.split(
    ' ',
  ),
);
const TYPE_NAME = /^(?:export )?(?:interface|type|(?:abstract )?class) (\w+)/gm;

const participlesIn = ({ path, text }: SourceFile): string[] =>
  [...text.matchAll(TYPE_NAME)]
    .map(([, name = '']) => name)
    .filter((name) => PARTICIPLE.test(name) && !NOUNS.has(name))
    .map((name) => `${path}: ${name} is a participle; name the type by a noun`);

const typescript = sourceFiles(SOURCE_FOLDERS, '.ts');
const sql = sourceFiles(SOURCE_FOLDERS, '.sql');

test('file names are kebab-case and say what the file does', () => {
  expect([...typescript, ...sql].flatMap(nameProblems)).toEqual([]);
});

test('types are nouns', () => {
  const product = typescript.filter(({ path }) => !path.startsWith('test/'));
  expect(product.flatMap(participlesIn)).toEqual([]);
  expect(
    participlesIn({ path: 'a.ts', text: 'export interface Gathered {\ntype Kept = 1;\nclass Feed {' }),
  ).toEqual([
    'a.ts: Gathered is a participle; name the type by a noun',
    'a.ts: Kept is a participle; name the type by a noun',
  ]);
});

test('nothing is exported as default, wholesale or through a barrel', () => {
  expect(typescript.flatMap(exportProblems)).toEqual([]);
});

test('every file begins with what it is for', () => {
  expect([...typescript, ...sql].flatMap(headerProblems)).toEqual([]);
});

/** All other files of the server are in a folder for what they do. */
const MAX_LOOSE_FILES = 9;

test('few files of the server are outside its folders', () => {
  const loose = typescript.filter(({ path }) => posix.dirname(path) === 'server');
  expect(loose.length).toBeLessThanOrEqual(MAX_LOOSE_FILES);
});

describe('the rules catch', () => {
  test.each([
    'jobs/readFile.ts',
    'jobs/read_file.ts',
    'jobs/utils.ts',
    'server/http-helpers.ts',
    'server/index.ts',
    'jobs/a/Obs.x.sql',
  ])('the name %s', (path) => {
    expect(nameProblems({ path, text: '' })).toHaveLength(1);
  });

  test.each([
    'export default 1;',
    "export * from './a.ts';",
    "export { a } from './a.ts';\nexport { b } from './b.ts';",
  ])('the export %j', (text) => {
    expect(exportProblems({ path: 'a.ts', text })).toHaveLength(1);
  });

  test('a file without a header', () => {
    expect(headerProblems({ path: 'a.ts', text: 'export const a = 1;' })).toHaveLength(1);
    expect(headerProblems({ path: 'a.sql', text: 'select 1' })).toHaveLength(1);
  });
});

test.each([
  'jobs/oracles/source.file.ts',
  'jobs/families/oracles/obs.feed_round.sql',
  'jobs/oracles/event.peg_depeg_start.sql',
  'jobs/engine/duckdb/prelude.sql',
])('%s is a good name', (path) => {
  expect(nameProblems({ path, text: '' })).toEqual([]);
});
