// The markets in which vaults of Morpho may hold assets: the withdraw queues of version 1, and the markets of the adapters of version 2.
import { contractFunction } from '../../../../../platform/base/contract-abi.ts';
import { type Ask, askEach, question } from '../contract-call.ts';
import { readAdapters } from './vault-adapters.ts';

const ABI = {
  queueLength: contractFunction('withdrawQueueLength', {}, 'uint256'),
  queue: contractFunction('withdrawQueue', { index: 'uint256' }, 'bytes32'),
  idsLength: contractFunction('marketIdsLength', {}, 'uint256'),
  ids: contractFunction('marketIds', { index: 'uint256' }, 'bytes32'),
} as const;
/** More than a vault or an adapter could use within a block's gas. */
const MAX_MARKETS = 200n;

export interface VaultMarkets {
  readonly ids: readonly string[];
  readonly missing: readonly { readonly id: string; readonly why: string }[];
}

export async function readMarketsOf(ask: Ask, vaults: readonly string[]): Promise<VaultMarkets> {
  const queues = await askEach(ask, vaults, (vault) => ({ length: question(ABI.queueLength, vault) }), {
    mayRevert: true,
  });
  const first = queues.flatMap(({ item, answers: { length } }) => entriesOf(item, length));
  const adapters = await readAdapters(ask, vaults);
  const lengths = await askEach(
    ask,
    [...adapters.values()].flat(),
    (adapter) => ({ length: question(ABI.idsLength, adapter) }),
    { mayRevert: true },
  );
  const second = lengths.flatMap(({ item, answers: { length } }) => entriesOf(item, length));
  const queued = await askEach(ask, first, ({ contract, index }) => ({
    id: question(ABI.queue, contract, { index }),
  }));
  const held = await askEach(ask, second, ({ contract, index }) => ({
    id: question(ABI.ids, contract, { index }),
  }));
  return {
    ids: [...new Set([...queued, ...held].flatMap(({ answers: { id } }) => id ?? []))],
    missing: queues
      .filter(({ item, answers: { length } }) => length === null && !adapters.has(item))
      .map(({ item: id }) => ({ id, why: 'it has no markets as vaults of Morpho do' })),
  };
}

const entriesOf = (contract: string, length: bigint | null) =>
  Array.from({ length: length === null || length > MAX_MARKETS ? 0 : Number(length) }, (_, index) => ({
    contract,
    index: BigInt(index),
  }));
