// Reads what Yearn's version 3 vaults and plain ERC-4626 vaults account for and hold, at one block.
import { contractFunction } from '../../../../../platform/base/contract-abi.ts';
import { type Ask, askEach, complete, question } from '../contract-call.ts';
import { minOf } from './morpho-interest.ts';
import { VAULT_ABI } from './vault-kinds.ts';
import type { DraftResult, Holding, VaultEntry } from './vault-totals.ts';

/** As declared by yearn/yearn-vaults-v3. */
const DEFAULT_QUEUE = contractFunction('get_default_queue', {}, ['address']);
const STRATEGY = contractFunction(
  'strategies',
  { strategy: 'address' },
  { activation: 'uint256', lastReport: 'uint256', currentDebt: 'uint256', maxDebt: 'uint256' },
);
/** Yearn's own limit is 10. */
const MAX_STRATEGIES = 100;

/** Strategies outside the default queue may have debt too: then what is behind the shares is unknown, and the quoted price stays. */
export async function readYearn(ask: Ask, vaults: readonly VaultEntry[]): Promise<DraftResult[]> {
  const accounts = await askEach(ask, vaults, ({ vault }) => ({
    supply: question(VAULT_ABI.totalSupply, vault),
    idle: question(VAULT_ABI.totalIdle, vault),
    debt: question(VAULT_ABI.totalDebt, vault),
    queue: question(DEFAULT_QUEUE, vault),
  }));
  const entries = accounts.flatMap(({ item, answers: { queue } }) =>
    (queue ?? []).slice(0, MAX_STRATEGIES).map((strategy) => ({ vault: item.vault, strategy })),
  );
  const debts = await askEach(ask, entries, ({ vault, strategy }) => ({
    debt: question(STRATEGY, vault, { strategy }),
    shares: question(VAULT_ABI.balanceOf, strategy, { account: vault }),
  }));
  const values = await askEach(ask, debts, ({ item: { strategy }, answers: { shares } }) => ({
    assets: question(VAULT_ABI.convertToAssets, strategy, { shares: shares ?? 0n }),
  }));
  const byVault = Map.groupBy(values, ({ item: { item } }) => item.vault);
  return accounts.map(({ item, answers }): DraftResult => {
    const all = complete(answers);
    if (typeof all === 'string') return { vault: item.vault, why: `it does not answer ${all}` };
    const own = (byVault.get(item.vault) ?? []).map(
      ({ item: { item: entry, answers: known }, answers: value }) => ({
        strategy: entry.strategy,
        debt: known.debt?.currentDebt ?? null,
        shares: known.shares,
        assets: value.assets,
      }),
    );
    const { queue: _, ...account } = all;
    const rest = account.debt - own.reduce((sum, { debt }) => sum + (debt ?? 0n), 0n);
    return {
      ...item,
      account: { form: 'lent', ...account },
      holdings: [...own.map(holdingOf), ...(rest === 0n ? [] : [unknownDebt(item.vault, rest)])],
    };
  });
}

/** A strategy counts with at most its debt: gains are booked by a report. */
const holdingOf = ({
  strategy,
  debt,
  shares,
  assets,
}: {
  readonly strategy: string;
  readonly debt: bigint | null;
  readonly shares: bigint | null;
  readonly assets: bigint | null;
}): Holding => {
  const isKnown = debt !== null && shares !== null && assets !== null;
  const base = { via: null, held: strategy, queueIndex: null, isLiquidity: false };
  return isKnown
    ? { ...base, kind: 'vault', shares, stated: minOf(debt, assets) }
    : { ...base, kind: 'unknown', shares: null, stated: debt ?? 0n };
};

const unknownDebt = (vault: string, debt: bigint): Holding => ({
  ...{ via: null, kind: 'unknown', held: vault, shares: null },
  ...{ stated: debt < 0n ? 0n : debt, queueIndex: null, isLiquidity: false },
});

export async function readPlain(ask: Ask, vaults: readonly VaultEntry[]): Promise<DraftResult[]> {
  const accounts = await askEach(ask, vaults, ({ vault, facts }) => ({
    supply: question(VAULT_ABI.totalSupply, vault),
    assets: question(VAULT_ABI.totalAssets, vault),
    perShare: question(VAULT_ABI.convertToAssets, vault, { shares: 10n ** BigInt(facts.shareDecimals) }),
  }));
  return accounts.map(({ item, answers }): DraftResult => {
    const all = complete(answers);
    if (typeof all === 'string') return { vault: item.vault, why: `it does not answer ${all}` };
    return { ...item, account: { form: 'plain', ...all }, holdings: [] };
  });
}
