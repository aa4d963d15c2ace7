// Reads the two tokens of pools, in which the amounts of their swaps are stated.
import { type Hex, parseAbi } from 'viem';
import { decodeFunctionResult, encodeFunctionData } from 'viem/utils';
import type { CallResult } from './multicall.ts';
import type { Ask } from './read-calls.ts';

const ABI = parseAbi([
  'function token0() view returns (address)',
  'function token1() view returns (address)',
]);
const NAMES = ['token0', 'token1'] as const;

/** In the order of the pool, in lower case. */
export type PoolTokens = readonly [string, string];

/** Tokens by pool address; contracts that do not return both are omitted. */
export async function readPoolTokens(
  ask: Ask,
  pools: readonly string[],
): Promise<ReadonlyMap<string, PoolTokens>> {
  const results = await ask(
    pools.flatMap((target) =>
      NAMES.map((functionName) => ({ target, data: encodeFunctionData({ abi: ABI, functionName }) })),
    ),
  );
  const tokens = new Map<string, PoolTokens>();
  pools.forEach((pool, index) => {
    const [first, second] = [tokenIn(results[index * 2]), tokenIn(results[index * 2 + 1])];
    if (first !== null && second !== null) tokens.set(pool, [first, second]);
  });
  return tokens;
}

function tokenIn(result: CallResult | undefined): string | null {
  if (result?.isSuccess !== true) return null;
  try {
    const token = decodeFunctionResult({ abi: ABI, functionName: 'token0', data: result.data as Hex });
    return token.toLowerCase();
  } catch {
    return null;
  }
}
