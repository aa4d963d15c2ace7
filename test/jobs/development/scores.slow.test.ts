import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { developmentProtocols, developmentScores } from '../../../jobs/development/dataset.ts';
import { development } from '../../../jobs/development/domain.ts';
import { doubtsAbout } from '../../../jobs/pipeline/gate/audit.ts';
import { modelWindow } from '../../../jobs/pipeline/run/plan.ts';
import type { DevelopmentRecord } from '../../../schemas/development.ts';
import { COUNTS } from '../../reliability/counts.ts';
import { type DomainWorld, openDomainWorld } from '../../support/domain-world.ts';
import { describeRealData, realData } from '../../support/real-data.ts';
import { type Commit, DAY, type Facts, scoresOn } from './development-model.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

/** 2026-01-01T00:00:00Z */
const T = 1_767_225_600;
const dayOf = (at: number) => at - (at % DAY);
const stamp = (day: number) => new Date(day * 1000).toISOString().slice(0, 19).replace('T', ' ');

let world: DomainWorld;
beforeEach(async () => {
  world = await openDomainWorld(development);
});
afterEach(() => world.close());

const records = async () =>
  ((await world.document(developmentScores, 'all')) ?? []) as unknown as readonly DevelopmentRecord[];

/** Expects the last seven days, newest first, to have the scores of the definition. */
async function expectScores(now: number, facts: Facts): Promise<void> {
  const found = await records();
  const days = [0, 1, 2, 3, 4, 5, 6].map((back) => dayOf(now) - back * DAY);
  const expected = days.flatMap((day) =>
    Object.entries(scoresOn(day, now, facts)).map(
      ([name, score]) => `${stamp(day)} ${name} ${score.toFixed(6)}`,
    ),
  );
  const shown = found.map(({ Name, score, timestamp }) => `${timestamp} ${Name} ${score.toFixed(6)}`);
  expect(shown.toSorted()).toEqual(expected.toSorted());
  expect(found.map(({ timestamp }) => timestamp)).toEqual(
    found
      .map(({ timestamp }) => timestamp)
      .toSorted()
      .toReversed(),
  );
}

const commitRow = ({ repository, author, at, parents, isBot }: Commit, no: number) => ({
  repository,
  commit_id: no.toString(16).padStart(40, '0'),
  author,
  is_bot: isBot,
  committed_at: at,
  parents,
});
const repositoryRow = (repository: string, name: string | null) => ({
  repository,
  name: name ?? 'Forked',
  kind: repository.startsWith('chain') ? 'blockchain' : 'protocol',
  is_fork: name === null,
  observed_at: T - 400 * DAY,
});

async function land({ commits, releases, owners }: Facts): Promise<void> {
  const rows = Object.entries(owners).map(([repository, name]) => repositoryRow(repository, name));
  if (rows.length > 0) await world.landRows('development_repository', rows);
  if (commits.length > 0) await world.landRows('development_commit', commits.map(commitRow));
  const tags = releases.map(({ repository, at }, no) => ({ repository, tag: `v${no}`, released_at: at }));
  if (tags.length > 0) await world.landRows('development_release', tags);
}

const spread = (repository: string, authors: readonly string[], count: number): Commit[] =>
  Array.from({ length: count }, (_, no) => ({
    repository,
    author: authors[no % authors.length] ?? '',
    at: T + no * 600,
    parents: no % 10 === 9 ? 2 : 1,
    isBot: false,
  }));
const compute = (now: number) => world.compute({ start: T - 90 * DAY, end: now + 1, now });
const scoreOf = async (name: string) => (await records()).find(({ Name }) => Name === name)?.score;
const OWNERS = { 'busy/code': 'busy', 'other/code': 'other' };
const busy = spread('busy/code', ['a', 'b', 'c'], 120);

describe('a repository', () => {
  const now = T + 2 * DAY;

  test('that is dormant scores 0 from the day its last commit leaves the window, and keeps its records', async () => {
    const last: Commit = { repository: 'other/code', author: 'x', at: T, parents: 1, isBot: false };
    const facts = { commits: [...busy, last], releases: [], owners: OWNERS };
    await land(facts);
    await compute(T + 31 * DAY);
    const other = (await records()).filter(({ Name }) => Name === 'other');
    expect(other.map(({ score }) => score > 0)).toEqual([false, false, true, true, true, true, true]);
    await expectScores(T + 31 * DAY, facts);
    await compute(T + 300 * DAY);
    expect((await records()).map(({ score }) => score)).toEqual(Array(14).fill(0));
  });

  test.each<[string, readonly Commit[], boolean]>([
    [
      'an author flagged as a bot, with one commit',
      [{ ...spread('other/code', ['bot'], 1)[0], isBot: true } as Commit],
      true,
    ],
    ['one author with 51 commits and no other', spread('other/code', ['bot'], 51), true],
    ['one author with 50 commits and no other', spread('other/code', ['bot'], 50), false],
    [
      'one author with 191 of 201 commits',
      [...spread('other/code', ['bot'], 191), ...spread('other/code', ['p', 'q'], 10)],
      true,
    ],
    [
      'one author with 190 of 200 commits',
      [...spread('other/code', ['bot'], 190), ...spread('other/code', ['p', 'q'], 10)],
      false,
    ],
  ])('written by %s', async (_what, commits, isBot) => {
    const facts = { commits: [...busy, ...commits], releases: [], owners: OWNERS };
    await land(facts);
    await compute(now);
    const [row] = await world.rows(
      `select bot_commits, authors from derived.development_activity where path = 'other' and day = ${dayOf(now)}`,
    );
    expect(Number(row?.['bot_commits']) > 0).toBe(isBot);
    await expectScores(now, facts);
  });

  test('that bots alone write scores 0, its releases included', async () => {
    const at = T + DAY;
    const releases = [
      { repository: 'other/code', at },
      { repository: 'busy/code', at },
    ];
    const facts = { commits: [...busy, ...spread('other/code', ['bot'], 60)], releases, owners: OWNERS };
    await land(facts);
    await compute(now);
    expect(await scoreOf('other')).toBe(0);
    await expectScores(now, facts);
  });

  test('that is a fork, or that no protocol has registered, is not scored, and the latter is named', async () => {
    const owners = { 'busy/code': 'busy', 'other/code': null };
    await land({
      commits: [...busy, ...spread('other/code', ['x', 'y'], 9), ...spread('lost/code', ['z', 'y'], 9)],
      releases: [],
      owners,
    });
    await compute(now);
    expect((await records()).map(({ Name }) => Name)).toEqual(['busy', 'busy', 'busy']);
    const findings = await world.audit({ start: T, end: now + 1, now });
    expect(doubtsAbout(findings, new Set(['derived.development_history']))).toEqual([
      { reason: 'no protocol has registered lost/code', weight: 0.5 },
    ]);
  });

  test('that is registered and of which no commit is known has no records and is named', async () => {
    await land({ commits: busy, releases: [], owners: OWNERS });
    await compute(now);
    expect(await scoreOf('other')).toBeUndefined();
    expect((await world.audit({ start: T, end: now + 1, now }))[0]?.rows).toEqual([
      { reason: 'no commits of other/code', weight: 0.5 },
    ]);
  });
});

test('a path is the lower-case name without spaces, the name keeps them', async () => {
  await land({ commits: busy, releases: [], owners: { 'busy/code': 'Yearn Finance' } });
  await compute(T + DAY - 1);
  expect(await world.document(developmentProtocols, 'yearnfinance')).toEqual([
    { Name: 'yearn finance', score: 1, timestamp: '2026-01-01 00:00:00' },
  ]);
});

test('an author of two repositories of one protocol counts once, and a commit counts on its UTC day', async () => {
  const facts = {
    commits: [
      ...spread('busy/code', ['a', 'b'], 8),
      ...spread('busy/more', ['b', 'c'], 8),
      { repository: 'other/code', author: 'x', at: T + DAY - 1, parents: 1, isBot: false },
      { repository: 'other/code', author: 'y', at: T + DAY, parents: 1, isBot: false },
    ],
    releases: [],
    owners: { ...OWNERS, 'busy/more': 'busy' },
  };
  await land(facts);
  await compute(T + DAY);
  await expectScores(T + DAY, facts);
  const [row] = await world.rows(
    `select authors from derived.development_activity where path = 'busy' and day = ${T + DAY}`,
  );
  expect(row).toEqual({ authors: 3 });
});

const REPOSITORIES = ['p/a', 'p/b', 'p/c', 'chain/a', 'chain/b', 'f/f'];
const NAMES = ['alpha', 'alpha', 'gamma', 'eth', 'sol', null];
const moment = fc.tuple(fc.nat(60), fc.constantFrom(0, 1, DAY - 1)).map(([day, s]) => T + day * DAY + s);
const run = fc.record({
  repository: fc.constantFrom(...REPOSITORIES),
  author: fc.constantFrom('a', 'b', 'c', 'd'),
  at: moment,
  count: fc.constantFrom(1, 1, 2, 60),
  parents: fc.constantFrom(0, 1, 2),
  isBot: fc.constantFrom(false, false, false, true),
});
const release = fc.record({ repository: fc.constantFrom(...REPOSITORIES), at: moment });

test('any commits and releases have the scores of the definition, in one pass and in any steps', async () => {
  const drawn = fc.record({
    runs: fc.array(run, { maxLength: 25 }),
    releases: fc.array(release, { maxLength: 6 }),
  });
  const stops = fc.uniqueArray(fc.nat(66 * DAY), { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(drawn, stops, async ({ runs, releases }, offsets) => {
      await world.close();
      world = await openDomainWorld(development);
      const commits = runs.flatMap(({ count, ...commit }) => Array.from({ length: count }, () => commit));
      const owners = Object.fromEntries(
        REPOSITORIES.map((repository, at) => [repository, NAMES[at] ?? null]),
      );
      const facts = { commits, releases, owners };
      await land(facts);
      const now = T + 66 * DAY + 5;
      await compute(now);
      await expectScores(now, facts);
      let processedTo: number | null = null;
      for (const to of [...offsets.toSorted((a, b) => a - b).map((offset) => T + offset), now]) {
        const window = modelWindow({
          to,
          processedTo,
          dirtyFrom: processedTo === null ? T - 400 * DAY : null,
        });
        await world.compute(window ?? { start: now, end: now, now });
        processedTo = to;
      }
      await expectScores(now, facts);
    }),
    { numRuns: COUNTS.walks(8), endOnFailure: true },
  );
});

describeRealData('the commits of three repositories', () => {
  const FILES = {
    'morpho-org/morpho-blue': 'morpho',
    'yearn/ydaemon': 'yearn finance',
    'defillama/yield-server': 'defillama',
  };

  function commitsOf(repository: string): Commit[] {
    const name = repository.replace('/', '--').replace('defillama', 'DefiLlama');
    const [, ...lines] = readFileSync(realData(`development/${name}-commits.csv`), 'utf8')
      .trim()
      .split(/\r?\n/);
    return lines.map((line) => {
      const [, , committed = '', author = '', bot, parents, ...shape] = line.split(',');
      return {
        ...(shape.some((lines) => Number(lines) > 0) ? { shape: shape.join() } : {}),
        repository,
        author,
        at: Date.parse(committed) / 1000,
        parents: Number(parents),
        isBot: bot === '1',
      };
    });
  }

  test.each(['2023-10-05T12:00:00Z', '2025-06-30T23:59:59Z', '2026-03-14T00:00:00Z', '2026-08-22T23:59:59Z'])(
    'as of %s have the scores of the definition on each of seven days',
    async (text) => {
      const receipts = await world.landExample('development');
      expect(receipts.map(({ rows_in, rows_landed }) => [rows_in, rows_landed])).toEqual([
        [3, 3],
        [2_148, 2_148],
        [1_232, 1_232],
        [6_862, 6_862],
      ]);
      const now = Date.parse(text) / 1000;
      await world.compute({ start: 1_609_459_200, end: now + 1, now });
      await expectScores(now, {
        commits: Object.keys(FILES).flatMap(commitsOf),
        releases: [],
        owners: FILES,
      });
    },
  );

  test('yearn/ydaemon, without a commit since March 2026, is dormant in August: 0 and not a gap', async () => {
    await world.landExample('development');
    const now = Date.UTC(2026, 7, 22, 12) / 1000;
    await world.compute({ start: 1_609_459_200, end: now + 1, now });
    const dormant = (await records()).filter(({ Name }) => Name === 'yearn finance');
    expect(dormant.map(({ score }) => score)).toEqual([0, 0, 0, 0, 0, 0, 0]);
  });
});
