import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { forgetProgress, progressIn, progressOf } from './progress.ts';

const BEGINNING = { seeds: 0, faults: {} };

test('a test that was stopped continues with what it saved last', () => {
  const file = join(temporaryFolder('progress'), 'row');
  const first = progressOf('worlds', BEGINNING, file);
  expect(first.from).toEqual(BEGINNING);
  first.save({ seeds: 1, faults: { kill: 3 } });
  first.save({ seeds: 2, faults: { kill: 5 } });
  expect(progressOf('worlds', BEGINNING, file).from).toEqual({ seeds: 2, faults: { kill: 5 } });
});

test('tests of one row have a stage each, and a repeated row starts from the beginning', () => {
  const file = join(temporaryFolder('progress'), 'row');
  progressOf('one', BEGINNING, file).save({ seeds: 7, faults: {} });
  progressOf('other', BEGINNING, file).save({ seeds: 9, faults: {} });
  expect(progressIn(file)).toEqual({ one: { seeds: 7, faults: {} }, other: { seeds: 9, faults: {} } });
  forgetProgress(file);
  expect(progressOf('one', BEGINNING, file).from).toEqual(BEGINNING);
});

test('without a file nothing is saved', () => {
  const progress = progressOf('one', BEGINNING, undefined);
  progress.save({ seeds: 7, faults: {} });
  expect(progressOf('one', BEGINNING, undefined).from).toEqual(BEGINNING);
});
