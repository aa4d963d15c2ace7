// A host of repositories: a real git server whose repositories grow as time passes.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { SHIPPED_SOURCES } from '../../../jobs/live/shipped.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { DAY_S } from './truth-finance.ts';

export interface Commit {
  readonly repository: string;
  readonly id: string;
  /** Unix seconds. */
  readonly at: number;
}

export interface GitHost {
  /** What a source is pointed to. */
  readonly source: { readonly request: { readonly url: string; readonly git: { readonly history: string } } };
  readonly commits: readonly Commit[];
  /** Shows what was committed until then, Unix seconds. */
  showUntil(time: number): void;
  close(): Promise<void>;
}

const COMMIT_EVERY_S = DAY_S / 2;
const TAG_EVERY = 10;

export async function openGitHost(from: number, to: number): Promise<GitHost> {
  const folder = temporaryFolder('git-host');
  const repositories = (SHIPPED_SOURCES['repositories']?.each ?? []).map((one) => one['repository'] ?? '');
  const commits = repositories.flatMap((repository, at) =>
    makeRepository(join(folder, repository), repository, { from: from + at * 600, to }),
  );
  const { process, port } = await serve(folder);
  return {
    source: { request: { url: `git://127.0.0.1:${port}/{repository}`, git: { history: '365d' } } },
    commits,
    showUntil: (time) => {
      for (const repository of repositories) show(join(folder, repository), repository, { commits, time });
    },
    close: () => stop(process),
  };
}

/** All commits are there, one ref for each; the branch is moved to what is shown. */
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
  execFileSync('git', ['-C', dir, 'config', 'uploadpack.hideRefs', 'refs/hidden']);
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
}

async function serve(folder: string): Promise<{ readonly process: ChildProcess; readonly port: number }> {
  const port = await freePort();
  const args = ['daemon', '--export-all', '--reuseaddr', '--listen=127.0.0.1', `--port=${port}`];
  const process = spawn('git', [...args, `--base-path=${folder}`, folder], {
    stdio: 'ignore',
    detached: true,
  });
  for (let tries = 0; tries < 200 && !(await isUp(port)); tries++) await delay(25);
  return { process, port };
}

/** The server answers in processes of its own: they end with their group. */
async function stop(daemon: ChildProcess): Promise<void> {
  if (daemon.pid === undefined || daemon.exitCode !== null) return;
  const ended = new Promise((done) => daemon.once('exit', done));
  process.kill(-daemon.pid, 'SIGTERM');
  await ended;
}

const isUp = (port: number): Promise<boolean> =>
  new Promise((done) => {
    const socket = connect(port, '127.0.0.1');
    const end = (isOpen: boolean) => {
      socket.destroy();
      done(isOpen);
    };
    socket.once('connect', () => end(true)).once('error', () => end(false));
  });

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((listening) => server.once('listening', listening));
  const { port } = server.address() as { readonly port: number };
  await new Promise((closed) => server.close(closed));
  return port;
}
