// A world of development: lands repositories, commits and releases, computes, and holds the scores against their definition.
import { expect } from 'vitest';
import { development, developmentScores } from '../../../../jobs/families/development/domain.ts';
import type { DevelopmentRecord } from '../../../../schemas/development.ts';
import { type DomainWorld, openDomainWorld } from '../../../support/domain-world.ts';
import { type Commit, DAY, type Facts, scoresOn } from './development-model.ts';

/** 2026-01-01T00:00:00Z */
export const T = 1_767_225_600;
export const dayOf = (at: number) => at - (at % DAY);
const stamp = (day: number) => new Date(day * 1000).toISOString().slice(0, 19).replace('T', ' ');

export interface ScoredWorld extends DomainWorld {
  /** Lands facts as rows. */
  take(facts: Facts): Promise<void>;
  /** In one pass over the days since `from`. */
  computeAt(now: number, from?: number): Promise<void>;
  records(): Promise<readonly DevelopmentRecord[]>;
  /** Expects the last seven days, newest first, to have the scores of the definition. */
  expectScores(now: number, facts: Facts): Promise<void>;
}

export async function openScoredWorld(): Promise<ScoredWorld> {
  const world = await openDomainWorld(development);
  const records = async () =>
    ((await world.document(developmentScores, 'all')) ?? []) as unknown as readonly DevelopmentRecord[];
  return {
    ...world,
    take: (facts) => take(world, facts),
    computeAt: (now, from = T - 90 * DAY) => world.compute({ start: from, end: now + 1, now }),
    records,
    expectScores: async (now, facts) => expectScores(await records(), now, facts),
  };
}

function expectScores(found: readonly DevelopmentRecord[], now: number, facts: Facts): void {
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

async function take(world: DomainWorld, { commits, releases, owners }: Facts): Promise<void> {
  const rows = Object.entries(owners).map(([repository, name]) => repositoryRow(repository, name));
  if (rows.length > 0) await world.landRows('development_repository', rows);
  if (commits.length > 0) await world.landRows('development_commit', commits.map(commitRow));
  const tags = releases.map(({ repository, at }, no) => ({ repository, tag: `v${no}`, released_at: at }));
  if (tags.length > 0) await world.landRows('development_release', tags);
}
