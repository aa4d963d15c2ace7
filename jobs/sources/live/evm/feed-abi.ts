// The ABI of Chainlink's aggregators and of the proxies in front of them, and the composition of a proxy's round ids.
import { type Hex, parseAbi } from 'viem';
import { decodeFunctionData, decodeFunctionResult, encodeFunctionData } from 'viem/utils';
import type { CallResult, ContractCall } from './multicall.ts';

const ABI = parseAbi([
  'function decimals() view returns (uint8)',
  'function latestRoundData() view returns (uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound)',
  'function getRoundData(uint80 roundId) view returns (uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound)',
  'function phaseAggregators(uint16 phaseId) view returns (address)',
  'function latestRound() view returns (uint256)',
]);

export interface RoundData {
  readonly roundId: bigint;
  readonly answer: bigint;
  /** Unix seconds; 0 for a round that was never answered. */
  readonly updatedAt: bigint;
  /** Round in which the answer was computed; 0 if the feed does not say. */
  readonly answeredInRound: bigint;
}

const call = (target: string, data: string): ContractCall => ({ target, data });

export const decimalsCall = (feed: string) =>
  call(feed, encodeFunctionData({ abi: ABI, functionName: 'decimals' }));
export const latestCall = (feed: string) =>
  call(feed, encodeFunctionData({ abi: ABI, functionName: 'latestRoundData' }));
export const roundCall = (feed: string, roundId: bigint) =>
  call(feed, encodeFunctionData({ abi: ABI, functionName: 'getRoundData', args: [roundId] }));
export const aggregatorCall = (feed: string, phase: number) =>
  call(feed, encodeFunctionData({ abi: ABI, functionName: 'phaseAggregators', args: [phase] }));
export const lastRoundCall = (aggregator: string) =>
  call(aggregator, encodeFunctionData({ abi: ABI, functionName: 'latestRound' }));

/** The decoded result of a call; null for one that reverted or returned something else. */
export function decode<T>({ isSuccess, data }: CallResult, read: (data: Hex) => T): T | null {
  if (!isSuccess) return null;
  try {
    return read(data as Hex);
  } catch {
    return null;
  }
}

export const decimalsIn = (result: CallResult): number | null =>
  decode(result, (data) => decodeFunctionResult({ abi: ABI, functionName: 'decimals', data }));

export const answerIn = (result: CallResult): RoundData | null =>
  decode(result, (data) => {
    const [roundId, answer, , updatedAt, answeredInRound] = decodeFunctionResult({
      abi: ABI,
      functionName: 'getRoundData',
      data,
    });
    return { roundId, answer, updatedAt, answeredInRound };
  });

/** The address in lower case; null for none. */
export const aggregatorIn = (result: CallResult): string | null =>
  decode(result, (data) => {
    const address = decodeFunctionResult({ abi: ABI, functionName: 'phaseAggregators', data }).toLowerCase();
    return /^0x0+$/.test(address) ? null : address;
  });

export const lastRoundIn = (result: CallResult): bigint | null =>
  decode(result, (data) => decodeFunctionResult({ abi: ABI, functionName: 'latestRound', data }));

/** What a call asks a feed for: its decimals, its latest round, or one round; null for any other call. */
export function questionOf({
  data,
}: ContractCall): 'decimals' | 'latest' | { readonly roundId: bigint } | null {
  try {
    const { functionName, args } = decodeFunctionData({ abi: ABI, data: data as Hex });
    if (functionName === 'decimals') return 'decimals';
    if (functionName === 'latestRoundData') return 'latest';
    return functionName === 'getRoundData' ? { roundId: args[0] } : null;
  } catch {
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
