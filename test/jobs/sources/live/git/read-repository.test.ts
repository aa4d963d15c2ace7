// Repositories read from a real git server: commits, merges, tags, rewritten history, and servers that cannot be read.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bodyPath } from '../../../../../jobs/sources/live/fetch/recording-store.ts';
import {
  commitsIn,
  type RepositoryPlan,
  readRepository,
} from '../../../../../jobs/sources/live/git/git-reader.ts';
import { freePort } from '../../../../support/free-port.ts';
import { openFixture, sourceOf } from '../fetching-fixture.ts';
import { json } from '../http/replay-server.ts';

const DAY = 86_400;
const START = 1_700_000_000;
const path = process.env['PATH'] ?? '';

/** A working copy without a remote: the server serves its folder. */
class Origin {
  readonly dir: string;

  constructor(dir: string) {
    this.dir = dir;
    execFileSync('git', ['init', '--quiet', '--initial-branch', 'trunk', dir]);
  }

  git(...args: string[]): string {
    return execFileSync('git', ['-C', this.dir, '-c', 'user.name=x', '-c', 'user.email=x@y', ...args], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  }

  commit(at: number, file: string, lines: number, author = 'Ada <ada@example.org>'): string {
    writeFileSync(
      join(this.dir, file),
      Array.from({ length: lines }, (_, line) => `${file} ${line}\n`).join(''),
    );
    this.git('add', '.');
    const dates = { GIT_AUTHOR_DATE: `@${at} +0000`, GIT_COMMITTER_DATE: `@${at} +0000` };
    execFileSync(
      'git',
      [
        '-C',
        this.dir,
        '-c',
        'user.name=x',
        '-c',
        'user.email=x@y',
        'commit',
        '--quiet',
        '-m',
        file,
        '--author',
        author,
      ],
      {
        env: { ...process.env, ...dates },
      },
    );
    return this.git('rev-parse', 'HEAD');
  }
}

describe('a repository on a git server', () => {
  let folder: string;
  let origin: Origin;
  let daemon: ChildProcess;
  let plan: RepositoryPlan;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'git-server-'));
    origin = new Origin(join(folder, 'project'));
    origin.commit(START, 'a.txt', 3);
    const port = await freePort();
    const args = [
      'daemon',
      '--export-all',
      '--reuseaddr',
      '--listen=127.0.0.1',
      `--port=${port}`,
      `--base-path=${folder}`,
      folder,
    ];
    daemon = spawn('git', args, { stdio: 'ignore', detached: true });
    plan = {
      repository: 'owner/project',
      url: `git://127.0.0.1:${port}/project`,
      copy: join(folder, 'copy.git'),
      since: START - DAY,
      pseudonymKey: 'secret',
      path,
    };
    for (let tries = 0; tries < 100; tries++) {
      const isUp = await readRepository({ ...plan, copy: join(folder, 'first.git') }, null).then(
        () => true,
        () => false,
      );
      if (isUp) break;
      await delay(50);
    }
  });
  afterAll(() => {
    if (daemon.pid !== undefined) process.kill(-daemon.pid);
    rmSync(folder, { recursive: true });
  });

  it('takes separators in the names of authors and taggers for text', async () => {
    const forged = `a\u001e${'c'.repeat(40)}\u001fb@example.org\u001fEve\u001f1\u001f\u001f`;
    const head = origin.commit(START + 10, 'forged.txt', 1, `${forged} <eve\u001ex@example.org>`);
    const { commits } = await readRepository({ ...plan, copy: join(folder, 'forged.git') }, null);
    expect(commits.map(({ commit_id }) => commit_id)).toContain(head);
    expect(commits).toHaveLength(Number(origin.git('rev-list', '--count', 'HEAD')));
    expect(JSON.stringify(commits)).not.toContain('example.org');
    origin.git('reset', '--hard', 'HEAD~1');
  });

  it('yields commits with their size, merges without one, and pseudonyms of authors', async () => {
    const first = origin.git('rev-parse', 'HEAD');
    const second = origin.commit(START + 100, 'a.txt', 5, 'ADA <Ada@Example.org>');
    origin.git('checkout', '--quiet', '-b', 'side');
    const side = origin.commit(
      START + 200,
      'b.txt',
      2,
      'dependabot[bot] <1+dependabot[bot]@users.noreply.github.com>',
    );
    origin.git('checkout', '--quiet', 'trunk');
    origin.git('merge', '--quiet', '--no-ff', '-m', 'merge', 'side');
    const merge = origin.git('rev-parse', 'HEAD');
    const { commits, head, holdsEarlier } = await readRepository(plan, null);
    const byId = new Map(commits.map((commit) => [commit.commit_id, commit]));
    expect([head, holdsEarlier, commits.length]).toEqual([merge, true, 4]);
    expect(byId.get(first)).toMatchObject({
      committed_at: START,
      parents: 0,
      files_changed: 1,
      insertions: 3,
    });
    expect(byId.get(second)).toMatchObject({ parents: 1, insertions: 2, deletions: 0, is_bot: false });
    expect(byId.get(second)?.author).toBe(byId.get(first)?.author);
    expect(byId.get(side)).toMatchObject({ is_bot: true, files_changed: 1 });
    expect(byId.get(merge)).toMatchObject({ parents: 2, files_changed: null, insertions: null });
    expect(JSON.stringify(commits)).not.toMatch(/@|\bada\b/i);
  });

  it('yields tags as releases, with the time of the tag', async () => {
    const dates = { GIT_COMMITTER_DATE: `@${START + 500} +0000` };
    execFileSync(
      'git',
      ['-C', origin.dir, '-c', 'user.name=x', '-c', 'user.email=x@y', 'tag', '-a', 'v1.0', '-m', 'one'],
      {
        env: { ...process.env, ...dates },
      },
    );
    origin.git('tag', 'v0.1', 'trunk~1');
    const { releases } = await readRepository(plan, null);
    expect(releases.map(({ tag, released_at }) => [tag, released_at])).toEqual([
      ['v0.1', START + 100],
      ['v1.0', START + 500],
    ]);
  });

  it('reads only what is newer than the given time, even when times are out of order', async () => {
    origin.commit(START - 5 * DAY, 'old.txt', 1);
    const late = origin.commit(START + 900, 'late.txt', 1);
    const { commits } = await readRepository({ ...plan, since: START + 90 }, null);
    expect(commits.map(({ committed_at }) => committed_at).every((time) => time >= START + 90)).toBe(true);
    expect(commits.map(({ commit_id }) => commit_id)).toContain(late);
    expect(commits.length).toBeGreaterThan(2);
  });

  it('notices rewritten history, and follows it', async () => {
    const before = await readRepository(plan, null);
    origin.git('reset', '--quiet', '--hard', 'HEAD~1');
    const other = origin.commit(START + 950, 'other.txt', 4);
    const after = await readRepository(plan, before.head);
    expect([after.head, after.holdsEarlier]).toEqual([other, false]);
    expect(after.commits.map(({ commit_id }) => commit_id)).not.toContain(before.head);
    expect((await readRepository(plan, other)).holdsEarlier).toBe(true);
  });

  it('is read as a source: everything new since the last commit, whatever its stated date', async () => {
    const fixture = await openFixture(() => json([]), { startMs: (START + 10 * DAY) * 1000 });
    try {
      const source = sourceOf({
        table: 'development_repository',
        request: { url: plan.url.replace('project', '{repository}'), git: { history: '30d' } },
        each: [{ repository: 'project', name: 'Project', kind: 'protocol' }],
        every: '1h',
        guards: { min_records: 0, min_share: 0 },
        format: 'ndjson',
      });
      const tables = async () => {
        const [fetched] = await fixture.start(source).once();
        const [recording] = fetched?.recordings ?? [];
        expect(recording?.reasons).toEqual([]);
        const text = recording?.pages.map((page) =>
          gunzipSync(readFileSync(bodyPath(fixture.folder, recording, page))),
        );
        return (text?.toString().split('\n') ?? []).flatMap((line) =>
          line === '' ? [] : [(JSON.parse(line) as { readonly table: string }).table],
        );
      };
      const first = await tables();
      expect(first[0]).toBe('development_repository');
      expect(first.filter((table) => table === 'development_commit').length).toBeGreaterThan(2);
      origin.commit(START - 20 * DAY, 'merged-late.txt', 1);
      await fixture.clock.sleep(2 * 3_600_000);
      const releases = first.filter((table) => table === 'development_release');
      expect(await tables()).toEqual(['development_commit', ...releases]);
    } finally {
      await fixture.close();
    }
  });

  it('has no commits only if git prints nothing', () => {
    expect(commitsIn('', plan)).toEqual([]);
    const commit = ['', 'a'.repeat(40), 'a@b', 'A', '1', '', '\n1\t1\tx\n'].join('\0');
    expect(commitsIn(commit, plan)).toHaveLength(1);
    for (const output of ['gpg: no such key\n', `gpg: no such key\n${commit}`, `${commit}\0`])
      expect(() => commitsIn(output, plan)).toThrow('git log printed something other than commits.');
  });

  it('is an error, never an empty list, when there is no server or no repository', async () => {
    const missing = { ...plan, copy: join(folder, 'missing.git'), url: `${plan.url}-missing` };
    await expect(readRepository(missing, null)).rejects.toThrow(/git ended with 128: fatal: .*/);
    await expect(readRepository({ ...missing, url: 'ext::sh -c date' }, null)).rejects.toThrow(
      /is not an http/,
    );
    await expect(readRepository({ ...missing, url: 'https://-oProxyCommand=x' }, null)).rejects.toThrow(
      /is not an http/,
    );
  });
});
