// Events of governor contracts as rows: sides of split votes, extended deadlines, clocks in blocks and in seconds.
import { encodeAbiParameters, encodePacked, type Hex, pad, parseAbiParameters, toHex } from 'viem';
import { toEventSelector } from 'viem/utils';
import { expect, test } from 'vitest';
import {
  GOVERNOR_TOPICS,
  type GovernorRow,
  governorRows,
} from '../../../../../jobs/sources/live/evm/governor-rows.ts';

const NOW = 1_772_323_200;
const YEAR = 31_622_400;
const FACTS = { protocol: 'dao', decimals: 18, blockSeconds: 12 };
const VOTER = '0x00000000000000000000000000000000000000aa';
const E18 = 10n ** 18n;

const rowsOf = (topics: readonly Hex[], data: Hex): readonly GovernorRow[] =>
  governorRows(
    {
      address: VOTER,
      topics,
      data,
      blockNumber: 100,
      blockHash: '0x1',
      blockTimestamp: NOW,
      transactionHash: '0x2',
      transactionIndex: 0,
      logIndex: 3,
    } as Parameters<typeof governorRows>[0],
    NOW,
    FACTS,
  );

function voteOf(support: number, weight: bigint, params: Hex | null): readonly GovernorRow[] {
  const name = params === null ? 'VoteCast' : 'VoteCastWithParams';
  const more = params === null ? '' : ', bytes params';
  const topic = toEventSelector(
    `event ${name}(address indexed voter, uint256 proposalId, uint8 support, uint256 weight, string reason${more})`,
  );
  const data =
    params === null
      ? encodeAbiParameters(parseAbiParameters('uint256, uint8, uint256, string'), [7n, support, weight, ''])
      : encodeAbiParameters(parseAbiParameters('uint256, uint8, uint256, string, bytes'), [
          7n,
          support,
          weight,
          '',
          params,
        ]);
  return rowsOf([topic, pad(VOTER)], data);
}

const split = (against: bigint, for_: bigint, abstain: bigint) =>
  encodePacked(['uint128', 'uint128', 'uint128'], [against * E18, for_ * E18, abstain * E18]);

const sides = (rows: readonly GovernorRow[]) =>
  rows.map(({ support, power, part }) => [support, power === undefined ? null : BigInt(power) / E18, part]);

test('a split vote has one row for each side with power, and a whole vote has one row', () => {
  expect(sides(voteOf(255, 100n * E18, split(10n, 80n, 10n)))).toEqual([
    ['against', 10n, 0],
    ['for', 80n, 1],
    ['abstain', 10n, 2],
  ]);
  expect(sides(voteOf(255, 100n * E18, split(0n, 100n, 0n)))).toEqual([['for', 100n, 1]]);
  expect(sides(voteOf(1, 50n * E18, null))).toEqual([['for', 50n, undefined]]);
  expect(voteOf(255, 100n * E18, split(10n, 80n, 10n))[0]).toMatchObject({
    event: 'vote',
    voter: VOTER,
    proposal_id: '7',
    repeats: 'adds',
    log_index: 3,
  });
});

test('parameters are powers only where the number of the side says so, or where they add up to the weight', () => {
  expect(sides(voteOf(0, 100n * E18, split(10n, 80n, 10n)))).toHaveLength(3);
  expect(sides(voteOf(0, 101n * E18, split(10n, 80n, 10n)))).toEqual([['against', 101n, undefined]]);
  expect(sides(voteOf(1, 5n * E18, '0x01'))).toEqual([['for', 5n, undefined]]);
  expect(sides(voteOf(255, 5n * E18, '0x01'))).toEqual([['choice:255', 5n, undefined]]);
  expect(sides(voteOf(255, 0n, split(0n, 0n, 0n)))).toEqual([['choice:255', 0n, undefined]]);
});

function createdOf(start: bigint, end: bigint): readonly GovernorRow[] {
  const types = 'uint256, address, address[], uint256[], string[], bytes[], uint256, uint256, string';
  const topic = toEventSelector(`event ProposalCreated(${types})`);
  return rowsOf(
    [topic],
    encodeAbiParameters(parseAbiParameters(types), [7n, VOTER, [], [], [], [], start, end, 'text']),
  );
}

test('a start within a year of the block is a time, any other number a block', () => {
  const now = BigInt(NOW);
  expect(createdOf(110n, 1_000n)).toMatchObject([{ start_block: '110', end_block: '1000' }]);
  expect(createdOf(now + 5n, now + 9n)).toMatchObject([
    { start_at: String(NOW + 5), end_at: String(NOW + 9) },
  ]);
  const year = BigInt(YEAR);
  expect(createdOf(now + year - 1n, now + year)[0]).toHaveProperty('start_at');
  expect(createdOf(now + year, now + year + 1n)[0]).toHaveProperty('start_block');
});

test('an extension has the new end, as a block or as a time', () => {
  const topic = toEventSelector(
    'event ProposalExtended(uint256 indexed proposalId, uint64 extendedDeadline)',
  );
  expect(GOVERNOR_TOPICS).toContain(topic);
  const extended = (end: bigint) =>
    rowsOf([topic, toHex(7n, { size: 32 })], encodeAbiParameters(parseAbiParameters('uint64'), [end]));
  expect(extended(6_050n)).toMatchObject([{ event: 'extended', proposal_id: '7', end_block: '6050' }]);
  expect(extended(BigInt(NOW + 60))).toMatchObject([{ event: 'extended', end_at: String(NOW + 60) }]);
});

test('a log that does not match the declaration has no rows', () => {
  expect(rowsOf([toEventSelector('event ProposalExecuted(uint256 proposalId)')], '0x01')).toEqual([]);
});
