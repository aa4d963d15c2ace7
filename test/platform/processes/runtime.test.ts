import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const { dependencies, engines, scripts, allowScripts } = JSON.parse(
  readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
);

test('a production install brings the Node that the scripts run on', () => {
  expect(dependencies.node).toBe(process.versions.node);
  expect(allowScripts).toEqual({ node: true });
  expect(scripts.start).toBe('node platform/processes/main.ts');
});

test('any Node from 20 on can install it', () => {
  expect(engines).toEqual({ node: '>=20' });
});
