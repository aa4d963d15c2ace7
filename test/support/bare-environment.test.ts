import { expect, test } from 'vitest';
import { SETTINGS } from '../../platform/settings/settings.ts';
import { removeSettings } from './bare-environment.ts';

test('settings are removed from an environment, and nothing else', () => {
  const env = { PATH: '/bin', DATA_DIR: '/srv/risk', PORT: '80', RELIABILITY_SCALE: '100' };
  removeSettings(env);
  expect(env).toEqual({ PATH: '/bin', RELIABILITY_SCALE: '100' });
});

test('no setting reaches a test from outside', () => {
  expect(SETTINGS.map(({ name }) => name.toUpperCase()).filter((name) => name in process.env)).toEqual([]);
});
