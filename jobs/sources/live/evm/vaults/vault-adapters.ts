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

/** Adapters by vault. A contract that is no such vault, or of which an adapter cannot be read, is omitted. */
export async function readAdapters(
  ask: Ask,
  vaults: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const lengths = await askEach(ask, vaults, (vault) => ({ length: question(ADAPTERS_LENGTH, vault) }), {
    mayRevert: true,
  });
  const counted = lengths.flatMap(({ item: vault, answers: { length } }) =>
    length === null || length > MAX_ADAPTERS ? [] : [{ vault, length: Number(length) }],
  );
  const answers = await askEach(
    ask,
    counted.flatMap(({ vault, length }) => Array.from({ length }, (_, index) => ({ vault, index }))),
    ({ vault, index }) => ({ adapter: question(ADAPTER, vault, { index: BigInt(index) }) }),
  );
  const byVault = Map.groupBy(answers, ({ item: { vault } }) => vault);
  return new Map(
    counted.flatMap(({ vault, length }) => {
      const own = (byVault.get(vault) ?? []).flatMap(({ answers: { adapter } }) => adapter ?? []);
      return own.length === length ? [[vault, own] as const] : [];
    }),
  );
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
