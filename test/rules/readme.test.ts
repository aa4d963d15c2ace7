import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { problemsOfSources } from '../../jobs/files/section.ts';
import { domains } from '../../jobs/registry.ts';
import { PRODUCT_FOLDERS, PROJECT, projectFiles } from './source-tree.ts';

const readme = readFileSync(`${PROJECT}README.md`, 'utf8');
const scripts: Record<string, string> = JSON.parse(readFileSync(`${PROJECT}package.json`, 'utf8')).scripts;

/** Paths of the first code block under a heading, where two spaces of indentation are one folder. */
function treeOf(text: string, heading: string): string[] {
  const block = text.split(heading)[1]?.split('```')[1] ?? '';
  const open: string[] = [];
  return block.split('\n').flatMap((line) => {
    const [, indent = '', entry] = /^( *)(\S+)/.exec(line) ?? [];
    if (entry === undefined) return [];
    open.length = indent.length / 2;
    const path = [...open, entry].join('');
    open.push(entry);
    return [path];
  });
}

/** Folders that must be in the tree: everything down to the second level that holds files. */
function foldersOf(paths: readonly string[]): string[] {
  const folders = paths.flatMap((path) => {
    const parts = path.split('/').slice(0, -1);
    return parts.slice(0, 2).map((_, index) => `${parts.slice(0, index + 1).join('/')}/`);
  });
  return [...new Set(folders)].sort();
}

const tree = treeOf(readme, '## Where things live');

test('everything in the README’s tree exists', () => {
  expect(tree.length).toBeGreaterThan(10);
  expect(tree.filter((path) => !existsSync(`${PROJECT}${path}`))).toEqual([]);
});

test('every folder of the product is in the README’s tree', () => {
  const product = projectFiles().filter((path) =>
    PRODUCT_FOLDERS.some((folder) => path.startsWith(`${folder}/`)),
  );
  const top = ['test/', 'examples/', '.ci/'].filter((folder) => existsSync(`${PROJECT}${folder}`));
  expect([...foldersOf(product), ...top].filter((folder) => !tree.includes(folder))).toEqual([]);
});

test('every file that the README names exists', () => {
  const named = [
    ...readme.matchAll(
      /(?<![\w./<-])((?:jobs|server|snapshots|schemas|test|examples)\/[\w./-]+\.(?:ts|sql|json))/g,
    ),
  ];
  const missing = named.map((match) => match[1] ?? '').filter((path) => !existsSync(`${PROJECT}${path}`));
  expect(named.length).toBeGreaterThan(5);
  expect(missing).toEqual([]);
});

test('every file that the pages of docs/ name exists', () => {
  const pages = projectFiles().filter((path) => path.startsWith('docs/'));
  const named = pages.flatMap((page) => [
    ...readFileSync(`${PROJECT}${page}`, 'utf8').matchAll(
      /(?<![\w./<-])((?:jobs|server|snapshots|schemas|test|examples)\/[\w./-]+\.(?:ts|sql|json))/g,
    ),
  ]);
  const missing = named.map((match) => match[1] ?? '').filter((path) => !existsSync(`${PROJECT}${path}`));
  expect(named.length).toBeGreaterThan(20);
  expect(missing).toEqual([]);
});

test('every npm script that the README names exists', () => {
  const named = [...readme.matchAll(/npm (?:run (?:--\S+ )*)?(?!run\b)([a-z][a-z:]*)/g)].map(
    (match) => match[1] ?? '',
  );
  expect(named.filter((name) => name !== 'ci' && name !== 'install' && scripts[name] === undefined)).toEqual(
    [],
  );
});

test('every link inside the README leads to a heading or a file', () => {
  const anchors = new Set(
    [...readme.matchAll(/^#+ (.+)$/gm)].map((match) =>
      (match[1] ?? '')
        .toLowerCase()
        .replace(/[^\p{L}\p{N} -]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
  const links = [...readme.matchAll(/\]\((?!https?:)([^)]+)\)/g)].map((match) => match[1] ?? '');
  const isDead = (link: string) =>
    link.startsWith('#') ? !anchors.has(link.slice(1)) : !existsSync(`${PROJECT}${link}`);
  expect(links.filter(isDead)).toEqual([]);
});

test('it opens with the two commands', () => {
  const commands = [...readme.matchAll(/```sh\n([\s\S]*?)```/g)].map((match) => match[1]?.trim());
  expect(commands.slice(0, 2)).toEqual(['npm ci && npm start', 'npm ci && npm test']);
});

test('a tree is read by its indentation', () => {
  const text = '## T\n```\na/          first\n  b/        second\n    c.ts\n  d.ts\ne.json\n```';
  expect(treeOf(text, '## T')).toEqual(['a/', 'a/b/', 'a/b/c.ts', 'a/d.ts', 'e.json']);
});

test('the configuration that it shows is accepted', () => {
  const shown: { sources: unknown } = JSON.parse(/```json\n([\s\S]*?)```/.exec(readme)?.[1] ?? '');
  expect(
    problemsOfSources(
      shown.sources,
      domains.flatMap((domain) => domain.raw),
    ),
  ).toEqual([]);
});
