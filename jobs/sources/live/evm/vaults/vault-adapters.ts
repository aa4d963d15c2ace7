// Adapters of Morpho's version 2 vaults: contracts that hold a vault's positions and have timelocks of their own. Their logs are read with
// those of the vault and filed under it.
import {
  contractEvent,
  contractFunction,
  type EncodedLog,
} from '../../../../../platform/base/contract-abi.ts';
import { type Ask, readResult } from '../contract-call.ts';

const ADAPTERS_LENGTH = contractFunction('adaptersLength', {}, 'uint256');
const ADAPTER = contractFunction('adapters', { index: 'uint256' }, 'address');
const ADD_ADAPTER = contractEvent('AddAdapter', { adapter: 'address indexed' });
/** Beyond what a vault could use within a block's gas; a contract that says more is no such vault. */
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

/** Adapters by vault; a contract that is no such vault has none. */
export async function readAdapters(
  ask: Ask,
  vaults: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const lengths = await ask(
    vaults.map((target) => ({ target, data: ADAPTERS_LENGTH.encodeCall() })),
    { mayRevert: true },
  );
  const wanted = vaults.flatMap((vault, at) => {
    const length = readResult(ADAPTERS_LENGTH, lengths[at]) ?? 0n;
    return Array.from({ length: length > MAX_ADAPTERS ? 0 : Number(length) }, (_, index) => ({
      vault,
      index,
    }));
  });
  const results = await ask(
    wanted.map(({ vault, index }) => ({ target: vault, data: ADAPTER.encodeCall({ index: BigInt(index) }) })),
  );
  const found = wanted.flatMap(({ vault }, at) => {
    const adapter = readResult(ADAPTER, results[at]);
    return adapter === null ? [] : [{ vault, adapter }];
  });
  const byVault = Map.groupBy(found, ({ vault }) => vault);
  return new Map([...byVault].map(([vault, own]) => [vault, own.map(({ adapter }) => adapter)]));
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
