import { expect, test } from 'vitest';
import { StandingWarnings } from '../../../../jobs/pipeline/run/report.ts';

test('a warning is given when it begins, and when it begins again', () => {
  const log: string[] = [];
  const standing = new StandingWarnings();
  const say = (...words: string[]) => {
    standing.say({ warn: (text) => void log.push(text) }, words);
    return log.splice(0);
  };
  expect(say('a', 'b', 'a')).toEqual(['a', 'b']);
  expect(say('b', 'a', 'c')).toEqual(['c']);
  expect(say('c')).toEqual([]);
  expect(say('a', 'c')).toEqual(['a']);
  expect(say()).toEqual([]);
  expect(say('c')).toEqual(['c']);
});
