import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { PROJECT, projectFiles } from './source-tree.ts';

const FORBIDDEN: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/(?<![\w.])\/(work|home|root|Users)\/[\w.-]+/, 'a path of one machine; make it relative or a setting'],
  [
    /\b(registry|npm|nexus|artifactory|packages)\.(?!example\b)[\w-]+(\.[\w-]+)*\.(org|com|net|io|internal|local)\b/,
    'a registry; the installer’s own configuration names it',
  ],
  [
    /"resolved": "http/,
    'the address a package was fetched from; install with omit-lockfile-registry-resolved=true',
  ],
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----/, 'a private key'],
];
const TEXT = /(^|\/)([^./]+|[^/]*\.(ts|sql|json|md|example|yaml|yml|sh|csv|ndjson|gitignore))$/;

function hygieneProblems(path: string, text: string): string[] {
  return text
    .split('\n')
    .flatMap((line, index) =>
      FORBIDDEN.filter(([pattern]) => pattern.test(line)).map(
        ([, what]) => `${path}:${index + 1} holds ${what}`,
      ),
    );
}

test('no file holds a path of one machine, the address of a registry or a key', () => {
  const paths = projectFiles().filter((path) => TEXT.test(path) && path !== 'test/rules/hygiene.test.ts');
  expect(paths).toContain('package-lock.json');
  expect(paths.flatMap((path) => hygieneProblems(path, readFileSync(`${PROJECT}${path}`, 'utf8')))).toEqual(
    [],
  );
});

test.each([
  `const file = "/${'work'}/data/x.csv";`,
  'cd /home/someone/project',
  'cache=/root/.npm',
  'https://registry.npmjs.org/koa',
  '"resolved": "https://somewhere/koa.tgz"',
])('%s is caught', (line) => {
  expect(hygieneProblems('a', line).length).toBeGreaterThan(0);
});

test.each([
  `GET /v1/${'work'}/1`,
  'fetch("https://packages.example.com")',
  'network/home/x',
  'https://npm.example',
])('%s passes', (line) => {
  expect(hygieneProblems('a', line)).toEqual([]);
});
