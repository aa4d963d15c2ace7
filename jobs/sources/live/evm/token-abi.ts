// Reads the symbol and decimals of tokens. Some old tokens return their symbol as 32 bytes instead of a string.
import { type Hex, parseAbi } from 'viem';
import { decodeFunctionResult, encodeFunctionData } from 'viem/utils';
import type { CallResult, ContractCall } from './multicall.ts';
import type { Ask } from './read-calls.ts';

const ABI = parseAbi(['function symbol() view returns (string)', 'function decimals() view returns (uint8)']);
const MAX_DECIMALS = 36;

export interface TokenFacts {
  readonly symbol: string;
  readonly decimals: number;
}

const calls = (token: string): ContractCall[] => [
  { target: token, data: encodeFunctionData({ abi: ABI, functionName: 'symbol' }) },
  { target: token, data: encodeFunctionData({ abi: ABI, functionName: 'decimals' }) },
];

/** Facts by address; tokens that do not return both are omitted. */
export async function readTokens(
  ask: Ask,
  tokens: readonly string[],
): Promise<ReadonlyMap<string, TokenFacts>> {
  const distinct = [...new Set(tokens)];
  const results = await ask(distinct.flatMap(calls));
  const facts = new Map<string, TokenFacts>();
  distinct.forEach((token, index) => {
    const symbol = symbolIn(results[index * 2]);
    const decimals = decimalsIn(results[index * 2 + 1]);
    if (symbol !== null && decimals !== null) facts.set(token, { symbol, decimals });
  });
  return facts;
}

const BYTES32 = /^0x[0-9a-f]{64}$/;

function symbolIn(result: CallResult | undefined): string | null {
  if (result?.isSuccess !== true) return null;
  const text = BYTES32.test(result.data)
    ? Buffer.from(result.data.slice(2), 'hex').toString('utf8')
    : textIn(result.data);
  const symbol = text?.replaceAll(/\p{Cc}/gu, '').trim() ?? '';
  return symbol === '' ? null : symbol;
}

function textIn(data: string): string | null {
  try {
    return decodeFunctionResult({ abi: ABI, functionName: 'symbol', data: data as Hex });
  } catch {
    return null;
  }
}

function decimalsIn(result: CallResult | undefined): number | null {
  if (result?.isSuccess !== true || !/^0x[0-9a-f]{64,}$/.test(result.data)) return null;
  const decimals = Number(BigInt(result.data.slice(0, 66)));
  return decimals <= MAX_DECIMALS ? decimals : null;
}
