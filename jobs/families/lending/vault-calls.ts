// The calls that a vault of Morpho's version 2 and its adapters delay by a timelock, as Solidity declares them: what is submitted, accepted or
// revoked is the data of such a call. Names of arguments follow morpho-org/vault-v2.
import type { Fields, Value } from '../../../platform/base/abi-codec.ts';
import { type ContractFunction, contractFunction, keccak256 } from '../../../platform/base/contract-abi.ts';

interface TimelockedCall {
  readonly abi: Pick<ContractFunction<Fields, unknown>, 'name' | 'selector' | 'decodeCall'>;
  /** What the call is about, such as an adapter; null for the contract itself. */
  readonly subject: ((inputs: Value<Fields>) => string) | null;
}

function call<const I extends Fields>(
  name: string,
  inputs: I,
  subject: ((inputs: Value<I>) => string) | null = null,
): TimelockedCall {
  const { selector, decodeCall } = contractFunction(name, inputs, 'bool');
  return { abi: { name, selector, decodeCall }, subject: subject as TimelockedCall['subject'] };
}

/** An id of a cap is the hash of its data. */
const capId = ({ idData }: { readonly idData: string }): string => keccak256(idData);

const TIMELOCKED: readonly TimelockedCall[] = [
  call('setIsAllocator', { account: 'address', newIsAllocator: 'bool' }, ({ account }) => account),
  call('setReceiveSharesGate', { newReceiveSharesGate: 'address' }),
  call('setSendSharesGate', { newSendSharesGate: 'address' }),
  call('setReceiveAssetsGate', { newReceiveAssetsGate: 'address' }),
  call('setSendAssetsGate', { newSendAssetsGate: 'address' }),
  call('setAdapterRegistry', { newAdapterRegistry: 'address' }),
  call('addAdapter', { adapter: 'address' }, ({ adapter }) => adapter),
  call('removeAdapter', { adapter: 'address' }, ({ adapter }) => adapter),
  call('increaseTimelock', { selector: 'bytes4', newDuration: 'uint256' }),
  call('decreaseTimelock', { selector: 'bytes4', newDuration: 'uint256' }),
  call('abdicate', { selector: 'bytes4' }),
  call('setPerformanceFee', { newPerformanceFee: 'uint256' }),
  call('setManagementFee', { newManagementFee: 'uint256' }),
  call('setPerformanceFeeRecipient', { newPerformanceFeeRecipient: 'address' }),
  call('setManagementFeeRecipient', { newManagementFeeRecipient: 'address' }),
  call('increaseAbsoluteCap', { idData: 'bytes', newAbsoluteCap: 'uint256' }, capId),
  call('increaseRelativeCap', { idData: 'bytes', newRelativeCap: 'uint256' }, capId),
  call(
    'setForceDeallocatePenalty',
    { adapter: 'address', newForceDeallocatePenalty: 'uint256' },
    ({ adapter }) => adapter,
  ),
  call('setSkimRecipient', { newSkimRecipient: 'address' }),
  call('burnShares', { marketId: 'bytes32' }, ({ marketId }) => marketId),
];

export const TIMELOCKED_SELECTORS: ReadonlyMap<string, string> = new Map(
  TIMELOCKED.map(({ abi }) => [abi.name, abi.selector]),
);

export interface ExplainedCall {
  /** Null if the selector is not known, or the data does not match the declaration. */
  readonly name: string | null;
  readonly inputs: { readonly [name: string]: unknown };
  readonly subject: string | null;
}

const BY_SELECTOR = new Map(TIMELOCKED.map((one) => [one.abi.selector, one]));
const SELECTOR_CHARACTERS = 10;
const UNEXPLAINED: ExplainedCall = { name: null, inputs: {}, subject: null };

/** What the data of a call says. */
export function callIn(data: string): ExplainedCall {
  const known = BY_SELECTOR.get(data.slice(0, SELECTOR_CHARACTERS));
  if (known === undefined) return UNEXPLAINED;
  try {
    const inputs = known.abi.decodeCall(data) ?? {};
    return { name: known.abi.name, inputs, subject: known.subject?.(inputs) ?? null };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return UNEXPLAINED;
  }
}
