// The raw tables of development: which repositories belong to which protocol or blockchain, and their commits and releases. Authors are
// pseudonyms: whoever delivers the rows hashes names and addresses first.
import { choice, count, flag, form, id, instant, observedAt, text, word } from '../../define/fields.ts';
import { defineRawTable } from '../../define/raw-table.ts';

const repository = id('repository', 'Repository as owner/name', {
  required: true,
  ...form('[a-z0-9][a-z0-9._-]{0,99}/[a-z0-9._-]{1,100}', 'a repository as owner/name', 'aave/aave-v3-core'),
});
const author = text('author', 'Pseudonym of the author, the same in all commits; never an address', {
  required: true,
  ...word('5d1c0a', { separators: '@', longest: 128 }),
});
const is_bot = flag('is_bot', 'The source says that the author is a bot');

export const developmentRepository = defineRawTable({
  name: 'development_repository',
  description: 'The protocol or blockchain that a repository belongs to, from one instant on',
  fields: [
    repository,
    text('name', 'Display name of the protocol or blockchain', {
      required: true,
      ...form(
        '[A-Za-z0-9]([A-Za-z0-9 ._-]{0,62}[A-Za-z0-9.])?',
        'at most 64 letters, digits, spaces and `.` `_` `-`, without spaces around them',
        'Aave V3',
      ),
    }),
    choice('kind', ['protocol', 'blockchain'], 'Kind of the project', { required: true }),
    flag('is_fork', 'A fork of another repository; not scored'),
    observedAt('Time from which the entry holds', { min: 0 }),
  ],
  subject: ['repository'],
  maxAgeSeconds: null,
  completeness: [
    { by: 'audit', audit: 'derived.development_history.audit' },
    { by: 'nothing', because: 'a registry does not say how many entries it should have' },
  ],
  key: ['repository', 'observed_at'],
  content: ['name', 'kind', 'is_fork'],
  time: 'observed_at',
  observations: { model: 'obs.development_repository', time: 'observed_at' },
});

export const developmentCommit = defineRawTable({
  name: 'development_commit',
  description: 'One commit on the main branch of a repository',
  fields: [
    repository,
    id('commit_id', 'Hash of the commit', {
      required: true,
      ...form('[0-9a-f]{7,64}', '7 to 64 hexadecimal digits', 'a94a8fe5ccb19ba61c4c0873d391e987982fbbd3'),
    }),
    author,
    is_bot,
    instant('committed_at', 'Time of the commit', { required: true, min: 1 }),
    count('parents', 'Number of parents; two or more make it a merged change', { required: true }),
    count('files_changed', 'Files changed'),
    count('insertions', 'Lines added'),
    count('deletions', 'Lines removed'),
  ],
  subject: ['repository'],
  maxAgeSeconds: null,
  completeness: [
    { by: 'audit', audit: 'derived.development_history.audit' },
    { by: 'nothing', because: 'a list of commits does not say how many there are' },
  ],
  key: ['repository', 'commit_id'],
  content: ['author', 'committed_at', 'parents'],
  time: 'committed_at',
  observations: { model: 'obs.development_commit', time: 'committed_at' },
});

export const developmentRelease = defineRawTable({
  name: 'development_release',
  description: 'One release of a repository',
  fields: [
    repository,
    text('tag', 'Tag of the release', { required: true, maxLength: 200 }),
    is_bot,
    instant('released_at', 'Time of the release', { required: true, min: 1 }),
  ],
  subject: ['repository'],
  maxAgeSeconds: null,
  completeness: [{ by: 'nothing', because: 'a list of releases does not say how many there are' }],
  key: ['repository', 'tag'],
  content: ['released_at'],
  time: 'released_at',
  observations: { model: 'obs.development_release', time: 'released_at' },
});
