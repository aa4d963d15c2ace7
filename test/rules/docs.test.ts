import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { problemsOfSources } from '../../jobs/sources/files/section.ts';
import { domains } from '../../jobs/registry.ts';
import { documentationPages } from '../docs/pages.ts';
import { fillTables, tablesIn } from '../docs/regions.ts';
import { TABLES } from '../docs/tables.ts';
import { PROJECT } from './source-tree.ts';

const scripts: Record<string, string> = JSON.parse(readFileSync(`${PROJECT}package.json`, 'utf8')).scripts;
const pages = documentationPages().map((path) => ({ path, text: readFileSync(`${PROJECT}${path}`, 'utf8') }));
const textOf = (path: string) => pages.find((page) => page.path === path)?.text ?? '';

/** Anchors that GitHub gives to the headings of a page. */
const anchorsOf = (text: string) =>
  new Set(
    [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );

function isDead(link: string, page: string): boolean {
  const [file = '', anchor] = link.split('#');
  const target = file === '' ? page : join(dirname(page), file);
  if (!existsSync(`${PROJECT}${target}`)) return true;
  return anchor !== undefined && !anchorsOf(readFileSync(`${PROJECT}${target}`, 'utf8')).has(anchor);
}

test('generated tables match the definitions (`npm run docs` writes them)', () => {
  for (const { path, text } of pages) expect(fillTables(text, TABLES), path).toBe(text);
});

test('every generated table is on one page', () => {
  expect(pages.flatMap(({ text }) => tablesIn(text)).sort()).toEqual(Object.keys(TABLES).sort());
});

test.each(pages.map(({ path }) => path))('every file that %s names exists', (path) => {
  const named = textOf(path).matchAll(
    /(?<![\w./<>-])((?:jobs|server|snapshots|schemas|launch|packages|test|examples|docs)\/[\w./-]+\.(?:ts|sql|json|md|csv))/g,
  );
  const missing = [...named].map(([, file = '']) => file).filter((file) => !existsSync(`${PROJECT}${file}`));
  expect(missing).toEqual([]);
});

test.each(pages.map(({ path }) => path))('every link of %s leads to a heading or a file', (path) => {
  const links = [...textOf(path).matchAll(/\]\((?!https?:)([^)]+)\)/g)].map(([, link = '']) => link);
  expect(links.filter((link) => isDead(link, path))).toEqual([]);
});

test.each(pages.map(({ path }) => path))('every npm script that %s names exists', (path) => {
  const named = [...textOf(path).matchAll(/npm (?:run (?:--\S+ )*)?(?!run\b)([a-z][a-z:]*)/g)];
  const known = new Set(['ci', 'install', 'pack', ...Object.keys(scripts)]);
  // “npm is stopped”, “npm has”: not after `npm run` and not in code.
  const isCommand = ([whole, name = '']: RegExpExecArray) =>
    !known.has(name) && (whole.startsWith('npm run') || !/^(?:is|and|has|scripts?)$/.test(name));
  expect(named.filter(isCommand).map(([whole]) => whole)).toEqual([]);
});

test('the configurations that the documentation shows are accepted', () => {
  const raw = domains.flatMap((domain) => domain.raw);
  const shown = /```json\n([\s\S]*?)```/.exec(textOf('docs/recipes.md'))?.[1] ?? '';
  expect(problemsOfSources((JSON.parse(shown) as { sources: unknown }).sources, raw)).toEqual([]);
});
