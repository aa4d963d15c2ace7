// Adapters of Morpho's version 2 vaults: contracts that hold a vault's positions and have timelocks of their own. Their logs are read with
// those of the vault and filed under it.
import {
  contractEvent,
  contractFunction,
  type EncodedLog,
} from '../../../../../platform/base/contract-abi.ts';
import { type Ask, askEach, question } from '../contract-call.ts';

const ADAPTERS_LENGTH = contractFunction('adaptersLength', {}, 'uint256');
const ADAPTER = contractFunction('adapters', { index: 'uint256' }, 'address');
const ADD_ADAPTER = contractEvent('AddAdapter', { adapter: 'address indexed' });
/** Beyond what a vault could use within a block's gas. */
const MAX_ADAPTERS = 100n;

/** The vault of each adapter. */
export interface AdapterParents {
  readonly [adapter: string]: string;
}

/** What a reading of logs keeps about adapters. */
export interface AdapterState {
  readonly adapters?: AdapterParents;
  /** Unix seconds. */
  readonly adapters_read_at?: number;
}

export interface AdapterLists {
  /** Adapters by vault. A contract that is no such vault has no entry. */
  readonly byVault: ReadonlyMap<string, readonly string[]>;
  /** Vaults that have adapters, of which not all can be read. */
  readonly missing: readonly { readonly id: string; readonly why: string }[];
}

export async function readAdapters(ask: Ask, vaults: readonly string[]): Promise<AdapterLists> {
  const lengths = await askEach(ask, vaults, (vault) => ({ length: question(ADAPTERS_LENGTH, vault) }), {
    mayRevert: true,
  });
  const counted = lengths.flatMap(({ item: vault, answers: { length } }) =>
    length === null ? [] : [{ vault, length }],
  );
  const entries = counted.flatMap(({ vault, length }) =>
    Array.from({ length: length > MAX_ADAPTERS ? 0 : Number(length) }, (_, index) => ({ vault, index })),
  );
  const answers = await askEach(ask, entries, ({ vault, index }) => ({
    adapter: question(ADAPTER, vault, { index: BigInt(index) }),
  }));
  const found = Map.groupBy(
    answers.flatMap(({ item: { vault }, answers: { adapter } }) =>
      adapter === null ? [] : [{ vault, adapter }],
    ),
    ({ vault }) => vault,
  );
  const lists = counted.map(({ vault, length }) => {
    const own = (found.get(vault) ?? []).map(({ adapter }) => adapter);
    return { vault, own, isWhole: BigInt(own.length) === length };
  });
  return {
    byVault: new Map(lists.flatMap(({ vault, own, isWhole }) => (isWhole ? [[vault, own] as const] : []))),
    missing: lists
      .filter(({ isWhole }) => !isWhole)
      .map(({ vault: id }) => ({ id, why: 'its adapters cannot be read' })),
  };
}

interface AddressedLog extends EncodedLog {
  readonly address: string;
}

/** The adapters with those that logs say were added, from which the next reading takes logs too. */
export function withAdded(
  { adapters = {}, ...rest }: AdapterState,
  logs: readonly AddressedLog[],
): AdapterState {
  const added = logs
    .filter(({ topics, address }) => topics[0] === ADD_ADAPTER.topic && !(address in adapters))
    .map((log): [string, string] => [ADD_ADAPTER.decodeLog(log).adapter, log.address]);
  return { ...rest, adapters: { ...adapters, ...Object.fromEntries(added) } };
}
