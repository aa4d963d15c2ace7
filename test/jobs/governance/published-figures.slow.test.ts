// Measures of concentration that others publish with their inputs, from votes of those powers.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { governanceFigures, governanceRecords } from '../../../jobs/governance/dataset.ts';
import { governance } from '../../../jobs/governance/domain.ts';
import type { GovernanceFigure } from '../../../schemas/governance.ts';
import { type DomainWorld, openDomainWorld } from '../../support/domain-world.ts';

const DAY = 1_767_225_600;
const NOW = DAY + 80_000;

let world: DomainWorld;
beforeAll(async () => {
  world = await openDomainWorld(governance);
}, 60_000);
afterAll(() => world.close());

let protocols = 0;

/** The figures of a protocol on whose one proposal these powers were cast. */
async function figuresOf(powers: readonly number[]): Promise<GovernanceFigure | undefined> {
  protocols += 1;
  const protocol = `p${protocols}`;
  const decimals = 0;
  const proposal = { protocol, proposal_id: '1', state: 'active', proposer: 'x', created_at: DAY, decimals };
  await world.landRows('governance_proposal', [proposal]);
  const votes = powers.map((power, at) => ({
    ...{ protocol, proposal_id: '1', voter: `v${at}`, vote_id: `t${at}`, support: 'choice:4' },
    ...{ power: String(power), decimals, voted_at: DAY + 60 },
  }));
  await world.landRows('governance_vote', votes);
  await world.compute({ start: DAY, end: NOW + 1, now: NOW });
  return ((await world.document(governanceFigures, protocol)) as unknown as readonly GovernanceFigure[])[0];
}

// Blockchain-Technology-Lab/consensus-decentralization, tests/test_metrics.py.
test.each([
  [[1, 2, 3, 4, 5], 0.26667],
  [[368, 156, 20, 7, 10, 49, 22, 1], 0.67792],
  [[1, 1, 3, 0, 0], 0.56],
])('the Gini coefficient of %j is %d', async (powers, gini) => {
  expect((await figuresOf(powers))?.power_gini).toBeCloseTo(gini, 5);
});

// The same tests, in which an index of 10,000 is all power in one hand.
test.each([
  [[1, 1, 1, 1, 1, 1, 1, 1, 1, 1], 1_000],
  [[8, 6, 3, 3], 2_950],
  [[2, 2], 5_000],
  [[1], 10_000],
])('the Herfindahl-Hirschman index of %j is %d', async (powers, hhi) => {
  expect((await figuresOf(powers))?.power_hhi).toBeCloseTo(hhi / 10_000, 9);
});

// The same tests, and those of a voting application that asks for more than half, as we do; the first give 1 for an exact half (1, 2, 3).
test.each([
  [[1, 2, 3, 1, 1, 1], 2],
  [[1], 1],
  [[100, 10, 10, 10], 1],
  [[30, 30, 30, 10], 2],
  [[25, 25, 25, 25], 3],
  [[50, 50], 2],
])('the Nakamoto coefficient of %j is %d', async (powers, nakamoto) => {
  expect((await figuresOf(powers))?.nakamoto_coefficient).toBe(nakamoto);
});

// pabutools, tests/utils.py.
test('one of five with everything has a Gini coefficient of .8; without any power there is none', async () => {
  expect((await figuresOf([0, 0, 0, 0, 100]))?.power_gini).toBe(0.8);
  const powerless = await figuresOf([0, 0, 0, 0, 0]);
  expect(powerless).toMatchObject({ power_gini: null, power_hhi: null, nakamoto_coefficient: null });
  expect(powerless?.gaps).toContainEqual({ field: 'voting_power', reason: 'no_power' });
});

test('the record of 2.5 keeps its eighteen fields; what is more is in the figures, by the same numbers', async () => {
  const figures = await figuresOf([3, 1]);
  const [record] = (await world.document(governanceRecords, `p${protocols}`)) as unknown as readonly {
    readonly governance_metrics: { readonly proposal_metrics: object };
  }[];
  const { proposal_metrics, ...metrics } = record?.governance_metrics ?? { proposal_metrics: {} };
  expect(Object.keys(proposal_metrics).length + Object.keys(metrics).length).toBe(18);
  expect(figures).toMatchObject({
    ...proposal_metrics,
    ...metrics,
    total_power_cast: 4,
    monthly_power_cast: 4,
  });
});

test('a vote of a fourth choice is a vote, one of no known form is refused', async () => {
  const vote = {
    protocol: 'choices',
    proposal_id: '1',
    vote_id: 't',
    power: '1',
    decimals: 0,
    voted_at: DAY,
  };
  const receipt = await world.landRows('governance_vote', [
    { ...vote, voter: 'a', support: 'choice:4' },
    { ...vote, voter: 'b', support: 'Choice:Treasury and grants' },
    { ...vote, voter: 'c', support: 'yes' },
    { ...vote, voter: 'd', support: 'choice:' },
  ]);
  expect(receipt).toMatchObject({ rows_landed: 2, rows_quarantined: 2 });
});
