import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { describeRealData, realData } from '../../../support/real-data.ts';
import type { Commit } from './development-model.ts';
import { openScoredWorld, type ScoredWorld } from './scored-world.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

/** 2021-01-01T00:00:00Z */
const FIRST = 1_609_459_200;

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
        ...(shape.some((lines) => Number(lines) > 0)
          ? { shape: shape.join() }
          : { isEmpty: Number(parents) < 2 && shape.every((lines) => lines === '0') }),
        repository,
        author,
        at: Date.parse(committed) / 1000,
        parents: Number(parents),
        isBot: bot === '1',
      };
    });
  }

  let world: ScoredWorld;
  beforeAll(async () => {
    world = await openScoredWorld();
    const receipts = await world.landExample('development');
    expect(receipts.map(({ rows_in, rows_landed }) => [rows_in, rows_landed])).toEqual([
      [3, 3],
      [2_148, 2_148],
      [1_232, 1_232],
      [6_862, 6_862],
    ]);
  });
  afterAll(() => world.close());

  test.each(['2023-10-05T12:00:00Z', '2025-06-30T23:59:59Z', '2026-03-14T00:00:00Z', '2026-08-22T23:59:59Z'])(
    'as of %s have the scores of the definition on each of seven days',
    async (text) => {
      const now = Date.parse(text) / 1000;
      await world.computeAt(now, FIRST);
      await world.expectScores(now, {
        commits: Object.keys(FILES).flatMap(commitsOf),
        releases: [],
        owners: FILES,
      });
    },
  );

  test('yearn/ydaemon, without a commit since March 2026, is dormant in August: 0 and not a gap', async () => {
    const now = Date.UTC(2026, 7, 22, 12) / 1000;
    await world.computeAt(now, FIRST);
    const dormant = (await world.records()).filter(({ Name }) => Name === 'yearn finance');
    expect(dormant.map(({ score }) => score)).toEqual([0, 0, 0, 0, 0, 0, 0]);
  });
});
