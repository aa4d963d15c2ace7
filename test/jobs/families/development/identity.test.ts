// Commits that several repositories have, empty commits and authors who are alone, through the whole pipeline.
import { expect, onTestFinished, test } from 'vitest';
import { development } from '../../../../jobs/families/development/domain.ts';
import { sources } from '../../../../jobs/families/sources/domain.ts';
import { type FileRow, type FileWorld, openFileWorld } from '../../../support/file-world.ts';

const DAY = 86_400;
const NOW = Date.parse('2026-03-01T12:00:00Z') / 1000;

const repository = (name: string, project: string): FileRow => ({
  repository: name,
  name: project,
  kind: 'protocol',
  is_fork: null,
  observed_at: NOW - 100 * DAY,
});

interface Commits {
  readonly authors: number;
  readonly each: number;
  /** Commits of the same prefix and number are the same commit. */
  readonly prefix: string;
  readonly size?: (index: number) => number;
}

const commits = (name: string, { authors, each, prefix, size = (index) => index + 1 }: Commits): FileRow[] =>
  Array.from({ length: authors * each }, (_, index) => ({
    repository: name,
    commit_id: `${prefix}${index.toString(16).padStart(10, '0')}`,
    author: `${prefix}${index % authors}`,
    committed_at: NOW - DAY * (1 + (index % 20)),
    parents: 1,
    files_changed: size(index),
    insertions: size(index),
    deletions: 0,
  }));

async function worldOf(repositories: readonly FileRow[], list: readonly FileRow[]): Promise<FileWorld> {
  const world = openFileWorld({ domains: [sources, development] });
  onTestFinished(() => world.remove());
  world.write('development_repository', { 'rows.ndjson': repositories });
  world.write('development_commit', { 'rows.ndjson': list });
  expect(await world.run(NOW)).toBe(0);
  return world;
}

const activity = async (world: FileWorld) =>
  world.work(NOW, ({ warehouse }) =>
    warehouse.rows(
      `select path, commits, authors, empty_commits, bot_commits from derived.development_activity
       where day = ${NOW - (NOW % DAY)} order by path`,
    ),
  );

test('a repository that carries the commits of another brings no commits and no authors, and is named', async () => {
  const shared = { authors: 144, each: 2, prefix: 'aa' };
  const pkgs = commits('micro/pkgs', shared);
  const world = await worldOf(
    [repository('micro/pkgs', 'Micro'), repository('stel/pkgs', 'Stel'), repository('stel/core', 'Stel')],
    [
      ...pkgs,
      ...commits('stel/pkgs', shared),
      ...commits('stel/core', { authors: 10, each: 4, prefix: 'bb' }),
    ],
  );
  expect(await activity(world)).toMatchObject([
    { path: 'micro', commits: 288, authors: 144 },
    { path: 'stel', commits: 40, authors: 10 },
  ]);
  expect(world.words('development-scores')).toContain(
    'stel/pkgs counts as a fork: 288 of its 288 commits belong to other repositories, most of them to micro/pkgs',
  );
});

test('empty commits are counted apart and make no author, even below the share of a bot', async () => {
  const world = await worldOf(
    [repository('half/site', 'Half')],
    [
      ...commits('half/site', { authors: 1, each: 50, prefix: 'ee', size: () => 0 }),
      ...commits('half/site', { authors: 3, each: 10, prefix: 'cc' }),
    ],
  );
  expect(await activity(world)).toMatchObject([{ path: 'half', commits: 30, authors: 3, empty_commits: 50 }]);
});

test('the only author of a repository counts if the sizes vary, and is named where they do not', async () => {
  const world = await worldOf(
    [repository('solo/app', 'Solo'), repository('mirror/app', 'Mirror'), repository('dark/app', 'Dark')],
    [
      ...commits('dark/app', { authors: 1, each: 60, prefix: 'ab' }).map((row) => ({
        ...row,
        files_changed: null,
        insertions: null,
        deletions: null,
      })),
      ...commits('solo/app', { authors: 1, each: 104, prefix: 'dd' }),
      ...commits('mirror/app', { authors: 1, each: 104, prefix: 'ff', size: () => 1 }),
    ],
  );
  expect(await activity(world)).toMatchObject([
    { path: 'dark', commits: 0, authors: 0, bot_commits: 60 },
    { path: 'mirror', commits: 0, authors: 0, bot_commits: 104 },
    { path: 'solo', commits: 104, authors: 1, bot_commits: 0 },
  ]);
  expect(world.words('development-scores')).toEqual(
    expect.arrayContaining([
      'dark/app: author ab0 counts as a bot (share), 60 commits in the window are left out',
      'mirror/app: author ff0 counts as a bot (alike), 104 commits in the window are left out',
    ]),
  );
  expect(world.words('development-scores').join()).not.toContain('solo/app');
});
