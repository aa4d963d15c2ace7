import fc from 'fast-check';
import { afterAll, expect, test, vi } from 'vitest';
import {
  governance,
  governanceFigures,
  governanceRecords,
} from '../../../../jobs/families/governance/domain.ts';
import { sources } from '../../../../jobs/families/sources/domain.ts';
import { modelWindow } from '../../../../jobs/pipeline/run/plan.ts';
import { COUNTS } from '../../../reliability/counts.ts';
import { openDomainWorld } from '../../../support/domain-world.ts';
import {
  DAY,
  type Facts,
  governanceOn,
  type Proposal,
  usualMeasures,
  type Vote,
} from './governance-model.ts';

vi.setConfig({ testTimeout: 300_000 });

/** 2024-01-20: the 32-day rhythm of checkpoints and three turns of a month fall into the days after it. */
const START = 1_705_708_800;
const NOW = START + 75 * DAY + 1_000;
const DAYS = 55;

const world = await openDomainWorld(governance, [sources]);
afterAll(() => world.close());

const moment = fc
  .tuple(fc.nat(DAYS), fc.constantFrom(0, 1, 50_000, DAY - 1))
  .map(([day, s]) => START + day * DAY + s);
const power = fc.constantFrom(0n, 1n, 5n, 10n ** 18n, 3n * 10n ** 18n, 10n ** 30n);
const proposal = fc.record({
  proposer: fc.constantFrom('v0', 'v1', 'p', null),
  created: moment,
  opens: fc.option(fc.nat(3 * DAY)),
  ends: fc.option(fc.integer({ min: 1, max: 9 * DAY })),
  canceled: fc.option(fc.nat(9 * DAY), { freq: 2 }),
});
const ballot = fc.record({ proposal: fc.nat(5), voter: fc.nat(4), at: moment, power });
const report = fc.record({ at: moment, possible: fc.nat(12) });

const factsOf = fc
  .record({
    proposals: fc.array(proposal, { minLength: 1, maxLength: 5 }),
    votes: fc.array(ballot, { maxLength: 25 }),
    electorate: fc.uniqueArray(report, { maxLength: 3, selector: ({ at }) => at }),
  })
  .map((drawn): Facts => {
    const proposals = drawn.proposals.map(({ proposer, created, opens, ends, canceled }, index): Proposal => {
      const start = opens === null ? null : created + opens;
      return {
        id: `${index}`,
        proposer,
        created,
        opens: start,
        ends: [
          ...(ends === null ? [] : [(start ?? created) + ends]),
          ...(canceled === null ? [] : [created + canceled]),
        ],
        ...(ends === null ? {} : { voteEnd: (start ?? created) + ends }),
        ...(canceled === null ? {} : { canceled: created + canceled }),
      };
    });
    const votes = drawn.votes.map(({ proposal: of, voter, ...vote }): Vote => {
      return { ...vote, proposal: `${of}`, voter: `v${voter}` };
    });
    return { proposals, votes, electorate: drawn.electorate };
  });

let runs = 0;

const proposalRow = (
  protocol: string,
  { id, proposer, created, opens, voteEnd = null, canceled = null }: Proposal,
) => ({
  protocol,
  proposal_id: id,
  state: 'made',
  proposer,
  created_at: created,
  vote_start_at: opens,
  vote_end_at: voteEnd,
  canceled_at: canceled,
  decimals: 18,
});
const voteRow = (protocol: string, { proposal, voter, at, power }: Vote, no: number) => ({
  protocol,
  proposal_id: proposal,
  voter,
  vote_id: `t${no}`,
  support: 'for',
  power: String(power),
  decimals: 18,
  voted_at: at,
});

async function landAll(table: string, rows: Parameters<typeof world.landRows>[1]): Promise<void> {
  if (rows.length === 0) return;
  const receipt = await world.landRows(table, rows);
  expect(receipt).toMatchObject({ rows_quarantined: 0, rows_deduplicated: 0 });
}

/** Lands each of the facts under a protocol of its own and answers their names. */
async function land(worlds: readonly Facts[]): Promise<readonly string[]> {
  runs += 1;
  const named = worlds.map((facts, index) => ({ ...facts, name: `w${runs}.${index}` }));
  await landAll(
    'governance_proposal',
    named.flatMap(({ name, proposals }) => proposals.map((one) => proposalRow(name, one))),
  );
  await landAll(
    'governance_vote',
    named.flatMap(({ name, votes }) => votes.map((one, no) => voteRow(name, one, no))),
  );
  await landAll(
    'governance_electorate',
    named.flatMap(({ name, electorate = [] }) =>
      electorate.map(({ at, possible }) => ({
        protocol: name,
        observed_at: at,
        possible_voters: possible,
        decimals: 18,
      })),
    ),
  );
  return named.map(({ name }) => name);
}

async function walk(instants: readonly number[]): Promise<void> {
  let processedTo: number | null = null;
  for (const to of instants) {
    const window = modelWindow({ to, processedTo, dirtyFrom: processedTo === null ? START : null });
    if (window === null) throw new Error(`nothing to compute at ${to}`);
    await world.compute(window);
    processedTo = to;
  }
}

const lastHeard = ({ proposals, votes, electorate = [] }: Facts) =>
  Math.max(
    ...proposals.map(({ created }) => created),
    ...votes.map(({ at }) => at),
    ...electorate.map(({ at }) => at),
  );

async function check(name: string, facts: Facts): Promise<void> {
  expect(lastHeard(facts)).toBeLessThan(NOW);
  const today = NOW - (NOW % DAY);
  const firstDay = Math.min(...facts.proposals.map(({ created }) => created - (created % DAY)));
  const days = [0, 1, 2, 3, 4, 5, 6].map((back) => today - back * DAY).filter((day) => day >= firstDay);
  const records = days.map((day) => ({ timestamp: day, governance_metrics: governanceOn(day, NOW, facts) }));
  expect([name, await world.document(governanceRecords, name)]).toEqual([name, records]);
  const figures = days.map((day, index) => {
    const { proposal_metrics, ...metrics } =
      records[index]?.governance_metrics ?? governanceOn(day, NOW, facts);
    return { ...proposal_metrics, ...metrics, ...usualMeasures(day, NOW, facts) };
  });
  expect([name, await world.document(governanceFigures, name)]).toMatchObject([name, figures]);
}

const instants = fc
  .uniqueArray(fc.nat(75 * DAY), { maxLength: 8 })
  .map((offsets) => [...offsets.toSorted((a, b) => a - b).map((offset) => START + offset), NOW]);

test('any proposals and votes have the figures of their definitions, in one pass and in any steps', async () => {
  const worlds = fc.array(factsOf, { minLength: 12, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(worlds, instants, async (drawn, steps) => {
      const names = await land(drawn);
      await walk([NOW]);
      for (const [index, facts] of drawn.entries()) await check(names[index] ?? '', facts);
      await world.rows('delete from derived.governance_day');
      await walk(steps);
      for (const [index, facts] of drawn.entries()) await check(names[index] ?? '', facts);
    }),
    { numRuns: COUNTS.walks(6), endOnFailure: true },
  );
});

test('votes that come late re-open their day', async () => {
  const of = (votes: readonly Vote[]): Facts => ({
    proposals: [
      {
        id: '0',
        proposer: 'p',
        created: START,
        opens: START,
        ends: [START + 9 * DAY],
        voteEnd: START + 9 * DAY,
      },
    ],
    votes,
  });
  const early: Vote = { proposal: '0', voter: 'v0', at: START + 50 * DAY, power: 5n };
  const late: Vote = { proposal: '0', voter: 'v1', at: START + 2 * DAY, power: 9n };
  const [name = ''] = await land([of([early])]);
  await walk([NOW]);
  await landAll('governance_vote', [voteRow(name, late, 99)]);
  const window = modelWindow({ to: NOW, processedTo: NOW, dirtyFrom: late.at });
  await world.compute(window ?? { start: NOW, end: NOW, now: NOW });
  await check(name, of([early, late]));
});
