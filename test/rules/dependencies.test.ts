// Packages are pinned: exact versions in package.json, a hash for each in the lock file, and install scripts of the runtime alone.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { PROJECT } from './source-tree.ts';

interface PackageFile {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly allowScripts?: Readonly<Record<string, boolean>>;
}

interface LockedPackage {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly link?: boolean;
  readonly hasInstallScript?: boolean;
}

const read = <T>(path: string): T => JSON.parse(readFileSync(`${PROJECT}${path}`, 'utf8')) as T;
const EXACT = /^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/;
const HASH = /^sha512-[A-Za-z0-9+/]+=*$/;

/** Names of the dependencies that accept more than one version. */
const rangesIn = ({ dependencies = {}, devDependencies = {} }: PackageFile): readonly string[] =>
  Object.entries({ ...dependencies, ...devDependencies })
    .filter(([, version]) => !EXACT.test(version))
    .map(([name, version]) => `${name} ${version}`);

/** Installed packages without a hash. Folders of this repository are links. */
const unhashedIn = (packages: Readonly<Record<string, LockedPackage>>): readonly string[] =>
  Object.entries(packages)
    .filter(
      ([path, { link, integrity = '' }]) =>
        path.startsWith('node_modules/') && !link && !HASH.test(integrity),
    )
    .map(([path]) => path);

const root = read<PackageFile>('package.json');
const { packages } = read<{ readonly packages: Readonly<Record<string, LockedPackage>> }>(
  'package-lock.json',
);

test('every dependency has one version', () => {
  expect(Object.keys(root.dependencies ?? {}).length).toBeGreaterThan(10);
  expect(rangesIn(root)).toEqual([]);
});

test('every installed package has a hash', () => {
  expect(Object.keys(packages).length).toBeGreaterThan(100);
  expect(unhashedIn(packages)).toEqual([]);
});

test('the runtime alone may run a script when it is installed, and the image and the guide run none', () => {
  expect(Object.keys(root.allowScripts ?? {})).toEqual(['node']);
  for (const path of ['deploy/Containerfile', 'docs/deploy.md']) {
    const installs = readFileSync(`${PROJECT}${path}`, 'utf8').match(/npm ci[^\n&]*/g) ?? [];
    expect(installs.length, path).toBeGreaterThan(0);
    expect(
      installs.filter((line) => !line.includes('--ignore-scripts')),
      path,
    ).toEqual([]);
  }
});

describe('the rules catch', () => {
  test.each(['^1.0.0', '~1.0.0', '1.x', '*', 'latest', '>=1.0.0', 'github:a/b'])(
    'the version %s',
    (version) => {
      expect(rangesIn({ dependencies: { a: version } })).toEqual([`a ${version}`]);
    },
  );

  test('a package without a hash, or with a weak one', () => {
    const given = { '': {}, 'node_modules/a': {}, 'node_modules/b': { integrity: 'sha1-AAAA' } };
    expect(unhashedIn(given)).toEqual(['node_modules/a', 'node_modules/b']);
  });
});
