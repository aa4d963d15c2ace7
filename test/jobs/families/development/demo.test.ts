import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import {
  development,
  developmentBlockchains,
  developmentProtocols,
  developmentScores,
} from '../../../../jobs/families/development/domain.ts';
import { developmentDemoSources } from '../../../../jobs/sources/demo/development.ts';
import type { DevelopmentRecord } from '../../../../schemas/development.ts';
import { openDomainWorld } from '../../../support/domain-world.ts';
import { expectSameRows, rowsOf } from '../../sources/demo/cuts.ts';
import { STARTED_AT, settings } from '../../sources/demo/expand-rows.ts';

vi.setConfig({ testTimeout: 60_000 });

const DAY = 86_400;
const sources = developmentDemoSources(settings({ days: 3 }));
const [, commits, releases] = sources;
const ALL = { from: -1, to: STARTED_AT };

test('they say that they are simulated', () => {
  expect(sources.map(({ table }) => table)).toEqual([
    'development_repository',
    'development_commit',
    'development_release',
  ]);
  for (const { facts } of sources)
    expect(facts).toMatchObject({ kind: 'simulated', name: expect.stringContaining('simulated') });
});

test('any cut of time gives the same rows, another seed gives others', async () => {
  const cuts = fc.array(fc.integer({ min: STARTED_AT - 45 * DAY, max: STARTED_AT }), { maxLength: 6 });
  for (const source of [...sources])
    await fc.assert(
      fc.asyncProperty(cuts, (instants) => expectSameRows(source, ALL, instants)),
      { numRuns: 8, seed: 3 },
    );
  const [, other] = developmentDemoSources(settings({ days: 3, seed: 2 }));
  expect(await rowsOf(other, ALL)).not.toEqual(await rowsOf(commits, ALL));
});

test('the latest rows are of the last hours before the start', async () => {
  const latest = Math.max(...(await rowsOf(commits, ALL)).map(({ committed_at }) => Number(committed_at)));
  expect(STARTED_AT - latest).toBeLessThan(DAY);
  expect((await rowsOf(releases, ALL)).length).toBeGreaterThan(20);
});

test('every protocol has seven scores; the sleeping and the bot-written repository have 0, the fork is not counted', async () => {
  const world = await openDomainWorld(development);
  for (const { table, deliveries } of sources) {
    for await (const delivery of deliveries(ALL)) {
      const { rows_in, rows_landed } = await world.land(table, delivery);
      expect(rows_landed).toBe(rows_in);
    }
  }
  const window = { start: STARTED_AT - (STARTED_AT % DAY) - 60 * DAY, end: STARTED_AT + 1, now: STARTED_AT };
  await world.compute(window);
  const [doubt, ...others] = await world.audit(window);
  expect(others).toEqual([]);
  expect(doubt?.rows.map(({ reason }) => reason)).toEqual([
    expect.stringMatching(/^tether-demo\/contracts: author \w+ counts as a bot \(alike\), \d+ commits/),
  ]);
  const { documents: protocols } = await world.documents(developmentProtocols);
  const { documents: blockchains } = await world.documents(developmentBlockchains);
  expect(protocols.map(({ key }) => key)).toContain('curvefinance');
  expect(protocols.map(({ key }) => key)).toContain('yearnfinance');
  expect([protocols.length, blockchains.length]).toEqual([14, 8]);
  const all = (await world.document(developmentScores, 'all')) as unknown as readonly DevelopmentRecord[];
  expect(all).toHaveLength(22 * 7);
  const idle = new Set(all.filter(({ score }) => score === 0).map(({ Name }) => Name));
  expect([...idle].toSorted()).toEqual(['synthetix', 'tether']);
  expect(Math.max(...all.map(({ score }) => score))).toBeGreaterThan(0.9);
  const [aave] = await world.rows(
    `select repositories from derived.development_activity where path = 'aave' and day = ${STARTED_AT - (STARTED_AT % DAY)}`,
  );
  expect(aave).toEqual({ repositories: 2 });
  await world.close();
});
