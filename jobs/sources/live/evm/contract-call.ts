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

export type Ask = (
  calls: readonly ContractCall[],
  options?: { readonly mayRevert?: boolean },
) => Promise<readonly CallResult[]>;

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
