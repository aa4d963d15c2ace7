import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { developmentProtocols } from '../../../../jobs/families/development/domain.ts';
import { doubtsAbout } from '../../../../jobs/pipeline/gate/audit.ts';
import { modelWindow } from '../../../../jobs/pipeline/run/plan.ts';
import { COUNTS } from '../../../reliability/counts.ts';
import { type Commit, DAY, type Facts } from './development-model.ts';
import { dayOf, openScoredWorld, type ScoredWorld, T } from './scored-world.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

let world: ScoredWorld;
const open = async () => {
  world = await openScoredWorld();
};
const close = () => world.close();

const spread = (repository: string, authors: readonly string[], count: number): Commit[] =>
  Array.from({ length: count }, (_, no) => ({
    repository,
    author: authors[no % authors.length] ?? '',
    at: T + no * 600,
    parents: no % 10 === 9 ? 2 : 1,
    isBot: false,
  }));
const OWNERS = { 'busy/code': 'busy', 'other/code': 'other' };
const busy = spread('busy/code', ['a', 'b', 'c'], 120);

describe('a repository written by', () => {
  const now = T + 2 * DAY;
  /** Commits of a first author, then of two others in turn. */
  const written = (repository: string, first: number, others: number): readonly Commit[] => [
    ...spread(repository, [`${repository}-first`], first),
    ...spread(repository, [`${repository}-p`, `${repository}-q`], others),
  ];
  const cases: readonly (readonly [
    by: string,
    commits: (repository: string) => readonly Commit[],
    isBot: boolean,
  ])[] = [
    [
      'an author flagged as a bot, with one commit',
      (name) => written(name, 1, 0).map((one) => ({ ...one, isBot: true })),
      true,
    ],
    ['one author with 51 commits and no other', (name) => written(name, 51, 0), true],
    ['one author with 50 commits and no other', (name) => written(name, 50, 0), false],
    ['one author with 191 of 201 commits', (name) => written(name, 191, 10), true],
    ['one author with 190 of 200 commits', (name) => written(name, 190, 10), false],
  ];
  const facts: Facts = {
    commits: [...busy, ...cases.flatMap(([, commits], index) => commits(`written/${index}`))],
    releases: [],
    owners: {
      'busy/code': 'busy',
      ...Object.fromEntries(cases.map((_, index) => [`written/${index}`, `other ${index}`])),
    },
  };
  beforeAll(async () => {
    await open();
    await world.take(facts);
    await world.computeAt(now);
  });
  afterAll(close);

  test.each(cases.map(([by, , isBot], index) => [by, index, isBot] as const))(
    '%s',
    async (_by, at, isBot) => {
      const [row] = await world.rows(
        `select bot_commits, authors from derived.development_activity where path = 'other${at}' and day = ${dayOf(now)}`,
      );
      expect(Number(row?.['bot_commits']) > 0).toBe(isBot);
    },
  );

  test('one of these has the scores of the definition', () => world.expectScores(now, facts));
});

const scoreOf = async (name: string) => (await world.records()).find(({ Name }) => Name === name)?.score;

describe('a repository', () => {
  beforeEach(open);
  afterEach(close);
  const now = T + 2 * DAY;

  test('that is dormant scores 0 from the day its last commit leaves the window, and keeps its records', async () => {
    const last: Commit = { repository: 'other/code', author: 'x', at: T, parents: 1, isBot: false };
    const facts = { commits: [...busy, last], releases: [], owners: OWNERS };
    await world.take(facts);
    await world.computeAt(T + 31 * DAY);
    const other = (await world.records()).filter(({ Name }) => Name === 'other');
    expect(other.map(({ score }) => score > 0)).toEqual([false, false, true, true, true, true, true]);
    await world.expectScores(T + 31 * DAY, facts);
    await world.computeAt(T + 300 * DAY);
    expect((await world.records()).map(({ score }) => score)).toEqual(Array(14).fill(0));
  });

  test('that bots alone write scores 0, its releases included', async () => {
    const at = T + DAY;
    const releases = [
      { repository: 'other/code', at },
      { repository: 'busy/code', at },
    ];
    const facts = { commits: [...busy, ...spread('other/code', ['bot'], 60)], releases, owners: OWNERS };
    await world.take(facts);
    await world.computeAt(now);
    expect(await scoreOf('other')).toBe(0);
    await world.expectScores(now, facts);
  });

  test('that is a fork, or that no protocol has registered, is not scored, and the latter is named', async () => {
    const owners = { 'busy/code': 'busy', 'other/code': null };
    await world.take({
      commits: [...busy, ...spread('other/code', ['x', 'y'], 9), ...spread('lost/code', ['z', 'y'], 9)],
      releases: [],
      owners,
    });
    await world.computeAt(now);
    expect((await world.records()).map(({ Name }) => Name)).toEqual(['busy', 'busy', 'busy']);
    const findings = await world.audit({ start: T, end: now + 1, now });
    expect(doubtsAbout(findings, new Set(['derived.development_history']))).toEqual([
      { reason: 'no protocol has registered lost/code', weight: 0.5 },
    ]);
  });

  test('that is registered and of which no commit is known has no records and is named', async () => {
    await world.take({ commits: busy, releases: [], owners: OWNERS });
    await world.computeAt(now);
    expect(await scoreOf('other')).toBeUndefined();
    expect((await world.audit({ start: T, end: now + 1, now }))[0]?.rows).toEqual([
      { reason: 'no commits of other/code', weight: 0.5 },
    ]);
  });
});

test('a path is the lower-case name without spaces, the name keeps them', async () => {
  await open();
  await world.take({ commits: busy, releases: [], owners: { 'busy/code': 'Yearn Finance' } });
  await world.computeAt(T + DAY - 1);
  expect(await world.document(developmentProtocols, 'yearnfinance')).toEqual([
    { Name: 'yearn finance', score: 1, timestamp: '2026-01-01 00:00:00' },
  ]);
  await close();
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
  await open();
  await world.take(facts);
  await world.computeAt(T + DAY);
  await world.expectScores(T + DAY, facts);
  const [row] = await world.rows(
    `select authors from derived.development_activity where path = 'busy' and day = ${T + DAY}`,
  );
  expect(row).toEqual({ authors: 3 });
  await close();
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
      await open();
      const commits = runs.flatMap(({ count, ...commit }) => Array.from({ length: count }, () => commit));
      const owners = Object.fromEntries(
        REPOSITORIES.map((repository, index) => [repository, NAMES[index] ?? null]),
      );
      const facts = { commits, releases, owners };
      await world.take(facts);
      const now = T + 66 * DAY + 5;
      await world.computeAt(now);
      await world.expectScores(now, facts);
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
      await world.expectScores(now, facts);
      await close();
    }),
    { numRuns: COUNTS.walks(8), endOnFailure: true },
  );
});
