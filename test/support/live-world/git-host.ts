// A host of growing repositories, which git reads like any other.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { SHIPPED_SOURCES } from '../../../jobs/sources/live/shipped/shipped.ts';
import { type Reply, replayServer } from '../../jobs/sources/live/http/replay-server.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { DAY_S } from './truth-finance.ts';

export interface Commit {
  readonly repository: string;
  readonly id: string;
  /** Unix seconds. */
  readonly at: number;
}

export interface GitHost {
  /** The source configuration that reads from this host. */
  readonly source: { readonly request: { readonly url: string; readonly git: { readonly history: string } } };
  readonly commits: readonly Commit[];
  /** Publishes what was committed up to a time, Unix seconds. */
  showUntil(time: number): void;
  close(): Promise<void>;
}

const COMMIT_EVERY_S = DAY_S / 2;
const TAG_EVERY = 10;

export async function openGitHost(from: number, to: number): Promise<GitHost> {
  const folder = temporaryFolder('git-host');
  const repositories = (SHIPPED_SOURCES['repositories']?.each ?? []).map((one) => one['repository'] ?? '');
  const commits = repositories.flatMap((repository, index) =>
    makeRepository(join(folder, `${repository}.git`), repository, { from: from + index * 600, to }),
  );
  const server = await replayServer(({ path }) => fileAt(folder, path));
  return {
    source: { request: { url: `${server.address}/{repository}.git`, git: { history: '365d' } } },
    commits,
    showUntil: (time) => {
      for (const repository of repositories)
        show(join(folder, `${repository}.git`), repository, { commits, time });
    },
    close: server.close,
  };
}

/** Creates all commits, one ref each; the branch is later moved to what is published. */
function makeRepository(
  dir: string,
  repository: string,
  { from, to }: { readonly from: number; readonly to: number },
): Commit[] {
  mkdirSync(dirname(dir), { recursive: true });
  execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch', 'main', dir]);
  const lines: string[] = [];
  const times: number[] = [];
  for (let at = from; at <= to; at += COMMIT_EVERY_S) times.push(Math.floor(at));
  for (const [index, at] of times.entries()) {
    const text = `line ${index}\n`.repeat(index % 7);
    const who = `Author ${index % 3} <author${index % 3}@example.org> ${at} +0000`;
    lines.push(`commit refs/hidden/all`, `mark :${index + 1}`, `author ${who}`, `committer ${who}`);
    lines.push('data 4', 'Work', `M 100644 inline file${index % 4}.txt`, `data ${text.length}`, text);
  }
  execFileSync('git', ['-C', dir, 'fast-import', '--quiet'], { input: `${lines.join('\n')}\n` });
  const ids = execFileSync('git', ['-C', dir, 'rev-list', '--reverse', 'refs/hidden/all'], {
    encoding: 'utf8',
  });
  return ids
    .trim()
    .split('\n')
    .map((id, index) => ({ repository: repository.toLowerCase(), id, at: times[index] ?? 0 }));
}

function show(
  dir: string,
  repository: string,
  { commits, time }: { readonly commits: readonly Commit[]; readonly time: number },
): void {
  const own = commits.filter((one) => one.repository === repository.toLowerCase() && one.at <= time);
  const tags = own.filter((_, index) => index % TAG_EVERY === 0);
  const refs = tags.map(({ id }, index) => `update refs/tags/v${index} ${id}\n`);
  const input = `update refs/heads/main ${own.at(-1)?.id}\n${refs.join('')}`;
  execFileSync('git', ['-C', dir, 'update-ref', '--stdin'], { input });
  execFileSync('git', ['-C', dir, 'update-server-info']);
}

/** Git can also read repositories over HTTP as files. */
function fileAt(folder: string, path: string): Reply {
  const file = join(folder, new URL(path, 'http://host').pathname);
  const headers = { 'content-type': 'application/octet-stream' };
  return existsSync(file) ? { headers, body: readFileSync(file) } : { status: 404 };
}
