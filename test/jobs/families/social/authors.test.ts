import { expect, test } from 'vitest';
import { authorKind } from '../../../../jobs/families/social/features.ts';

test.each([
  '[deleted]',
  '[removed]',
  ' [Deleted] ',
  'Deleted User',
  'Deleted User#0000',
  'deleted_user_1f2e3d',
])('%s is no author', (name) => {
  expect(authorKind(name)).toBe('unknown');
});

test.each([
  'AutoModerator',
  'automoderator',
  'Carl-bot#1536',
  'captcha.bot',
  'dependabot[bot]',
  'RemindMeBot',
  'defi-ModTeam',
  'MEE6#4876',
])('%s is a program', (name) => {
  expect(authorKind(name)).toBe('program');
});

test.each([
  'alice',
  'Talbot',
  'abbot',
  'botanist',
  'Bot',
  'deleted',
  'undeleted user',
  '1f0e',
  'robots',
  '匿名',
])('%s is a person', (name) => {
  expect(authorKind(name)).toBe('person');
});
