// A small world of markets, vaults, assets and yields on two chains, and a second way to compute reach: three values, by repeated search.
import fc from 'fast-check';
import type { ReachInputs } from '../../../../../jobs/pipeline/publish/reach/reach-index.ts';
import type { Condition } from '../../../../../schemas/conditions.ts';

export const CHAINS = ['one', 'two'] as const;
export const SYMBOLS = ['AAA', 'BBB', 'CCC'] as const;
export const FEEDS = ['0xf1', '0xf2'] as const;

export interface WorldMarket {
  readonly id: string;
  readonly chain: string;
  readonly protocol: string | null;
  readonly loan: string | null;
  /** `pool`: none of its own. */
  readonly collateral: string | null;
  readonly feeds: readonly string[];
  readonly usd: number | null;
  readonly isHeld: boolean;
}

export interface WorldVault {
  readonly id: string;
  readonly chain: string;
  readonly asset: string | null;
  /** Indices of markets; those of another chain or another asset are ignored. */
  readonly markets: readonly number[];
  readonly assets: readonly string[];
  readonly vaults: readonly number[];
  readonly isWhole: boolean;
  readonly isHeld: boolean;
}

export interface WorldYield {
  readonly id: string;
  readonly chain: string;
  readonly assets: readonly string[];
  readonly payer: { readonly kind: 'market' | 'vault'; readonly index: number } | null;
  readonly strategy: string | null;
  readonly isHeld: boolean;
}

export interface WorldAsset {
  readonly symbol: string;
  readonly backing: readonly string[];
  readonly isWhole: boolean;
}

export interface ReachWorld {
  readonly markets: readonly WorldMarket[];
  readonly vaults: readonly WorldVault[];
  readonly yields: readonly WorldYield[];
  readonly assets: readonly WorldAsset[];
}

const symbol = fc.constantFrom(...SYMBOLS);
const chain = fc.constantFrom(...CHAINS);
const rarely = fc.integer({ min: 0, max: 7 }).map((n) => n === 0);
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { freq: 6 });
const numbered = <T extends object>(one: fc.Arbitrary<T>, prefix: string, maxLength: number) =>
  fc.array(one, { maxLength }).map((all) => all.map((value, n) => ({ id: `${prefix}${n}`, ...value })));

const marketArbitrary = fc.record({
  chain,
  protocol: maybe(fc.constantFrom('p', 'q')),
  loan: maybe(symbol),
  collateral: fc.constantFrom(...SYMBOLS, 'pool', null),
  feeds: fc.uniqueArray(fc.constantFrom(...FEEDS), { maxLength: 2 }),
  usd: maybe(fc.integer({ min: 0, max: 1000 })),
  isHeld: rarely,
});
const vaultArbitrary = fc.record({
  chain,
  asset: maybe(symbol),
  markets: fc.uniqueArray(fc.nat(5), { maxLength: 3 }),
  assets: fc.uniqueArray(symbol, { maxLength: 1 }),
  vaults: fc.uniqueArray(fc.nat(4), { maxLength: 1 }),
  isWhole: fc.boolean(),
  isHeld: rarely,
});
const yieldArbitrary = fc.record({
  chain,
  assets: fc.uniqueArray(symbol, { minLength: 1, maxLength: 2 }),
  payer: maybe(fc.record({ kind: fc.constantFrom('market' as const, 'vault' as const), index: fc.nat(4) })),
  strategy: fc.constantFrom('lending', 'lp', null),
  isHeld: rarely,
});

/** A vault lends only what it accepts, on its own chain; vaults accept what the vaults that they hold accept. */
function consistent(world: ReachWorld): ReachWorld {
  const vaults = world.vaults.map((vault) => ({
    ...vault,
    markets: vault.markets.filter((index) => {
      const market = world.markets[index];
      return market?.chain === vault.chain && (vault.asset ?? market.loan) === market.loan;
    }),
    vaults: vault.vaults.filter((index) => {
      const other = world.vaults[index];
      return (
        other !== undefined && other !== vault && other.chain === vault.chain && other.asset === vault.asset
      );
    }),
  }));
  const yields = world.yields.map((one) => {
    const payers = one.payer?.kind === 'market' ? world.markets : vaults;
    const payer = payers[one.payer?.index ?? 0];
    const isFitting = payer?.chain === one.chain && !('asset' in payer && payer.asset === null);
    const symbolOf = payer !== undefined && 'loan' in payer ? payer.loan : payer?.asset;
    const assets = symbolOf == null ? one.assets : [symbolOf];
    return one.payer !== null && isFitting
      ? { ...one, strategy: 'lending', assets }
      : { ...one, payer: null };
  });
  return { ...world, vaults, yields };
}

export const worldArbitrary: fc.Arbitrary<ReachWorld> = fc
  .record({
    markets: numbered(marketArbitrary, '0xm', 6),
    vaults: numbered(vaultArbitrary, '0xv', 5),
    yields: numbered(yieldArbitrary, 'y', 5),
    assets: fc.uniqueArray(
      fc.record({ symbol, backing: fc.uniqueArray(symbol, { maxLength: 2 }), isWhole: fc.boolean() }),
      { selector: (one) => one.symbol, maxLength: 3 },
    ),
  })
  .map(consistent);

export type SubjectOf = Pick<Condition, 'subject_id' | 'symbols' | 'chain'>;
export const subjectArbitrary: fc.Arbitrary<SubjectOf> = fc.oneof(
  fc.record({ chain, symbol }).map((one) => pegOf(one.chain, one.symbol)),
  fc.record({ chain, feed: fc.constantFrom(...FEEDS) }).map((one) => feedOf(one.chain, one.feed)),
  fc.record({ chain, n: fc.nat(5) }).map((one) => marketOf(one.chain, `0xm${one.n}`)),
);

export const pegOf = (on: string, name: string): SubjectOf => ({
  subject_id: `peg:${on}:${name}`,
  symbols: [name],
  chain: on,
});
export const feedOf = (on: string, feed: string): SubjectOf => ({
  subject_id: `oracle:${on}:${feed}:X-USD`,
  symbols: ['X', 'USD'],
  chain: on,
});
export const marketOf = (on: string, id: string): SubjectOf => ({
  subject_id: `liquidity:${on}:${id}`,
  symbols: [],
  chain: on,
});

const marketRow = (one: WorldMarket) => ({
  chain: one.chain,
  market_id: one.id,
  protocol: one.protocol,
  loan_symbol: one.loan,
  collateral_symbol: one.collateral === 'pool' ? null : one.collateral,
  collateral_asset: one.collateral === 'pool' ? null : '0xc',
  feeds: one.feeds,
  supplied_usd: one.usd,
  isHeld: one.isHeld,
});

const vaultRow = (one: WorldVault) => ({
  chain: one.chain,
  vault_address: one.id,
  asset_symbol: one.asset,
  isHeld: one.isHeld,
});

const yieldRow = (one: WorldYield, { markets, vaults }: ReachWorld) => ({
  id: `${one.chain}/v/${one.id}`,
  chain: one.chain,
  assets: one.assets,
  strategy: one.strategy,
  address: one.payer && ((one.payer.kind === 'market' ? markets : vaults)[one.payer.index]?.id ?? null),
  isHeld: one.isHeld,
});

const edge = (to: string) => ({ to, kind: to === 'unknown' ? 'unknown' : 'asset' });

const vaultNode = (one: WorldVault, { markets, vaults }: ReachWorld) => ({
  node: `vault:${one.chain}:${one.id}`,
  kind: 'vault',
  isHeld: one.isHeld,
  edges: [
    ...one.markets.flatMap((n) => (markets[n] ? [`market:${markets[n].chain}:${markets[n].id}`] : [])),
    ...one.vaults.flatMap((n) => (vaults[n] ? [`vault:${vaults[n].chain}:${vaults[n].id}`] : [])),
    ...one.assets.map((name) => `asset:${name}`),
    ...(one.isWhole ? [] : ['unknown']),
  ].map(edge),
});

const assetNode = (one: WorldAsset) => ({
  node: `asset:${one.symbol}`,
  kind: 'asset',
  isHeld: false,
  edges: [...one.backing.map((name) => `asset:${name}`), ...(one.isWhole ? [] : ['unknown'])].map(edge),
});

/** The world as it is published. */
export function publishedOf(world: ReachWorld): ReachInputs {
  const { markets, vaults, yields, assets } = world;
  const part = <T extends { readonly isHeld: boolean }>(all: readonly T[], nameOf: (one: T) => string) => ({
    rows: all.filter(({ isHeld }) => !isHeld),
    held: all.filter(({ isHeld }) => isHeld).map(nameOf),
  });
  return {
    markets: part(markets.map(marketRow), ({ chain: at, market_id }) => `${at} ${market_id}`),
    vaults: part(vaults.map(vaultRow), ({ chain: at, vault_address }) => `${at} ${vault_address}`),
    paths: null,
    graph: part(
      [...vaults.map((one) => vaultNode(one, world)), ...assets.map(assetNode)],
      ({ node }) => node,
    ),
    yields: part(
      yields.map((one) => yieldRow(one, world)),
      ({ id }) => id,
    ),
  } as unknown as ReachInputs;
}
