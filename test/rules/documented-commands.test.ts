// Commands in documentation: each is an npm script that exists. The scripts run the Node that `npm ci` installs, and TypeScript needs that one,
// whatever Node the machine has.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { RELIABILITY_TESTS } from '../reliability/tests.ts';
import { PROJECT, projectFiles } from './source-tree.ts';

interface Command {
  readonly file: string;
  readonly line: string;
}

const { scripts } = JSON.parse(readFileSync(`${PROJECT}package.json`, 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>;
};

/** Lines of code blocks, and what the headers of programs put between backquotes or on a line of its own. */
function commandsOf(file: string): readonly Command[] {
  const text = readFileSync(`${PROJECT}${file}`, 'utf8');
  const isPage = file.endsWith('.md');
  const blocks = isPage
    ? [...text.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap((match) => (match[1] ?? '').split('\n'))
    : text.split('\n').filter((line) => /^\/\/.*\b(node|npm run) /.test(line));
  return blocks.map((line) => ({ file, line }));
}

const commands = projectFiles()
  .filter((path) =>
    /^(README\.md|docs\/[^/]+\.md|(examples|packages)\/.*\.(md|ts)|test\/support\/.*\.ts)$/.test(path),
  )
  .flatMap(commandsOf);

test('no documented command runs TypeScript with the Node of the machine', () => {
  expect(commands.length).toBeGreaterThan(60);
  expect(commands.filter(({ line }) => /\bnode\s+(?!-)\S+\.ts\b/.test(line))).toEqual([]);
});

test('every documented npm script exists', () => {
  const named = commands.flatMap(({ file, line }) =>
    [...line.matchAll(/\bnpm run (?:--silent |-s )?([\w:-]+)/g)].map((match) => ({
      file,
      script: match[1] ?? '',
    })),
  );
  expect(named.length).toBeGreaterThan(40);
  expect(named.filter(({ script }) => !(script in scripts))).toEqual([]);
});

test('every reliability test exists, and so does every name by which a page selects some', () => {
  const files = projectFiles();
  const isFile = (test: string) =>
    files.some((file) => file.startsWith(`${test}.`) && file.endsWith('test.ts'));
  expect(RELIABILITY_TESTS.filter((test) => !isFile(test))).toEqual([]);
  const named = files
    .filter((file) => /^(README\.md|CHANGELOG\.md|docs\/.*\.md)$/.test(file))
    .flatMap((file) => [
      ...readFileSync(`${PROJECT}${file}`, 'utf8').matchAll(/test:reliability -- ([\w/ -]+)`/g),
    ])
    .flatMap(([, names = '']) => names.split(' '));
  expect(named.length).toBeGreaterThan(10);
  const names = named.filter((name) => name !== 'all');
  expect(names.filter((name) => !RELIABILITY_TESTS.some((test) => test.includes(name)))).toEqual([]);
});
