// Votes that were refused or never delivered are unknown: no figure over them is 0. An empty delivery says that there were none.
import { expect, onTestFinished, test } from 'vitest';
import { governance } from '../../../../jobs/families/governance/domain.ts';
import { sources } from '../../../../jobs/families/sources/domain.ts';
import type { GovernanceFigure, GovernanceRecord } from '../../../../schemas/governance.ts';
import { type FileRow, type FileWorld, openFileWorld } from '../../../support/file-world.ts';
import { seriesHashes } from '../../../support/pipeline-world.ts';

const DAY = 86_400;
const NOW = Date.UTC(2026, 2, 10, 9) / 1000;

const proposal = (protocol: string, id = '1', proposer = '0xa'): FileRow => ({
  protocol,
  proposal_id: id,
  state: 'active',
  proposer,
  created_at: NOW - 3 * DAY,
  vote_start_at: NOW - 3 * DAY,
  vote_end_at: NOW + DAY,
  decimals: 0,
});
const votesOf = (protocol: string, power: string): readonly FileRow[] =>
  [1, 2, 3].map((voter) => ({
    protocol,
    proposal_id: '1',
    voter: `0x${voter}`,
    vote_id: `1-${voter}`,
    support: 'for',
    power,
    decimals: 0,
    voted_at: NOW - 2 * DAY,
  }));
const electorate = (protocol: string): FileRow => ({
  protocol,
  observed_at: NOW - 5 * DAY,
  possible_voters: 100,
  supply: '1000',
  decimals: 0,
});

function worldOf(...protocols: readonly string[]): FileWorld {
  const world = openFileWorld({ domains: [sources, governance] });
  onTestFinished(() => world.remove());
  world.write('governance_proposal', {
    'list.ndjson': protocols.flatMap((one) => [proposal(one), proposal(one, '2', '0xb')]),
  });
  world.write('governance_electorate', { 'list.ndjson': protocols.map(electorate) });
  return world;
}

const daysOf = <T>(world: FileWorld, dataset: string, protocol: string): readonly T[] =>
  world.documents(dataset).find(({ key }) => key === protocol)?.value as unknown as readonly T[];
const figuresOf = (world: FileWorld, protocol: string) =>
  daysOf<GovernanceFigure>(world, 'governance-figures', protocol);

const UNKNOWN = {
  total_votes: null,
  total_voters: null,
  total_power_cast: null,
  monthly_votes: null,
  monthly_voters: null,
  monthly_power_cast: null,
  recent_voters: null,
  participation_rate: null,
  min_votes: null,
  max_votes: null,
  avg_vote_per_proposal: null,
  avg_voter_per_proposal: null,
};
const gapsFor = (reason: GovernanceFigure['gaps'][number]['reason']) =>
  (
    [
      'participation_rate',
      'voting_power',
      'votes_per_proposal',
      'votes',
      'monthly_votes',
      'recent_voters',
    ] as const
  ).map((field) => ({ field, reason }));
const NO_VOTES = {
  total_votes: 0,
  total_voters: 0,
  monthly_votes: 0,
  recent_voters: 0,
  participation_rate: 0,
};

test('votes that are all refused are unknown on every day, also in the record, next to good proposals', async () => {
  const world = worldOf('dao');
  world.write('governance_vote', { 'votes.ndjson': votesOf('dao', '?') });
  await world.run(NOW);
  for (const figures of figuresOf(world, 'dao'))
    expect(figures).toMatchObject({
      ...UNKNOWN,
      total_proposals: 2,
      gaps: expect.arrayContaining([...gapsFor('refused')]),
    });
  const [record] = daysOf<GovernanceRecord>(world, 'governance', 'dao');
  expect(record?.governance_metrics).toMatchObject({
    proposal_metrics: { total_proposals: 2, active_proposals: 2 },
    total_votes: null,
    monthly_voters: null,
    max_votes: null,
  });
  expect(world.words('governance').join()).toContain('governance_vote');
});

test('once they are delivered again, figures and history are those of a world that had them from the start', async () => {
  const world = worldOf('dao', 'other');
  world.write('governance_vote', { 'votes.ndjson': votesOf('dao', '?') });
  await world.run(NOW - 3_600);
  world.write('governance_vote', { 'votes.ndjson': votesOf('dao', '5') });
  await world.run(NOW);
  const sound = worldOf('dao', 'other');
  sound.write('governance_vote', { 'votes.ndjson': votesOf('dao', '5') });
  await sound.run(NOW);
  expect(figuresOf(world, 'dao')[0]).toMatchObject({
    total_votes: 3,
    total_power_cast: 15,
    recent_voters: 3,
  });
  expect(figuresOf(world, 'other')[0]).toMatchObject({ ...NO_VOTES });
  for (const id of ['governance', 'governance-figures'])
    expect(world.documents(id), id).toEqual(sound.documents(id));
  expect(seriesHashes(world.dir)).toEqual(seriesHashes(sound.dir));
});

test('without a source of votes they are not delivered', async () => {
  const world = worldOf('dao');
  await world.run(NOW);
  expect(figuresOf(world, 'dao')[0]).toMatchObject({ ...UNKNOWN, gaps: gapsFor('not_delivered') });
});

test('an empty delivery says that no one voted', async () => {
  const world = worldOf('dao');
  world.write('governance_vote', { 'votes.ndjson': '\n' });
  await world.run(NOW);
  expect(figuresOf(world, 'dao')[0]).toMatchObject({
    ...NO_VOTES,
    gaps: [{ field: 'voting_power', reason: 'no_power' }],
  });
});

test('only the protocol whose votes were refused is unknown', async () => {
  const world = worldOf('bad', 'good', 'quiet');
  world.write('governance_vote', { 'votes.ndjson': [...votesOf('bad', '?'), ...votesOf('good', '5')] });
  await world.run(NOW);
  expect(figuresOf(world, 'bad')[0]).toMatchObject({ ...UNKNOWN, gaps: gapsFor('refused') });
  expect(figuresOf(world, 'good')[0]).toMatchObject({ total_votes: 3, gaps: [] });
  expect(figuresOf(world, 'quiet')[0]).toMatchObject(NO_VOTES);
});
