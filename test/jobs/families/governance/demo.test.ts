import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { governance, governanceRecords } from '../../../../jobs/families/governance/domain.ts';
import { sources as readings } from '../../../../jobs/families/sources/domain.ts';
import { governanceDemoSources } from '../../../../jobs/sources/demo/governance.ts';
import type { GovernanceRecord } from '../../../../schemas/governance.ts';
import { openDomainWorld } from '../../../support/domain-world.ts';
import { expectSameRows, rowsOf } from '../../sources/demo/cuts.ts';
import { STARTED_AT, settings } from '../../sources/demo/expand-rows.ts';

vi.setConfig({ testTimeout: 60_000 });

const DAY = 86_400;
const sources = governanceDemoSources(settings({ days: 3 }));
const [proposals, votes, electorates] = sources;
const ALL = { from: -1, to: STARTED_AT };

test('they say that they are simulated', () => {
  expect(sources.map(({ table }) => table)).toEqual([
    'governance_proposal',
    'governance_vote',
    'governance_electorate',
  ]);
  for (const { facts } of sources)
    expect(facts).toMatchObject({ kind: 'simulated', name: expect.stringContaining('simulated') });
});

test('a proposal that is over reports the sum of its votes to the last digit, a canceled one of those until then', async () => {
  const cast = await rowsOf(votes, ALL);
  const over = (await rowsOf(proposals, ALL)).filter(({ state }) => state === 'over');
  expect(over.some(({ canceled_at }) => canceled_at !== null)).toBe(true);
  for (const { protocol, proposal_id, for_votes } of over) {
    const own = cast.filter(
      (vote) =>
        vote['protocol'] === protocol && vote['proposal_id'] === proposal_id && vote['support'] === 'for',
    );
    expect(own.length).toBeGreaterThan(5);
    expect(String(own.reduce((sum, { power }) => sum + BigInt(String(power)), 0n))).toBe(for_votes);
  }
});

test('no one votes twice on a proposal, and some votes have no weight', async () => {
  const cast = await rowsOf(votes, ALL);
  const pairs = cast.map(({ protocol, proposal_id, voter }) => `${protocol} ${proposal_id} ${voter}`);
  expect(new Set(pairs).size).toBe(pairs.length);
  expect(cast.filter(({ power }) => power === '0').length).toBeGreaterThan(20);
});

test('any cut of time gives the same rows, another seed gives others', async () => {
  const cuts = fc.array(fc.integer({ min: STARTED_AT - 70 * DAY, max: STARTED_AT }), { maxLength: 6 });
  for (const source of [proposals, votes, electorates])
    await fc.assert(
      fc.asyncProperty(cuts, (instants) => expectSameRows(source, ALL, instants)),
      { numRuns: 8, seed: 3 },
    );
  const [other] = governanceDemoSources(settings({ days: 3, seed: 2 }));
  expect(await rowsOf(other, ALL)).not.toEqual(await rowsOf(proposals, ALL));
});

test('every protocol has seven whole records, and no tally is off', async () => {
  const world = await openDomainWorld(governance, [readings]);
  for (const { table, deliveries } of sources) {
    for await (const delivery of deliveries(ALL)) {
      const { rows_in, rows_landed } = await world.land(table, delivery);
      expect(rows_landed).toBe(rows_in);
    }
  }
  const window = { start: STARTED_AT - (STARTED_AT % DAY) - 100 * DAY, end: STARTED_AT + 1, now: STARTED_AT };
  await world.compute(window);
  expect(await world.audit(window)).toEqual([]);
  const { documents, unfit } = await world.documents(governanceRecords);
  expect(unfit).toEqual([]);
  expect(documents).toHaveLength(13);
  for (const { value } of documents) {
    const records = value as unknown as readonly GovernanceRecord[];
    expect(records).toHaveLength(7);
    for (const { governance_metrics } of records)
      expect(Object.entries(governance_metrics).filter(([, figure]) => figure === null)).toEqual([]);
  }
  await world.close();
});
