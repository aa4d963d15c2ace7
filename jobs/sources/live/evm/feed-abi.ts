// The ABI of Chainlink's aggregators and of the proxies in front of them, and the composition of a proxy's round ids.
import { contractFunction } from '../../../../platform/base/contract-abi.ts';
import { type CallResult, type ContractCall, readResult } from './contract-call.ts';

const ROUND = {
  roundId: 'uint80',
  answer: 'int256',
  startedAt: 'uint256',
  updatedAt: 'uint256',
  answeredInRound: 'uint80',
} as const;
const DECIMALS = contractFunction('decimals', {}, 'uint8');
const LATEST = contractFunction('latestRoundData', {}, ROUND);
const ONE_ROUND = contractFunction('getRoundData', { roundId: 'uint80' }, ROUND);
const AGGREGATOR = contractFunction('phaseAggregators', { phaseId: 'uint16' }, 'address');
const LAST_ROUND = contractFunction('latestRound', {}, 'uint256');

export interface Feed {
  /** Address of the proxy, in lower case. */
  readonly address: string;
  /** According to the registry; null if it does not state them. */
  readonly decimals: number | null;
}

export interface RoundData {
  readonly roundId: bigint;
  readonly answer: bigint;
  /** Unix seconds; 0 for a round that was never answered. */
  readonly updatedAt: bigint;
  /** Round in which the answer was computed; 0 if the feed does not say. */
  readonly answeredInRound: bigint;
}

const call = (target: string, data: string): ContractCall => ({ target, data });

export const decimalsCall = (feed: string) => call(feed, DECIMALS.encodeCall());
export const latestCall = (feed: string) => call(feed, LATEST.encodeCall());
export const roundCall = (feed: string, roundId: bigint) => call(feed, ONE_ROUND.encodeCall({ roundId }));
export const aggregatorCall = (feed: string, phase: number) =>
  call(feed, AGGREGATOR.encodeCall({ phaseId: BigInt(phase) }));
export const lastRoundCall = (aggregator: string) => call(aggregator, LAST_ROUND.encodeCall());

export function decimalsIn(result: CallResult): number | null {
  const decimals = readResult(DECIMALS, result);
  return decimals === null ? null : Number(decimals);
}

export const answerIn = (result: CallResult): RoundData | null => readResult(ONE_ROUND, result);

/** The address in lower case; null for none. */
export function aggregatorIn(result: CallResult): string | null {
  const address = readResult(AGGREGATOR, result);
  return address === null || /^0x0+$/.test(address) ? null : address;
}

export const lastRoundIn = (result: CallResult): bigint | null => readResult(LAST_ROUND, result);

/** What a call asks a feed for: its decimals, its latest round, or one round; null for any other call. */
export function questionOf({
  data,
}: ContractCall): 'decimals' | 'latest' | { readonly roundId: bigint } | null {
  if (data.startsWith(DECIMALS.selector)) return 'decimals';
  if (data.startsWith(LATEST.selector)) return 'latest';
  try {
    return ONE_ROUND.decodeCall(data);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return null;
  }
}

/** The revert reason of a call, as text if it is one (`Error(string)`). */
export function reasonOf({ data }: CallResult): string {
  if (!data.startsWith('0x08c379a0')) return data === '0x' ? 'no reason given' : data.slice(0, 10);
  const length = Number.parseInt(data.slice(74, 138), 16);
  return Buffer.from(data.slice(138, 138 + length * 2), 'hex').toString('utf8');
}

const PHASE_BITS = 64n;
const ROUND_MASK = (1n << PHASE_BITS) - 1n;

/** A proxy's round id is phase << 64 + round of the aggregator of that phase. */
export const phaseOf = (roundId: bigint): number => Number(roundId >> PHASE_BITS);
export const roundOf = (roundId: bigint): bigint => roundId & ROUND_MASK;
export const proxyRound = (phase: number, round: bigint): bigint => (BigInt(phase) << PHASE_BITS) | round;
