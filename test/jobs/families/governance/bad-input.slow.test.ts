import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { FieldMapping } from '../../../../jobs/define/source.ts';
import { governance, governanceRecords } from '../../../../jobs/families/governance/domain.ts';
import { sources } from '../../../../jobs/families/sources/domain.ts';
import { doubtsAbout } from '../../../../jobs/pipeline/gate/audit.ts';
import { type DomainWorld, exampleConfig, openDomainWorld } from '../../../support/domain-world.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const DAY = 86_400;
const T = 1_704_067_200;
const window = { start: T, end: T + 5 * DAY, now: T + 5 * DAY - 1 };

let world: DomainWorld;
let dir: string;
beforeEach(async () => {
  world = await openDomainWorld(governance, [sources]);
  dir = temporaryFolder('governance');
});
afterEach(async () => {
  await world.close();
  rmSync(dir, { recursive: true, force: true });
});

type Source = {
  readonly table: string;
  readonly fields: { readonly [field: string]: string | FieldMapping };
};

/** Lands text as the file of a source of the example configuration. */
function land(source: string, header: string, lines: readonly string[]) {
  const { table, fields } = exampleConfig('governance').sources[source] as unknown as Source;
  const path = join(dir, `${source}.csv`);
  writeFileSync(path, `${[header, ...lines].join('\n')}\n`);
  const mapped = Object.entries(fields).map(([field, from]) => [
    field,
    typeof from === 'string' ? { from } : from,
  ]);
  return world.land(table, { kind: 'file', path, format: 'csv', fields: Object.fromEntries(mapped) });
}

const PROPOSALS =
  'proposal_id,creator,creation_time,voting_activation_time,queuing_time,canceled_at,state,vote_start,vote_end,for_votes,against_votes,voting_chain_id';
const VOTES =
  'proposal_id,voter,support,voting_power,voting_chain_id,block_number,tx_hash,vote_start,vote_end';
const EVENTS =
  'event_name,block_number,txhash,log_index,timestamp,id,proposer,startBlock,endBlock,voter,proposalId,support,votes,eta,contract_address';
const proposal = (id: string, more: { tally?: string; created?: string } = {}) =>
  `${id},0xP,${more.created ?? T},0,0,0,4,${T + 60},${T + DAY},${more.tally ?? '0'},0,137`;
const vote = (id: string, voter: string, power: string, tx = '0xt') =>
  `${id},${voter},1,${power},137,1,${tx},${T + 60},${T + DAY}`;
const landProposals = (lines: readonly string[]) => land('aave-v3-proposals', PROPOSALS, lines);
const landVotes = (lines: readonly string[]) => land('aave-v3-votes', VOTES, lines);
const landEvents = (lines: readonly string[]) => land('compound-governor-alpha', EVENTS, lines);
const idsOf = async (table: string) =>
  (await world.rows(`select proposal_id from obs.${table} order by proposal_id`)).map(
    (row) => row['proposal_id'],
  );
const doubts = async () =>
  doubtsAbout(
    await world.audit(window),
    new Set(['derived.governance_proposal_vote', 'derived.governance_ballot']),
  ).map(({ reason }) => reason);

test('ids as 43, 43.0 and 4.3e1 are one id', async () => {
  await landProposals([proposal('43.0'), proposal('4.4e1')]);
  await landVotes([
    vote('43', 'a', '1'),
    vote('4.3e1', 'b', '1'),
    vote('43.0', 'c', '1'),
    vote('44.000', 'd', '1'),
  ]);
  expect(await idsOf('governance_proposal')).toEqual(['43', '44']);
  expect(await idsOf('governance_vote')).toEqual(['43', '43', '43', '44']);
});

test('amounts keep every digit: wei of 30 digits, whole tokens, tiny ones in scientific notation, none', async () => {
  await landEvents([
    `VoteCast,5,0xa,1,2024-01-01T01:00:00,,,,,0xV,1.0,True,123456789012345678901234567890,,`,
    `VoteCast,5,0xa,2,2024-01-01T01:00:00,,,,,0xW,1.0,False,0,,`,
  ]);
  await landVotes([
    vote('1', 'a', '78304.51637492934'),
    vote('1', 'b', '1e-18'),
    vote('1', 'c', '7.3989323875266e-05'),
  ]);
  const powers = await world.rows(
    'select voter, power_e18 from obs.governance_vote union all select voter, power_e18 from obs.governor_event order by voter',
  );
  expect(powers.map((row) => [row['voter'], row['power_e18']])).toEqual([
    ['0xv', '123456789012345678901234567890'],
    ['0xw', '0'],
    ['a', '78304516374929340000000'],
    ['b', '1'],
    ['c', '73989323875266'],
  ]);
});

test.each([
  ['a negative amount', vote('1', 'a', '-1'), /^power: negative/],
  ['words for an amount', vote('1', 'a', 'much'), /^power: not a number/],
  ['a number that is none', vote('1', 'a', 'NaN'), /^power: NaN/],
  [
    'an amount past 38 digits',
    vote('1', 'a', '123456789012345678901'),
    /^power_e18: power is not a whole number of at most 38 digits/,
  ],
  ['no voter', vote('1', '', '1'), /^voter: missing/],
  ['no window and no time', vote('1', 'a', '1').replace(/\d+,\d+$/, ','), /^earliest_at: cannot be computed/],
  ['a window of 0', vote('1', 'a', '1').replace(/\d+,\d+$/, '0,0'), /^earliest_at: cannot be computed/],
])('a vote with %s is in quarantine with its reason, its neighbour lands', async (_what, line, reason) => {
  const receipt = await landVotes([line, vote('2', 'good', '1')]);
  expect(receipt).toMatchObject({ rows_in: 2, rows_landed: 1, rows_quarantined: 1 });
  expect(Object.keys(receipt.reasons)).toEqual([expect.stringMatching(reason)]);
});

test.each([
  [
    'a vote without weight given',
    'VoteCast,5,0xa,1,2024-01-01T01:00:00,,,,,0xV,1,True,,,',
    /^power_e18: a vote without voter or support/,
  ],
  [
    'a vote without a voter',
    'VoteCast,5,0xa,1,2024-01-01T01:00:00,,,,,,1,True,5,,',
    /^power_e18: a vote without voter or support/,
  ],
  [
    'a creation without a proposer',
    'ProposalCreated,5,0xa,1,2024-01-01T01:00:00,1,,6,9,,,,,,',
    /^vote_end: cannot/,
  ],
  [
    'a vote that ends before it opens',
    'ProposalCreated,5,0xa,1,2024-01-01T01:00:00,1,0xP,9,6,,,,,,',
    /^vote_end: cannot/,
  ],
  ['a date of another style', 'ProposalQueued,5,0xa,1,01/31/2024 10:00,1,,,,,,,,,', /^event_at: not a time/],
])('%s is in quarantine', async (_what, line, reason) => {
  const receipt = await landEvents([line]);
  expect(receipt).toMatchObject({ rows_in: 1, rows_landed: 0, rows_quarantined: 1 });
  expect(Object.keys(receipt.reasons)).toEqual([expect.stringMatching(reason)]);
});

test('a vote said three times is one vote; its proposal is named because its tally was not said three times', async () => {
  await landProposals([
    proposal('6', { tally: `5${'0'.repeat(18)}` }),
    proposal('7', { tally: `5${'0'.repeat(18)}` }),
  ]);
  const receipt = await landVotes([...Array(3).fill(vote('6', 'a', '5')), vote('7', 'a', '5')]);
  expect(receipt).toMatchObject({ rows_in: 4, rows_landed: 2, rows_deduplicated: 2, rows_quarantined: 0 });
  await world.compute(window);
  expect(await doubts()).toEqual([
    'aave: the votes of 1 of 2 proposals do not add up to their tallies: 6 (with repeated votes)',
  ]);
  const records = await world.document(governanceRecords, 'aave');
  expect(records).toMatchObject([
    { governance_metrics: { total_votes: 2, total_voters: 1 } },
    {},
    {},
    {},
    {},
  ]);
});

test('a tally may differ by what a double loses and no more', async () => {
  const tally = (digits: string) => ({ tally: digits });
  await landProposals([
    proposal('1', tally('1000000001000000000000')),
    proposal('2', tally('1000000000999000000000')),
    proposal('3', tally('1000000002000000000000')),
  ]);
  await landVotes(['1', '2', '3'].map((id) => vote(id, 'a', '1000')));
  await world.compute(window);
  expect(await doubts()).toEqual(['aave: the votes of 1 of 3 proposals do not add up to their tallies: 3']);
});

test('votes on an unlisted proposal are named and count once it is listed', async () => {
  await landProposals([proposal('1')]);
  await landVotes([vote('1', 'a', '1'), vote('2', 'b', '1')]);
  await world.compute(window);
  expect(await doubts()).toEqual(
    [
      'aave: the votes of 1 of 1 proposals do not add up to their tallies: 1',
      'aave: 1 of 2 votes are on proposals that are not listed: 2',
    ].toSorted((a, b) => (a.includes('listed') ? -1 : b.includes('listed') ? 1 : 0)),
  );
  const total = async () =>
    (
      (await world.document(governanceRecords, 'aave')) as readonly {
        governance_metrics: { total_votes: number };
      }[]
    )[0]?.governance_metrics.total_votes;
  expect(await total()).toBe(1);
  await landProposals([proposal('1'), proposal('2')]);
  await world.compute(window);
  expect(await total()).toBe(2);
});

test('more power than there are tokens stops the publication: the decimals are wrong', async () => {
  await land('governance-token-supplies', 'symbol,address,supply', ['AAVE,0x7,16000000000000000000000000']);
  await landProposals([proposal('1')]);
  await landVotes([vote('1', 'a', '16000000'), vote('1', 'b', '16000000.000000000000000001')]);
  await world.compute(window);
  const failing = (await world.audit(window)).filter(({ verdict }) => verdict === 'fail');
  expect(failing).toMatchObject([{ audit: 'derived.governance_day.audit', rows: [{ voter: 'b' }] }]);
});

test('protocol names in capitals are stored in lower case, with slashes they are refused', async () => {
  const row = { proposal_id: '1', state: 'x', created_at: T, decimals: 18 };
  await world.landRows('governance_proposal', [
    { ...row, protocol: 'AAVE' },
    { ...row, protocol: 'a/b' },
    { ...row, protocol: '' },
  ]);
  expect(await world.rows('select protocol from obs.governance_proposal')).toEqual([{ protocol: 'aave' }]);
});

test('a protocol without a proposal has no document, and no zeros', async () => {
  await land('governance-token-supplies', 'symbol,address,supply', ['MKR,0x9,977631036950888222010062']);
  await world.compute(window);
  expect(await world.document(governanceRecords, 'makerdao')).toBeNull();
});
