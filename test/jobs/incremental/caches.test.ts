// The registry of caches names every cache that can be switched off, and docs/incremental.md lists the same ones.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { CACHES } from '../../../jobs/incremental/caches.ts';
import { readDependencies } from '../../../jobs/incremental/sql/time-use.ts';
import { openScratchEngine } from '../../support/case-duckdb.ts';
import { PRODUCT_FOLDERS, PROJECT, sourceFiles } from '../../rules/source-tree.ts';

const names = Object.keys(CACHES).sort();

test('every cache asks whether it is switched off, in the file that the registry names', () => {
  const asked = sourceFiles(PRODUCT_FOLDERS, '.ts').flatMap(({ path, text }) =>
    [...text.matchAll(/off\??\.has\('([a-z-]+)'\)/g)].map(([, name]) => [name, path]),
  );
  expect(Object.fromEntries(asked)).toEqual(CACHES);
});

const page = readFileSync(`${PROJECT}docs/incremental.md`, 'utf8');

test('docs/incremental.md lists every cache, and no other', () => {
  const listed = [...page.matchAll(/^\| `([a-z-]+)` \|/gm)].map(([, name]) => name);
  expect(listed.toSorted()).toEqual(names);
});

test('the example of docs/incremental.md depends on what the page says', async () => {
  const block = (language: string) =>
    new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 's').exec(page)?.[1] ?? '';
  const engine = await openScratchEngine();
  try {
    expect(await readDependencies(engine, block('sql'), '')).toEqual(JSON.parse(block('json')));
  } finally {
    await engine.close();
  }
});
