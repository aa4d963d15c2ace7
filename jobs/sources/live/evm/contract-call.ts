// One call of a contract, its result, and how calls are made: what the interfaces of contracts are written in.
import type { ContractFunction } from '../../../../platform/base/contract-abi.ts';

export interface ContractCall {
  readonly target: string;
  readonly data: string;
}

export interface CallResult {
  readonly isSuccess: boolean;
  /** The result, or the reason why it reverted. */
  readonly data: string;
}

export interface AskOptions {
  /** A call that fails without a reason is a valid result: the contract does not have the function. */
  readonly mayRevert?: boolean;
  /** Maximum number of calls in one request, for calls that are lighter or heavier than others. */
  readonly batch?: number;
  /** Each call alone, in the name of this account, for contracts that answer only to some. */
  readonly from?: string;
}

export type Ask = (calls: readonly ContractCall[], options?: AskOptions) => Promise<readonly CallResult[]>;

/** What a function returned; null if the call reverted or returned something else. */
export function readResult<O>(
  { decodeResult }: Pick<ContractFunction<unknown, O>, 'decodeResult'>,
  result: CallResult | undefined,
): O | null {
  if (result?.isSuccess !== true) return null;
  try {
    return decodeResult(result.data);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return null;
  }
}
