// Reads what version 1 vaults of Morpho and vaults of Euler Earn account for and hold, at one block. Values of markets are not asked here,
// because many vaults share them.
import { contractFunction } from '../../../../../platform/base/contract-abi.ts';
import { type Ask, askEach, complete, question } from '../contract-call.ts';
import { EULER_CONFIG } from './cap-ids.ts';
import { ADDRESS_ONE, VAULT_ABI } from './vault-kinds.ts';
import type { DraftResult, Holding, VaultEntry } from './vault-totals.ts';

/** Vaults allow 30. */
const MAX_QUEUE = 100n;
const indexes = (length: bigint) => Array.from({ length: Number(length) }, (_, index) => index);

const QUEUED_MARKET = contractFunction('withdrawQueue', { index: 'uint256' }, 'bytes32');
const QUEUED_VAULT = contractFunction('withdrawQueue', { index: 'uint256' }, 'address');
const POSITION = contractFunction(
  'position',
  { id: 'bytes32', user: 'address' },
  { supplyShares: 'uint256', borrowShares: 'uint128', collateral: 'uint128' },
);

const bookedQuestions = ({ vault, facts }: VaultEntry) => ({
  supply: question(VAULT_ABI.totalSupply, vault),
  lastAssets: question(VAULT_ABI.lastTotalAssets, vault),
  fee: question(VAULT_ABI.fee, vault),
  addressOne: question(VAULT_ABI.balanceOf, vault, { account: ADDRESS_ONE }),
  length: question(VAULT_ABI.withdrawQueueLength, vault),
  ...(facts.kind === 'morpho_v1_0' ? {} : { lost: question(VAULT_ABI.lostAssets, vault) }),
});

/** Version 1 holds markets by its own address, Euler Earn shares of vaults that it counts itself. */
export async function readBooked(
  ask: Ask,
  vaults: readonly VaultEntry[],
  morpho: string,
): Promise<DraftResult[]> {
  const accounts = (await askEach(ask, vaults, bookedQuestions)).map(({ item, answers }) => {
    const all = complete(answers);
    if (typeof all === 'string') return { ...item, why: `it does not answer ${all}` };
    return all.length > MAX_QUEUE
      ? { ...item, why: `its queue has ${all.length} entries` }
      : { ...item, all };
  });
  const entries = accounts.flatMap((one) =>
    'all' in one ? indexes(one.all.length).map((index) => ({ ...one, index })) : [],
  );
  const isEuler = ({ facts }: VaultEntry) => facts.kind === 'euler_earn';
  const queues = await askEach(ask, entries, (one) => ({
    id: question(isEuler(one) ? QUEUED_VAULT : QUEUED_MARKET, one.vault, { index: BigInt(one.index) }),
  }));
  const named = queues.map(({ item, answers: { id } }) => ({ ...item, id }));
  const held = [
    ...(await readMarketPositions(
      ask,
      named.filter((one) => !isEuler(one)),
      morpho,
    )),
    ...(await readStrategies(ask, named.filter(isEuler))),
  ];
  const holdings = Map.groupBy(held, ({ vault }) => vault);
  return accounts.map((one): DraftResult => {
    if (!('all' in one)) return { vault: one.vault, why: one.why };
    const own = (holdings.get(one.vault) ?? []).map(({ holding }) => holding);
    if (BigInt(own.length) < one.all.length) return { vault: one.vault, why: 'its queue cannot be read' };
    const { length: _, ...account } = one.all;
    return { ...one, account: { form: 'booked', lost: null, ...account }, holdings: own };
  });
}

interface QueueEntry extends VaultEntry {
  readonly index: number;
  readonly id: string | null;
}

const holdingOf = (
  { index, id }: Pick<QueueEntry, 'index' | 'id'>,
  kind: Holding['kind'],
  { shares, stated }: Pick<Holding, 'shares' | 'stated'>,
): Holding => ({ via: null, kind, held: id ?? '', shares, stated, queueIndex: index, isLiquidity: false });

async function readMarketPositions(ask: Ask, entries: readonly QueueEntry[], morpho: string) {
  const known = entries.filter(({ id }) => id !== null);
  const positions = await askEach(ask, known, ({ vault, id }) => ({
    position: question(POSITION, morpho, { id: id ?? '', user: vault }),
  }));
  return positions.map(({ item, answers: { position } }) => ({
    ...item,
    holding: holdingOf(item, 'market', { shares: position?.supplyShares ?? null, stated: null }),
  }));
}

async function readStrategies(ask: Ask, entries: readonly QueueEntry[]) {
  const known = entries.filter(({ id }) => id !== null);
  const configs = await askEach(ask, known, ({ vault, id }) => ({
    config: question(EULER_CONFIG, vault, { id: id ?? '' }),
  }));
  const values = await askEach(ask, configs, ({ item, answers: { config } }) => ({
    assets: question(VAULT_ABI.convertToAssets, item.id ?? '', { shares: config?.balance ?? 0n }),
  }));
  return values.map(({ item: { item, answers }, answers: { assets } }) => ({
    ...item,
    holding: holdingOf(item, 'vault', { shares: answers.config?.balance ?? null, stated: assets }),
  }));
}
