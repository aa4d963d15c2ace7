// Reads a repository: after the first reading, only what is new since the commit at which the last one ended. Rows name their table.
import { createHmac } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { secondsOf } from '../fetch/live-source.ts';
import type { Reader } from '../fetch/reader.ts';
import { tablesIn } from '../fetch/recording.ts';
import type { PageReading } from '../fetch/recording-store.ts';
import { NetFault } from '../http/net-fault.ts';
import { filled } from '../http/template.ts';
import { GitFault, runGit } from './run-git.ts';

// Reads commits and tags of a repository with plain git, without the API of any host: updates a bare copy and reads its log. What leaves
// this file holds pseudonyms instead of names and addresses.

export interface RepositoryPlan {
  /** As owner/name. */
  readonly repository: string;
  readonly url: string;
  /** Folder of the bare copy; created if missing. */
  readonly copy: string;
  /** Commits and tags before this are not wanted, Unix seconds. */
  readonly since: number;
  /** Secret of this installation: without it an address cannot be guessed from its pseudonym. */
  readonly pseudonymKey: string;
  /** Value of PATH. */
  readonly path: string;
}

interface CommitRow {
  readonly repository: string;
  readonly commit_id: string;
  readonly author: string;
  readonly is_bot: boolean;
  readonly committed_at: number;
  readonly parents: number;
  /** Null for a merge: its changes are those of its parents. */
  readonly files_changed: number | null;
  readonly insertions: number | null;
  readonly deletions: number | null;
}

interface ReleaseRow {
  readonly repository: string;
  readonly tag: string;
  readonly released_at: number;
  readonly is_bot: boolean;
}

interface RepositoryReading {
  /** Commit at the end of the main branch. */
  readonly head: string;
  /** False if the earlier head is no longer part of the main branch: its history was rewritten. */
  readonly holdsEarlier: boolean;
  readonly commits: readonly CommitRow[];
  readonly releases: readonly ReleaseRow[];
}

const HEAD = 'refs/live/head';
/** Between values: the one character that no commit or tag can hold, so that no name forges a value or a commit. */
const VALUE = '\u0000';
const COMMIT_VALUES = ['%H', '%ae', '%an', '%ct', '%P'] as const;
const URL_FORM = /^(https?|git):\/\/[^\s-]\S*$/;

/**
 * `earlier` is the head of the last reading. If the main branch still holds it, returns the commits since then, however old; otherwise all
 * commits since `plan.since`. Always returns all tags since `plan.since`. @throws GitFault
 */
export async function readRepository(
  plan: RepositoryPlan,
  earlier: string | null,
): Promise<RepositoryReading> {
  if (!URL_FORM.test(plan.url)) throw new GitFault(`"${plan.url}" is not an http, https or git address.`);
  const git = (...args: string[]) => runGit(['--git-dir', plan.copy, ...args], plan);
  await mkdir(dirname(plan.copy), { recursive: true });
  await git('init', '--bare', '--quiet');
  // The end of the main branch is whatever the remote calls HEAD; a forced fetch follows rewritten history.
  await git(
    'fetch',
    '--quiet',
    '--prune',
    '--force',
    '--no-tags',
    plan.url,
    `+HEAD:${HEAD}`,
    '+refs/tags/*:refs/tags/*',
  );
  const head = (await git('rev-parse', HEAD)).toString('utf8').trim();
  const format = ['', ...COMMIT_VALUES, ''].join('%x00');
  const holdsEarlier = earlier === null || (await holds(git, earlier));
  const range =
    earlier !== null && holdsEarlier ? [`${earlier}..${HEAD}`] : [HEAD, `--since-as-filter=@${plan.since}`];
  const log = await git('log', ...range, '--numstat', '--no-renames', `--format=${format}`);
  const fields = ['%(refname:strip=2)', '%(creatordate:unix)', '%(taggeremail:trim)', '%(taggername)'];
  const tags = await git('for-each-ref', 'refs/tags', `--format=${fields.join('%00')}`);
  return {
    head,
    holdsEarlier,
    commits: commitsIn(log.toString('utf8'), plan),
    releases: releasesIn(tags.toString('utf8'), plan),
  };
}

async function holds(git: (...args: string[]) => Promise<Buffer>, commit: string): Promise<boolean> {
  try {
    await git('merge-base', '--is-ancestor', commit, HEAD);
    return true;
  } catch (error) {
    // 1: not an ancestor; 128: the commit itself is gone.
    if (error instanceof GitFault && /ended with (1|128):/.test(error.message)) return false;
    throw error;
  }
}

/** Rows of the output of `git log`: the values of each commit, then its changes. @throws GitFault for other output */
export function commitsIn(log: string, plan: RepositoryPlan): CommitRow[] {
  const [before, ...values] = log.split(VALUE);
  const width = COMMIT_VALUES.length + 1;
  if (before !== '' || values.length % width !== 0)
    throw new GitFault('git log printed something other than commits.');
  return Array.from({ length: values.length / width }, (_, index) =>
    commitOf(values.slice(index * width, (index + 1) * width), plan),
  );
}

const HASH = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;

function commitOf(values: readonly string[], plan: RepositoryPlan): CommitRow {
  const [hash = '', email = '', name = '', time = '', parents = '', changes = ''] = values;
  if (!HASH.test(hash)) throw new GitFault('git log printed something other than the hash of a commit.');
  const count = parents.split(' ').filter((parent) => parent !== '').length;
  const lines = changes.split('\n').filter((line) => line.includes('\t'));
  return {
    repository: plan.repository,
    commit_id: hash,
    author: pseudonym(email, plan.pseudonymKey),
    is_bot: isBot(email, name),
    committed_at: Number(time),
    parents: count,
    ...(count > 1 ? { files_changed: null, insertions: null, deletions: null } : changed(lines)),
  };
}

/** Binary files count as changed; their numbers of lines are `-`. */
const changed = (lines: readonly string[]) => ({
  files_changed: lines.length,
  insertions: lines.reduce((sum, line) => sum + (Number(line.split('\t')[0]) || 0), 0),
  deletions: lines.reduce((sum, line) => sum + (Number(line.split('\t')[1]) || 0), 0),
});

/** A tag without a tagger has the time of its commit. */
export const releasesIn = (tags: string, { repository, since }: RepositoryPlan): ReleaseRow[] =>
  tags
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [tag = '', time, email = '', name = ''] = line.split(VALUE);
      return { repository, tag, released_at: Number(time), is_bot: isBot(email, name) };
    })
    .filter(({ released_at }) => released_at >= since);

const PSEUDONYM_LENGTH = 32;

/** The same address has the same pseudonym in all repositories of an installation. */
const pseudonym = (email: string, key: string): string =>
  createHmac('sha256', key).update(email.trim().toLowerCase()).digest('hex').slice(0, PSEUDONYM_LENGTH);

const isBot = (email: string, name: string) => /\[bot\](@|$)/i.test(email) || /\[bot\]$/i.test(name.trim());

const FOLDER = 'repositories';

/** The values of `each` are the repository as owner/name, and what it belongs to. */
export const readGit: Reader = async function* (source, { partition }, { now, folder, git }, earlier) {
  const { request } = source;
  if (request?.git === undefined) throw new Error(`Source ${source.id} reads no repository.`);
  const { repository = '', name, kind } = partition.params;
  const at = now();
  const since = Math.floor(at) - secondsOf(request.git.history);
  const state = (await earlier.state()) as { readonly head: string } | null;
  const plan = {
    repository: repository.toLowerCase(),
    url: filled(request.url, partition.params),
    copy: join(folder.dir, FOLDER, `${repository.replaceAll('/', '~')}.git`),
    since,
    path: git.path,
    pseudonymKey: git.pseudonymKey(),
  };
  const reading = await readRepository(plan, state?.head ?? null).catch((error: unknown) => {
    throw error instanceof GitFault ? new NetFault('network', error.message, { cause: error }) : error;
  });
  const entry = { repository: plan.repository, name, kind, observed_at: since };
  const rows = [
    ...(state === null && name !== undefined ? [{ table: 'development_repository', ...entry }] : []),
    ...reading.commits.map((row) => ({ table: 'development_commit', ...row })),
    ...reading.releases.map((row) => ({ table: 'development_release', ...row })),
  ];
  yield { ...pageOf(rows, plan.url), as_of: at, state: { head: reading.head } };
  return reading.holdsEarlier
    ? `commit ${reading.head}`
    : `commit ${reading.head}; the history was rewritten since ${state?.head}`;
};

const pageOf = (rows: readonly object[], url: string): Omit<PageReading, 'as_of'> => ({
  body: Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join('')),
  records: rows,
  server_time: null,
  facts: {
    records: rows.length,
    ...tablesIn(rows),
    status: 200,
    request: { method: 'GET', url, body: null },
    headers: { 'content-type': 'application/x-ndjson' },
  },
});
