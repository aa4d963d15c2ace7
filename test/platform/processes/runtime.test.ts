import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const { dependencies, engines, scripts, allowScripts } = JSON.parse(
  readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
);
const lock: {
  readonly packages: Readonly<
    Record<string, { readonly dev?: boolean; readonly hasInstallScript?: boolean }>
  >;
} = JSON.parse(readFileSync(new URL('../../../package-lock.json', import.meta.url), 'utf8'));

test('a production install brings the Node that the scripts run on', () => {
  expect(dependencies.node).toBe(process.versions.node);
  expect(allowScripts).toEqual({ node: true });
  expect(scripts.start).toMatch(/ node platform\/processes\/main\.ts$/);
});

test('a production install holds no compiler and no client of nodes, and only our Node has an install script', () => {
  const installed = Object.entries(lock.packages).filter(([path, { dev }]) => path !== '' && dev !== true);
  const names = installed.map(([path]) => path.replace(/^.*node_modules\//, ''));
  expect(names).toContain('@duckdb/node-api');
  expect(names.filter((name) => /^(viem|ox|abitype|typescript|@typescript\/.*)$/.test(name))).toEqual([]);
  const scripted = installed.filter(([, { hasInstallScript }]) => hasInstallScript === true);
  expect(scripted.map(([path]) => path)).toEqual(['node_modules/node']);
});

test('any Node from 20 on can install it', () => {
  expect(engines).toEqual({ node: '>=20' });
});
