// Reads the symbol and decimals of tokens. Some old tokens return their symbol as 32 bytes instead of a string.
import { contractFunction } from '../../../../platform/base/contract-abi.ts';
import { type Ask, type CallResult, type ContractCall, readResult } from './contract-call.ts';

const SYMBOL = contractFunction('symbol', {}, 'string');
const DECIMALS = contractFunction('decimals', {}, 'uint8');
const MAX_DECIMALS = 36;

export interface TokenFacts {
  readonly symbol: string;
  readonly decimals: number;
}

const calls = (token: string): ContractCall[] => [
  { target: token, data: SYMBOL.encodeCall() },
  { target: token, data: DECIMALS.encodeCall() },
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
    : readResult(SYMBOL, result);
  const symbol = shownName(text ?? '', MAX_SYMBOL);
  return symbol === '' ? null : symbol;
}

/** As the raw tables accept them: a longer name would refuse its row, and with it the rows of others. */
export const MAX_SYMBOL = 64;
export const MAX_NAME = 200;

/** Controls, invisible characters, those that reorder text or mean nothing, and ends of lines. */
const UNSHOWN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * What is shown of a name: contracts can state any bytes, such as the zeros that pad it, or invisible ones that make it look like another.
 * Cut between characters, counted as the raw tables count them.
 */
export const shownName = (text: string, max: number): string =>
  [...text.slice(0, MAX_READ).toWellFormed().replaceAll(UNSHOWN, '').trim()].slice(0, max).join('').trim();

/** Bounds the work for a name of megabytes. */
const MAX_READ = 4_096;

function decimalsIn(result: CallResult | undefined): number | null {
  if (result?.isSuccess !== true || !/^0x[0-9a-f]{64,}$/.test(result.data)) return null;
  const decimals = Number(BigInt(result.data.slice(0, 66)));
  return decimals <= MAX_DECIMALS ? decimals : null;
}
