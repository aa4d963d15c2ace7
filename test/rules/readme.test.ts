import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { PRODUCT_FOLDERS, PROJECT, projectFiles } from './source-tree.ts';

const readme = readFileSync(`${PROJECT}README.md`, 'utf8');
const architecture = readFileSync(`${PROJECT}docs/architecture.md`, 'utf8');
const MAX_LINES = 150;

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

const short = treeOf(readme, '## Where things live');
const full = treeOf(architecture, '## Folders');

test('it is short', () => {
  expect(readme.split('\n').length - 1).toBeLessThanOrEqual(MAX_LINES);
});

test('everything in the trees of the README and of docs/architecture.md exists', () => {
  expect(short.length).toBeGreaterThan(10);
  expect([...short, ...full].filter((path) => !existsSync(`${PROJECT}${path}`))).toEqual([]);
});

test('every folder of the product is in the tree of docs/architecture.md', () => {
  const product = projectFiles().filter((path) =>
    PRODUCT_FOLDERS.some((folder) => path.startsWith(`${folder}/`)),
  );
  const top = ['test/', 'packages/', 'examples/', '.ci/'].filter((folder) =>
    existsSync(`${PROJECT}${folder}`),
  );
  expect([...foldersOf(product), ...top].filter((folder) => !full.includes(folder))).toEqual([]);
});

test('it links to every page of docs/', () => {
  const pages = projectFiles().filter((path) => /^docs\/[^/]+\.md$/.test(path));
  expect(pages.filter((page) => !readme.includes(`](${page})`))).toEqual([]);
});

test('it opens with the two commands', () => {
  const commands = [...readme.matchAll(/```sh\n([\s\S]*?)```/g)].map((match) => match[1]?.trim());
  expect(commands.slice(0, 2)).toEqual(['npm ci && npm start', 'npm ci && npm test']);
});

test('a tree is read by its indentation', () => {
  const text = '## T\n```\na/          first\n  b/        second\n    c.ts\n  d.ts\ne.json\n```';
  expect(treeOf(text, '## T')).toEqual(['a/', 'a/b/', 'a/b/c.ts', 'a/d.ts', 'e.json']);
});
