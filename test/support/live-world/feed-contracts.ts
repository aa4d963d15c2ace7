// Feeds as contracts: one proxy per feed, and one aggregator behind it per phase.
import { type Hex, parseAbi } from 'viem';
import { type Contract, type Contracts, contractOf } from './contracts.ts';
import { type FeedTruth, type Round, roundOf, roundsUntil } from './truth-feeds.ts';

const ABI = parseAbi([
  'function decimals() view returns (uint8)',
  'function latestRoundData() view returns (uint80, int256, uint256, uint256, uint80)',
  'function getRoundData(uint80 id) view returns (uint80, int256, uint256, uint256, uint80)',
  'function phaseAggregators(uint16 phase) view returns (address)',
  'function latestRound() view returns (uint256)',
  'function aggregator() view returns (address)',
  'function minAnswer() view returns (int192)',
  'function maxAnswer() view returns (int192)',
]);
const ROUND_MASK = (1n << 64n) - 1n;

export const feedContracts = (feeds: readonly FeedTruth[]): Contracts =>
  new Map(
    feeds.flatMap((feed) => [
      [feed.address, proxyOf(feed)] as const,
      ...[...new Set(feed.rounds.map(({ id }) => id >> 64n))].map(
        (phase) => [aggregatorOf(feed, phase), aggregator(feed, phase)] as const,
      ),
    ]),
  );

const proxyOf = (feed: FeedTruth): Contract => {
  const answerOf = (round: Round | undefined, at: number) =>
    round === undefined || round.at > at
      ? undefined
      : [round.id, round.answer, BigInt(round.at), BigInt(round.at), round.id];
  return contractOf(ABI, {
    decimals: () => 8,
    phaseAggregators: ([phase]) => aggregatorOf(feed, BigInt(phase as number)),
    aggregator: (_, at) =>
      aggregatorOf(feed, (feed.rounds[roundsUntil(feed, at) - 1]?.id ?? 1n << 64n) >> 64n),
    getRoundData: ([id], at) => answerOf(roundOf(feed, id as bigint), at),
    latestRoundData: (_, at) => answerOf(feed.rounds[roundsUntil(feed, at) - 1], at),
  });
};

const aggregator = (feed: FeedTruth, phase: bigint): Contract =>
  contractOf(ABI, {
    minAnswer: () => 1n,
    maxAnswer: () => 10n ** 20n,
    latestRound: (_, at) => {
      const last = feed.rounds.slice(0, roundsUntil(feed, at)).findLast(({ id }) => id >> 64n === phase);
      return last === undefined ? undefined : last.id & ROUND_MASK;
    },
  });

const aggregatorOf = ({ address }: FeedTruth, phase: bigint): Hex =>
  `0x${phase.toString(16).padStart(4, 'b')}${address.slice(6)}`;
