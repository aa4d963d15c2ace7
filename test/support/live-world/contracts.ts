// Contracts of the simulated world: what each returns for a call at a time, and the logs that contracts wrote.
import { createHash } from 'node:crypto';
import type { Abi, Hex } from 'viem';
import { decodeFunctionData, encodeFunctionResult } from 'viem/utils';

export interface Contract {
  /** Null for a call that reverts. `at`: time of the block, Unix seconds. */
  readonly call: (data: Hex, at: number) => Hex | null;
}

/** By address, in lower case. */
export type Contracts = ReadonlyMap<string, Contract>;

export interface ContractLog {
  readonly address: string;
  readonly topics: readonly Hex[];
  readonly data: Hex;
  /** Its block. */
  readonly block: number;
  /** The signer of the transaction, where it matters. */
  readonly sender?: Hex;
}

const GENESIS = 1_438_269_973;
const BLOCK_S = 12;

export const timeOf = (block: number): number => GENESIS + block * BLOCK_S;
export const blockAt = (time: number): number => Math.floor((time - GENESIS) / BLOCK_S);

type Answers = { readonly [name: string]: (args: readonly unknown[], at: number) => unknown };

/** An answer of undefined is a call that reverts, as is a function that the contract does not have. */
export const contractOf = (abi: Abi, answers: Answers): Contract => ({
  call(data, at) {
    const asked = decoded(abi, data);
    const answer = asked === null ? undefined : answers[asked.functionName]?.(asked.args ?? [], at);
    if (asked === null || answer === undefined) return null;
    return encodeFunctionResult({ abi, functionName: asked.functionName, result: answer as never });
  },
});

function decoded(abi: Abi, data: Hex) {
  try {
    return decodeFunctionData({ abi, data });
  } catch {
    return null;
  }
}

const digest = (text: string) => createHash('sha256').update(text).digest('hex');
export const hashOf = (text: string): Hex => `0x${digest(text)}`;
export const addressOf = (text: string): Hex => `0x${digest(text).slice(0, 40)}`;
