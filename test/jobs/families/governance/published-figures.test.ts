// Measures of concentration that others publish with their inputs, from votes of those powers.
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  governance,
  governanceFigures,
  governanceRecords,
} from '../../../../jobs/families/governance/domain.ts';
import { sources } from '../../../../jobs/families/sources/domain.ts';
import type { GovernanceFigure } from '../../../../schemas/governance.ts';
import { type DomainWorld, openDomainWorld } from '../../../support/domain-world.ts';

const DAY = 1_767_225_600;
const NOW = DAY + 80_000;

// Blockchain-Technology-Lab/consensus-decentralization, tests/test_metrics.py.
const GINI: readonly (readonly [powers: readonly number[], gini: number])[] = [
  [[1, 2, 3, 4, 5], 0.26667],
  [[368, 156, 20, 7, 10, 49, 22, 1], 0.67792],
  [[1, 1, 3, 0, 0], 0.56],
];
// The same tests, in which an index of 10,000 is all power in one hand.
const HERFINDAHL: readonly (readonly [powers: readonly number[], hhi: number])[] = [
  [[1, 1, 1, 1, 1, 1, 1, 1, 1, 1], 1_000],
  [[8, 6, 3, 3], 2_950],
  [[2, 2], 5_000],
  [[1], 10_000],
];
// The same tests, and those of a voting application that asks for more than half, as we do; the first give 1 for an exact half (1, 2, 3).
const NAKAMOTO: readonly (readonly [powers: readonly number[], nakamoto: number])[] = [
  [[1, 2, 3, 1, 1, 1], 2],
  [[1], 1],
  [[100, 10, 10, 10], 1],
  [[30, 30, 30, 10], 2],
  [[25, 25, 25, 25], 3],
  [[50, 50], 2],
];
// pabutools, tests/utils.py.
const CONCENTRATED = [0, 0, 0, 0, 100];
const POWERLESS = [0, 0, 0, 0, 0];
const PLAIN = [3, 1];

const named = (powers: readonly number[]) => `p${powers.join('-')}`;
const ALL = [
  ...[...GINI, ...HERFINDAHL, ...NAKAMOTO].map(([powers]) => powers),
  ...[CONCENTRATED, POWERLESS, PLAIN],
];

let world: DomainWorld;
/** On the one proposal of each protocol the powers were cast that it is named after. */
beforeAll(async () => {
  world = await openDomainWorld(governance, [sources]);
  const protocols = new Map(ALL.map((powers) => [named(powers), powers]));
  const proposal = { proposal_id: '1', state: 'active', proposer: 'x', created_at: DAY, decimals: 0 };
  await world.landRows(
    'governance_proposal',
    [...protocols.keys()].map((protocol) => ({ protocol, ...proposal })),
  );
  const vote = { proposal_id: '1', support: 'choice:4', decimals: 0, voted_at: DAY + 60 };
  const votes = [...protocols].flatMap(([protocol, powers]) =>
    powers.map((power, index) => ({
      protocol,
      voter: `v${index}`,
      vote_id: `t${index}`,
      power: String(power),
      ...vote,
    })),
  );
  await world.landRows('governance_vote', votes);
  await world.compute({ start: DAY, end: NOW + 1, now: NOW });
}, 60_000);
afterAll(() => world.close());

const figuresOf = async (powers: readonly number[]): Promise<GovernanceFigure | undefined> =>
  ((await world.document(governanceFigures, named(powers))) as unknown as readonly GovernanceFigure[])[0];

test.each(GINI)('the Gini coefficient of %j is %d', async (powers, gini) => {
  expect((await figuresOf(powers))?.power_gini).toBeCloseTo(gini, 5);
});

test.each(HERFINDAHL)('the Herfindahl-Hirschman index of %j is %d', async (powers, hhi) => {
  expect((await figuresOf(powers))?.power_hhi).toBeCloseTo(hhi / 10_000, 9);
});

test.each(NAKAMOTO)('the Nakamoto coefficient of %j is %d', async (powers, nakamoto) => {
  expect((await figuresOf(powers))?.nakamoto_coefficient).toBe(nakamoto);
});

test('one of five with everything has a Gini coefficient of .8; without any power there is none', async () => {
  expect((await figuresOf(CONCENTRATED))?.power_gini).toBe(0.8);
  const powerless = await figuresOf(POWERLESS);
  expect(powerless).toMatchObject({ power_gini: null, power_hhi: null, nakamoto_coefficient: null });
  expect(powerless?.gaps).toContainEqual({ field: 'voting_power', reason: 'no_power' });
});

test('the record of 2.5 keeps its eighteen fields; what is more is in the figures, by the same numbers', async () => {
  const figures = await figuresOf(PLAIN);
  const [record] = (await world.document(governanceRecords, named(PLAIN))) as unknown as readonly {
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

test('a vote of a fourth choice is a vote, and so is one of no known form', async () => {
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
  expect(receipt).toMatchObject({ rows_landed: 4, rows_quarantined: 0 });
});
