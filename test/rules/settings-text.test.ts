import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { loadSettings } from '../../platform/settings/load-settings.ts';
import { SETTINGS } from '../../platform/settings/settings.ts';
import { dotEnvExample } from '../docs/settings-text.ts';
import { PRODUCT_FOLDERS, PROJECT, sourceFiles } from './source-tree.ts';

const readFile = (path: string) => readFileSync(`${PROJECT}${path}`, 'utf8');
const load = (dotEnv: string) => loadSettings({ env: {}, dotEnv, readFile }).settings;

test('.env.example is the list of settings (`npm run docs` writes it)', () => {
  expect(readFile('.env.example')).toBe(dotEnvExample());
});

test('.env.example with every # removed changes nothing', () => {
  expect(load(dotEnvExample().replace(/^#(?=[A-Z_]+=)/gm, ''))).toEqual(load(''));
});

test('every default is right and every name is lower case', () => {
  expect(() => load('')).not.toThrow();
  expect(SETTINGS.map(({ name }) => name).filter((name) => !/^[a-z][a-z0-9_]*$/.test(name))).toEqual([]);
});

test('every setting is read by a program', () => {
  const code = sourceFiles(PRODUCT_FOLDERS, '.ts').filter(
    ({ path }) => !path.startsWith('platform/settings/') || path === 'platform/settings/file-access.ts',
  );
  const isRead = (name: string) => code.some(({ text }) => new RegExp(`\\b${name}\\b`).test(text));
  expect(SETTINGS.map(({ name }) => name).filter((name) => !isRead(name))).toEqual([]);
});
