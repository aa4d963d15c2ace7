// The file that records which demo world a data folder holds.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { readDemoWorld } from '../../../../jobs/sources/demo/scenario/state-file.ts';
import type { Settings } from '../../../../platform/settings/settings.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const SETTINGS = { demo_seed: 1, demo_feeds: 40, demo_days: 30, demo_incidents: true } as Settings;

let file: string;
beforeEach(() => {
  file = join(temporaryFolder('demo-world'), 'demo-world.json');
});

const read = (now: number) => readDemoWorld(file, SETTINGS, { now, isStart: true });

test('a world keeps its start time and records every start', () => {
  expect(read(100)).toMatchObject({ startedAt: 100, liveFrom: [100] });
  expect(read(200)).toMatchObject({ startedAt: 100, liveFrom: [100, 200] });
  expect(existsSync(`${file}.tmp`)).toBe(false);
});

test.each([
  ['truncated', (text: string) => text.slice(0, 20)],
  ['empty', () => ''],
  ['of another form', () => '[1]'],
  ['without its start', (text: string) => text.replace('startedAt', 'startedat')],
  ['with a start that is not a number', (text: string) => text.replace('100', '"100"')],
  ['without its starts', (text: string) => text.replace('liveFrom', 'livefrom')],
])('a file that is %s is named and left unchanged', (_, damage) => {
  read(100);
  const damaged = damage(readFileSync(file, 'utf8'));
  writeFileSync(file, damaged);
  expect(() => read(200)).toThrow(`${file} is damaged`);
  expect(readFileSync(file, 'utf8')).toBe(damaged);
});

test('a missing file is an error if the folder holds rows of a world, and no new world is started', () => {
  const again = () => readDemoWorld(file, SETTINGS, { now: 200, isStart: true, hasRows: true });
  expect(again).toThrow(`${file} is lost. It records which demo world this folder holds: restore it`);
  expect(existsSync(file)).toBe(false);
  read(100);
  expect(again()).toMatchObject({ startedAt: 100, liveFrom: [100, 200] });
});

test('a world with other settings is rejected', () => {
  read(100);
  expect(() => readDemoWorld(file, { ...SETTINGS, demo_feeds: 41 }, { now: 200, isStart: true })).toThrow(
    'demo_feeds = 40, not 41',
  );
});
