// The markets in which vaults of Morpho may hold assets: the withdraw queues of version 1, the markets of the adapters of version 2, and those
// of the vaults that such adapters hold.
import { contractFunction } from '../../../../../platform/base/contract-abi.ts';
import { type Ask, askEach, question } from '../contract-call.ts';
import { readAdapters } from './vault-adapters.ts';

const ABI = {
  queueLength: contractFunction('withdrawQueueLength', {}, 'uint256'),
  queue: contractFunction('withdrawQueue', { index: 'uint256' }, 'bytes32'),
  idsLength: contractFunction('marketIdsLength', {}, 'uint256'),
  ids: contractFunction('marketIds', { index: 'uint256' }, 'bytes32'),
  heldVault: contractFunction('morphoVaultV1', {}, 'address'),
} as const;
/** More than a vault or an adapter could use within a block's gas. */
const MAX_MARKETS = 200n;

export interface VaultMarkets {
  readonly ids: readonly string[];
  readonly missing: readonly { readonly id: string; readonly why: string }[];
}

export async function readMarketsOf(ask: Ask, vaults: readonly string[]): Promise<VaultMarkets> {
  const adapters = await readAdapters(ask, vaults);
  const ofVersion2 = new Set([...adapters.byVault.keys(), ...adapters.missing.map(({ id }) => id)]);
  const lists = await askEach(
    ask,
    [...adapters.byVault.values()].flat(),
    (adapter) => ({ length: question(ABI.idsLength, adapter), held: question(ABI.heldVault, adapter) }),
    { mayRevert: true },
  );
  const held = lists.flatMap(({ answers }) => answers.held ?? []);
  const queues = await askEach(
    ask,
    [...new Set([...vaults, ...held])],
    (vault) => ({ length: question(ABI.queueLength, vault) }),
    { mayRevert: true },
  );
  const queued = await readEntries(ask, queues, ABI.queue);
  const listed = await readEntries(ask, lists, ABI.ids);
  const withoutQueue = queues.filter(
    ({ item, answers: { length } }) => length === null && !ofVersion2.has(item),
  );
  const strange = lists.filter(({ answers: { length, held: vault } }) => length === null && vault === null);
  return {
    ids: [...new Set([...queued.ids, ...listed.ids])],
    missing: [
      ...withoutQueue.map(({ item: id }) => ({ id, why: 'it has no markets as vaults of Morpho do' })),
      ...adapters.missing,
      ...strange.map(({ item: id }) => ({
        id,
        why: 'it has neither markets nor a vault as adapters of Morpho do',
      })),
      ...queued.missing,
      ...listed.missing,
    ],
  };
}

interface ListLength {
  readonly item: string;
  readonly answers: { readonly length: bigint | null };
}

/** The markets in the lists of contracts; a contract whose list cannot be read as a whole is named. */
async function readEntries(
  ask: Ask,
  lists: readonly ListLength[],
  abi: (typeof ABI)['queue' | 'ids'],
): Promise<VaultMarkets> {
  const endless = lists.filter(({ answers: { length } }) => length !== null && length > MAX_MARKETS);
  const entries = lists.flatMap(({ item, answers: { length } }) =>
    Array.from({ length: length === null || length > MAX_MARKETS ? 0 : Number(length) }, (_, index) => ({
      contract: item,
      index: BigInt(index),
    })),
  );
  const answers = await askEach(ask, entries, ({ contract, index }) => ({
    id: question(abi, contract, { index }),
  }));
  const unread = answers.flatMap(({ item, answers: { id } }) => (id === null ? [item.contract] : []));
  return {
    ids: answers.flatMap(({ answers: { id } }) => id ?? []),
    missing: [
      ...endless.map(({ item: id, answers: { length } }) => ({
        id,
        why: `it lists ${length} markets, more than it could use`,
      })),
      ...[...new Set(unread)].map((id) => ({ id, why: 'a market that it lists cannot be read' })),
    ],
  };
}
