// Published vaults for tests of sets, whose own figures follow from their positions, and the figures of sets of them.
import type { SetVault } from '../../models/vault-flow.ts';
import { vaultTotals } from '../../models/vault-sets.ts';
import type { VaultHoldings } from '../../schemas/vault-holdings.ts';
import type { Vault } from '../../schemas/vaults.ts';

type Holding = VaultHoldings['holdings'][number];
interface Position {
  readonly in: string;
  readonly own: number;
  /** Null: not known. */
  readonly cash?: number | null;
  readonly supply?: number;
  readonly is?: 'vault' | 'unknown';
  /** Ordinary withdrawals do not take from it. */
  readonly isOther?: true;
}
interface Made {
  readonly address: string;
  readonly kind?: Vault['kind'];
  readonly idle?: number;
  readonly at: readonly Position[];
  readonly row?: Partial<Vault>;
  readonly held?: Partial<VaultHoldings>;
}

const STATE_AT = 1_728_036_000;

/** A published vault whose own figures follow from its positions, as the jobs compute them. */
export function made(vault: Made, inside: readonly SetVault[] = []): SetVault {
  const { address, kind = 'morpho_v1_1', idle = 0, at } = vault;
  const id = { chain: 'ethereum', vault_address: address, state_at: STATE_AT };
  const figures = figuresOf({ idle, at }, inside);
  const row = {
    ...{ ...id, kind, asset_address: '0xusdc', asset_symbol: 'USDC', asset_price_usd: 2, idle_assets: idle },
    ...{ unrealised_bad_debt_low_usd: 0, unrealised_bad_debt_high_usd: 0, state_status: 'fresh' },
    ...{
      gaps: figures.withdrawable_assets === null ? ['market_state_unknown'] : [],
      ...figures,
      ...vault.row,
    },
  } as Vault;
  const holdings = at.map((one) => holdingOf(one, kind));
  return {
    row,
    holdings: { ...id, is_complete: true, holdings, ...vault.held } as VaultHoldings,
    isHeldBack: false,
  };
}

function figuresOf({ idle, at }: { idle: number; at: readonly Position[] }, inside: readonly SetVault[]) {
  const insideOf = (name: string) => inside.find(({ row }) => row.vault_address === name)?.row;
  const outOf = ({ in: name, own, cash = 0, is }: Position) => {
    const limit = is === 'vault' ? (insideOf(name)?.withdrawable_assets ?? null) : cash;
    return own === 0 ? 0 : limit === null ? null : Math.min(own, limit);
  };
  const reached = at.filter(({ isOther }) => isOther !== true).map(outOf);
  return {
    total_assets: idle + at.reduce((sum, { own }) => sum + own, 0),
    withdrawable_assets: reached.reduce(
      (sum: number | null, one) => (sum === null || one === null ? null : sum + one),
      idle,
    ),
    withdrawable_shared_assets: at.reduce(
      (sum, { own, cash, supply = own }) => sum + (supply === 0 ? 0 : (own * (cash ?? 0)) / supply),
      idle,
    ),
  };
}

function holdingOf(position: Position, kind: Vault['kind']): Holding {
  const { in: held, own, cash = 0, supply = own, is = 'market', isOther } = position;
  return {
    ...{
      held_kind: is,
      held,
      assets: own,
      market_supply: supply,
      market_cash: is === 'market' ? cash : null,
    },
    is_liquidity: kind === 'morpho_v2' ? isOther !== true : null,
    queue_index: kind === 'morpho_v2' || isOther === true ? null : 0,
  } as Holding;
}

export function totalsOf(vaults: readonly SetVault[], others: readonly SetVault[] = []) {
  const all = new Map([...vaults, ...others].map((one) => [`ethereum|${one.row.vault_address}`, one]));
  return vaultTotals({ vaults, missing: [], gaps: [], vaultOf: (key) => all.get(key) });
}
export const figures = (vaults: readonly SetVault[], others?: readonly SetVault[]) => {
  const { assets } = totalsOf(vaults, others);
  const sum = (of: (one: (typeof assets)[number]) => number | null) =>
    assets.reduce((all: number | null, one) => {
      const amount = of(one);
      return all === null || amount === null ? null : all + amount;
    }, 0);
  return {
    total: sum((one) => one.total_assets),
    withdrawable: sum((one) => one.withdrawable_assets),
    shared: sum((one) => one.withdrawable_shared_assets),
  };
};
