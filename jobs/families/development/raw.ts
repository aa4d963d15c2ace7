// The raw tables of development: which repositories belong to which protocol or blockchain, and their commits and releases. Authors are
// pseudonyms: whoever delivers the rows hashes names and addresses first.
import { defineRawTable, type RawField } from '../../define/raw-table.ts';

const repository: RawField = {
  name: 'repository',
  type: 'VARCHAR',
  required: true,
  lowercase: true,
  pattern: '[a-z0-9][a-z0-9._-]{0,99}/[a-z0-9._-]{1,100}',
  description: 'Repository as owner/name',
};
const author = (required: boolean): RawField => ({
  name: 'author',
  type: 'VARCHAR',
  required,
  pattern: '[^@\\s]{1,128}',
  description: 'Pseudonym of the author, the same in all commits; never an address',
});
const count = (name: string, description: string): RawField => ({
  name,
  type: 'BIGINT',
  min: 0,
  description,
});
const isBot: RawField = {
  name: 'is_bot',
  type: 'BOOLEAN',
  description: 'The source says that the author is a bot',
};

export const developmentRepository = defineRawTable({
  name: 'development_repository',
  description: 'The protocol or blockchain that a repository belongs to, from one instant on',
  fields: [
    repository,
    {
      name: 'name',
      type: 'VARCHAR',
      required: true,
      pattern: '[A-Za-z0-9]([A-Za-z0-9 ._-]{0,62}[A-Za-z0-9.])?',
      description: 'Display name of the protocol or blockchain',
    },
    {
      name: 'kind',
      type: 'VARCHAR',
      required: true,
      lowercase: true,
      pattern: 'protocol|blockchain',
      description: 'Kind of the project',
    },
    { name: 'is_fork', type: 'BOOLEAN', description: 'A fork of another repository; not scored' },
    {
      name: 'observed_at',
      type: 'BIGINT',
      required: true,
      min: 0,
      description: 'Time from which the entry holds, Unix seconds',
    },
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
  kept: { model: 'obs.development_repository', time: 'observed_at' },
});

export const developmentCommit = defineRawTable({
  name: 'development_commit',
  description: 'One commit on the main branch of a repository',
  fields: [
    repository,
    {
      name: 'commit_id',
      type: 'VARCHAR',
      required: true,
      lowercase: true,
      pattern: '[0-9a-f]{7,64}',
      description: 'Hash of the commit',
    },
    author(true),
    isBot,
    {
      name: 'committed_at',
      type: 'BIGINT',
      required: true,
      min: 1,
      description: 'Time of the commit, Unix seconds',
    },
    { ...count('parents', 'Number of parents; two or more make it a merged change'), required: true },
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
  kept: { model: 'obs.development_commit', time: 'committed_at' },
});

export const developmentRelease = defineRawTable({
  name: 'development_release',
  description: 'One release of a repository',
  fields: [
    repository,
    { name: 'tag', type: 'VARCHAR', required: true, maxLength: 200, description: 'Tag of the release' },
    isBot,
    {
      name: 'released_at',
      type: 'BIGINT',
      required: true,
      min: 1,
      description: 'Time of the release, Unix seconds',
    },
  ],
  subject: ['repository'],
  maxAgeSeconds: null,
  completeness: [{ by: 'nothing', because: 'a list of releases does not say how many there are' }],
  key: ['repository', 'tag'],
  content: ['released_at'],
  time: 'released_at',
  kept: { model: 'obs.development_release', time: 'released_at' },
});
