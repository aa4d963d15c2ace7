// Reads what version 2 vaults of Morpho account for, and what their adapters hold, at one block.
import { contractFunction, keccak256 } from '../../../../../platform/base/contract-abi.ts';
import { type Ask, askEach, complete, NO_ADDRESS, question } from '../contract-call.ts';
import { readAdapters } from './vault-adapters.ts';
import { ADDRESS_ONE, VAULT_ABI } from './vault-kinds.ts';
import type { DraftResult, Holding, VaultAccount, VaultEntry } from './vault-totals.ts';

/** More markets than an adapter could use within a block's gas. */
const MAX_MARKETS = 200n;

/** As declared by morpho-org/vault-v2. */
const ABI = {
  lastAssets: contractFunction('_totalAssets', {}, 'uint128'),
  lastUpdate: contractFunction('lastUpdate', {}, 'uint64'),
  maxRate: contractFunction('maxRate', {}, 'uint64'),
  performanceFee: contractFunction('performanceFee', {}, 'uint96'),
  managementFee: contractFunction('managementFee', {}, 'uint96'),
  performanceFeeRecipient: contractFunction('performanceFeeRecipient', {}, 'address'),
  managementFeeRecipient: contractFunction('managementFeeRecipient', {}, 'address'),
  liquidityAdapter: contractFunction('liquidityAdapter', {}, 'address'),
  liquidityData: contractFunction('liquidityData', {}, 'bytes'),
  receiveSharesGate: contractFunction('receiveSharesGate', {}, 'address'),
  sendSharesGate: contractFunction('sendSharesGate', {}, 'address'),
  receiveAssetsGate: contractFunction('receiveAssetsGate', {}, 'address'),
  sendAssetsGate: contractFunction('sendAssetsGate', {}, 'address'),
  canReceiveShares: contractFunction('canReceiveShares', { account: 'address' }, 'bool'),
  parentVault: contractFunction('parentVault', {}, 'address'),
  morpho: contractFunction('morpho', {}, 'address'),
  marketIdsLength: contractFunction('marketIdsLength', {}, 'uint256'),
  marketIds: contractFunction('marketIds', { index: 'uint256' }, 'bytes32'),
  supplyShares: contractFunction('supplyShares', { id: 'bytes32' }, 'uint256'),
  heldVault: contractFunction('morphoVaultV1', {}, 'address'),
  realAssets: contractFunction('realAssets', {}, 'uint256'),
} as const;

const questionsOf = ({ vault, facts: { asset } }: VaultEntry) => ({
  supply: question(VAULT_ABI.totalSupply, vault),
  addressOne: question(VAULT_ABI.balanceOf, vault, { account: ADDRESS_ONE }),
  idle: question(VAULT_ABI.balanceOf, asset, { account: vault }),
  lastAssets: question(ABI.lastAssets, vault),
  lastUpdate: question(ABI.lastUpdate, vault),
  maxRate: question(ABI.maxRate, vault),
  performanceFee: question(ABI.performanceFee, vault),
  managementFee: question(ABI.managementFee, vault),
  liquidityAdapter: question(ABI.liquidityAdapter, vault),
  liquidityData: question(ABI.liquidityData, vault),
  receiveSharesGate: question(ABI.receiveSharesGate, vault),
  sendSharesGate: question(ABI.sendSharesGate, vault),
  receiveAssetsGate: question(ABI.receiveAssetsGate, vault),
  sendAssetsGate: question(ABI.sendAssetsGate, vault),
});

/** What an adapter is, which does not change: it holds markets, shares of a vault, or what is not known here. */
export type AdapterKind =
  | { readonly kind: 'market' }
  | { readonly kind: 'vault'; readonly held: string }
  | { readonly kind: 'unknown' };

export interface LimitedReading {
  readonly results: readonly DraftResult[];
  readonly adapters: ReadonlyMap<string, AdapterKind>;
  /** The adapters of each vault whose list can be read. */
  readonly byVault: ReadonlyMap<string, readonly string[]>;
}

export async function readLimited(
  ask: Ask,
  vaults: readonly VaultEntry[],
  { morpho, known }: { readonly morpho: string; readonly known: ReadonlyMap<string, AdapterKind> },
): Promise<LimitedReading> {
  const accounts = (await askEach(ask, vaults, questionsOf)).map(({ item, answers }) => ({
    ...item,
    all: complete(answers),
  }));
  const { byVault } = await readAdapters(
    ask,
    vaults.map(({ vault }) => vault),
  );
  const pairs = [...byVault].flatMap(([vault, own]) => own.map((adapter) => ({ vault, adapter })));
  const adapters = await adapterKinds(ask, pairs, { morpho, known });
  const holdings = await readHoldings(ask, pairs, adapters);
  const permissions = await readPermissions(ask, accounts);
  const results = accounts.map(({ vault, facts, all }): DraftResult => {
    if (typeof all === 'string') return { vault, why: `it does not answer ${all}` };
    if (!byVault.has(vault)) return { vault, why: 'its adapters cannot be read' };
    const own = holdings.get(vault) ?? [];
    if (own.some((one) => one === null)) return { vault, why: 'the markets of an adapter cannot be read' };
    const allowed = permissions.get(vault) ?? { mayPerform: true, mayManage: true };
    if (allowed === 'unknown') return { vault, why: 'its gate does not say whether fees may be paid' };
    const { liquidityAdapter, liquidityData, ...rest } = all;
    const { receiveSharesGate, sendSharesGate, receiveAssetsGate, sendAssetsGate, ...account } = rest;
    const gates = { receiveSharesGate, sendSharesGate, receiveAssetsGate, sendAssetsGate };
    return {
      vault,
      facts,
      account: { form: 'limited', ...account, ...allowed, gates },
      holdings: own.flatMap((one) =>
        one === null ? [] : [{ ...one, isLiquidity: isLiquidity(one, { liquidityAdapter, liquidityData }) }],
      ),
    };
  });
  return { results, adapters, byVault };
}

/** Ordinary withdrawals take from one adapter, and from the one market of it that the data names. */
const isLiquidity = (
  { via, kind, held }: Holding,
  { liquidityAdapter, liquidityData }: { readonly liquidityAdapter: string; readonly liquidityData: string },
): boolean =>
  via === liquidityAdapter && (kind === 'vault' || (kind === 'market' && held === keccak256(liquidityData)));

interface Pair {
  readonly vault: string;
  readonly adapter: string;
}

async function adapterKinds(
  ask: Ask,
  pairs: readonly Pair[],
  { morpho, known }: { readonly morpho: string; readonly known: ReadonlyMap<string, AdapterKind> },
): Promise<ReadonlyMap<string, AdapterKind>> {
  const fresh = pairs.filter(({ adapter }) => (known.get(adapter)?.kind ?? 'unknown') === 'unknown');
  const answers = await askEach(
    ask,
    fresh,
    ({ adapter }) => ({
      parent: question(ABI.parentVault, adapter),
      morpho: question(ABI.morpho, adapter),
      length: question(ABI.marketIdsLength, adapter),
      held: question(ABI.heldVault, adapter),
    }),
    { mayRevert: true },
  );
  const found = answers.map(({ item, answers: own }): [string, AdapterKind] => {
    const isOwn = own.parent === item.vault;
    const isOfMarkets = isOwn && own.morpho === morpho && own.length !== null;
    if (isOfMarkets && own.held === null) return [item.adapter, { kind: 'market' }];
    const isOfVault = isOwn && own.held !== null && own.length === null;
    return [item.adapter, isOfVault ? { kind: 'vault', held: own.held ?? '' } : { kind: 'unknown' }];
  });
  return new Map([...known, ...found]);
}

/** Holdings by vault; null for an adapter whose markets cannot be read. */
async function readHoldings(
  ask: Ask,
  pairs: readonly Pair[],
  adapters: ReadonlyMap<string, AdapterKind>,
): Promise<ReadonlyMap<string, readonly (Holding | null)[]>> {
  const ofKind = (kind: AdapterKind['kind']) =>
    pairs.filter(({ adapter }) => (adapters.get(adapter)?.kind ?? 'unknown') === kind);
  const markets = await readMarketHoldings(ask, ofKind('market'));
  const held = ofKind('vault').map((pair) => {
    const kind = adapters.get(pair.adapter);
    return { ...pair, held: kind?.kind === 'vault' ? kind.held : '' };
  });
  const balances = await askEach(ask, held, (one) => ({
    shares: question(VAULT_ABI.balanceOf, one.held, { account: one.adapter }),
  }));
  const stated = await readStated(ask, ofKind('unknown'));
  const all: { readonly vault: string; readonly holding: Holding | null }[] = [
    ...markets,
    ...balances.map(({ item, answers: { shares } }) => ({
      vault: item.vault,
      holding:
        shares === null
          ? null
          : { ...BASE, via: item.adapter, kind: 'vault' as const, held: item.held, shares, stated: null },
    })),
    ...stated,
  ];
  const byVault = Map.groupBy(all, ({ vault }) => vault);
  return new Map([...byVault].map(([vault, own]) => [vault, own.map(({ holding }) => holding)]));
}

const BASE = { queueIndex: null, isLiquidity: false };

/** Adapters that are not known here count with what they state. */
async function readStated(ask: Ask, pairs: readonly Pair[]) {
  const stated = await askEach(ask, pairs, ({ adapter }) => ({ assets: question(ABI.realAssets, adapter) }));
  return stated.map(({ item: { vault, adapter }, answers: { assets } }) => ({
    vault,
    holding: { ...BASE, via: adapter, kind: 'unknown' as const, held: adapter, shares: null, stated: assets },
  }));
}

async function readMarketHoldings(ask: Ask, pairs: readonly Pair[]) {
  const lengths = await askEach(ask, pairs, ({ adapter }) => ({
    length: question(ABI.marketIdsLength, adapter),
  }));
  const unreadable = lengths.filter(({ answers: { length } }) => length === null || length > MAX_MARKETS);
  const entries = lengths.flatMap(({ item, answers: { length } }) =>
    length === null || length > MAX_MARKETS
      ? []
      : Array.from({ length: Number(length) }, (_, index) => ({ ...item, index })),
  );
  const ids = await askEach(ask, entries, ({ adapter, index }) => ({
    id: question(ABI.marketIds, adapter, { index: BigInt(index) }),
  }));
  const shares = await askEach(ask, ids, ({ item, answers: { id } }) => ({
    shares: question(ABI.supplyShares, item.adapter, { id: id ?? `0x${'0'.repeat(64)}` }),
  }));
  return [
    ...unreadable.map(({ item: { vault } }) => ({ vault, holding: null })),
    ...shares.map(({ item: { item, answers }, answers: own }) => ({
      vault: item.vault,
      holding:
        answers.id === null || own.shares === null
          ? null
          : {
              ...{ via: item.adapter, kind: 'market' as const, held: answers.id, shares: own.shares },
              ...{ stated: null, queueIndex: null, isLiquidity: false },
            },
    })),
  ];
}

type Account = { readonly vault: string; readonly all: { readonly receiveSharesGate: string } | string };
type Permission = Pick<Extract<VaultAccount, { form: 'limited' }>, 'mayPerform' | 'mayManage'> | 'unknown';

/** Whether recipients of fees may receive shares, of vaults that have a gate for it. */
async function readPermissions(
  ask: Ask,
  accounts: readonly Account[],
): Promise<ReadonlyMap<string, Permission>> {
  const gated = accounts.flatMap(({ vault, all }) =>
    typeof all === 'string' || all.receiveSharesGate === NO_ADDRESS
      ? []
      : [{ vault, gate: all.receiveSharesGate }],
  );
  const recipients = await askEach(ask, gated, ({ vault }) => ({
    performance: question(ABI.performanceFeeRecipient, vault),
    management: question(ABI.managementFeeRecipient, vault),
  }));
  const allowed = await askEach(ask, recipients, ({ item: { gate }, answers }) => ({
    mayPerform: question(ABI.canReceiveShares, gate, { account: answers.performance ?? NO_ADDRESS }),
    mayManage: question(ABI.canReceiveShares, gate, { account: answers.management ?? NO_ADDRESS }),
  }));
  return new Map(
    allowed.map(({ item: { item }, answers }): [string, Permission] => {
      const all = complete(answers);
      return [item.vault, typeof all === 'string' ? 'unknown' : all];
    }),
  );
}
