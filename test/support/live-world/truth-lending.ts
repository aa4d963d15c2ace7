// The truth about lending protocols: Aave and Morpho markets whose amounts drift by the hour, and the vaults on top of them.
import { type Hex, parseAbi } from 'viem';
import { SHIPPED_SOURCES } from '../../../jobs/sources/live/shipped/shipped.ts';
import { addressOf, type Contract, type Contracts, contractOf, hashOf } from './contracts.ts';
import { HOUR_S, times } from './truth-finance.ts';

const chainOf = (source: string) => SHIPPED_SOURCES[source]?.request?.chain;
const addressesOf = (source: string) =>
  (chainOf(source)?.contracts ?? []).map((address) => address.toLowerCase() as Hex);

interface Token {
  readonly address: Hex;
  readonly symbol: string;
  readonly decimals: number;
}

const token = (symbol: string, decimals: number): Token => ({
  address: addressOf(`token ${symbol}`),
  symbol,
  decimals,
});
const TOKENS = [token('USDC', 6), token('WETH', 18)];
const [USDC = token('USDC', 6), WETH = token('WETH', 18)] = TOKENS;

export interface LendingMarket {
  readonly id: Hex;
  readonly protocol: 'aave' | 'morpho';
  readonly index: number;
  readonly loan: Token;
  /** Address of the feed behind the market's price; null without an oracle. */
  readonly feed: string | null;
}

const SCALE = 1_000_003n;
const unitOf = ({ decimals }: Token) => 10n ** BigInt(decimals);

/** In the smallest unit, with all digits significant. */
export const suppliedAt = ({ index, loan }: LendingMarket, at: number): bigint =>
  BigInt(5_000_000 + index * 70_000 + (Math.floor(at / HOUR_S) % 48) * 1_000) * unitOf(loan) + SCALE;
/** Half of the supply, or a little more. */
export const borrowedAt = ({ index, loan }: LendingMarket, at: number): bigint =>
  BigInt(2_600_000 + index * 30_000 + (Math.floor(at / HOUR_S) % 36) * 900) * unitOf(loan) + 7n;

const RAY = 10n ** 27n;
const WAD = 10n ** 18n;
const NONE: Hex = `0x${'0'.repeat(40)}`;

const TOKEN_ABI = parseAbi([
  'function symbol() view returns (string)',
  'function decimals() view returns (uint8)',
]);
const AAVE_ABI = parseAbi([
  'function getPoolDataProvider() view returns (address)',
  'function getPriceOracle() view returns (address)',
  'function getSourceOfAsset(address asset) view returns (address)',
  'struct TokenData { string symbol; address tokenAddress; }',
  'function getAllReservesTokens() view returns (TokenData[])',
  'function getReserveConfigurationData(address asset) view returns (uint256, uint256, uint256, uint256, uint256, bool, bool, bool, bool, bool)',
  'function getReserveCaps(address asset) view returns (uint256, uint256)',
  'function getReserveData(address asset) view returns (uint256, uint256, uint256, uint256, uint256, uint256, uint256, uint256, uint256, uint256, uint256, uint40)',
  'function getReserveTokensAddresses(address asset) view returns (address, address, address)',
  'function getPaused(address asset) view returns (bool)',
  'function getSiloedBorrowing(address asset) view returns (bool)',
  'function getLiquidationProtocolFee(address asset) view returns (uint256)',
  'function getDebtCeiling(address asset) view returns (uint256)',
]);
const MORPHO_ABI = parseAbi([
  'function market(bytes32 id) view returns (uint128, uint128, uint128, uint128, uint128, uint128)',
  'function idToMarketParams(bytes32 id) view returns (address, address, address, address, uint256)',
]);
const ORACLE_ABI = parseAbi([
  'function BASE_FEED_1() view returns (address)',
  'function BASE_FEED_2() view returns (address)',
  'function QUOTE_FEED_1() view returns (address)',
  'function QUOTE_FEED_2() view returns (address)',
  'function ASSET_TO_USD_AGGREGATOR() view returns (address)',
]);
const VAULT_ABI = parseAbi([
  'function name() view returns (string)',
  'function symbol() view returns (string)',
  'function asset() view returns (address)',
  'function curator() view returns (address)',
  'function withdrawQueueLength() view returns (uint256)',
  'function withdrawQueue(uint256 index) view returns (bytes32)',
]);

const AAVE_MARKETS: readonly (readonly LendingMarket[])[] = addressesOf('aave-markets').map((_, at) =>
  TOKENS.map((loan, index) => ({
    id: addressOf(`deposit token ${at} ${loan.symbol}`),
    protocol: 'aave',
    index: at * TOKENS.length + index,
    loan,
    feed: feedAddress(index),
  })),
);

const MORPHO_MARKETS: readonly LendingMarket[] = times(4, (index) => ({
  id: hashOf(`market ${index}`),
  protocol: 'morpho',
  index: 20 + index,
  loan: USDC,
  // The last market lends without collateral.
  feed: index === 3 ? null : feedAddress(index + 4),
}));

/** Addresses of feeds, in the order of the feeds. */
function feedAddress(index: number): string {
  return `0x${String(index + 1).padStart(40, 'a')}`;
}

export const LENDING_MARKETS: readonly LendingMarket[] = [...AAVE_MARKETS.flat(), ...MORPHO_MARKETS];

export interface VaultTruth {
  readonly address: Hex;
  readonly name: string;
  readonly curator: Hex;
  readonly queue: readonly Hex[];
}

export const VAULTS: readonly VaultTruth[] = times(3, (index) => ({
  address: addressOf(`vault ${index}`),
  name: `Vault ${index}`,
  curator: addressOf(`curator ${index}`),
  queue: MORPHO_MARKETS.slice(index, index + 2).map(({ id }) => id),
}));

export const vaultListing = () => [
  ...VAULTS.map(({ address }) => ({ address, chainId: 1, image: 'x', description: 'A vault' })),
  { address: addressOf('a vault of another chain'), chainId: 8_453, image: 'x', description: 'A vault' },
];

/** One curator is verified later. */
export const curatorListing = (now: number) =>
  times(6, (index) => ({
    id: `curator-${index}`,
    name: `Curator ${index}`,
    verified: index !== 5 || Math.floor(now / HOUR_S) % 2_000 > 1_000,
    addresses: { '1': [addressOf(`curator ${index}`)] },
  }));

export const lendingContracts = (): Contracts =>
  new Map<string, Contract>([
    ...TOKENS.map((one): [string, Contract] => [
      one.address,
      contractOf(TOKEN_ABI, { symbol: () => one.symbol, decimals: () => one.decimals }),
    ]),
    ...AAVE_MARKETS.flatMap((markets, index) =>
      aaveContracts(addressesOf('aave-markets')[index] ?? NONE, markets),
    ),
    ...addressesOf('morpho-markets').map((address): [string, Contract] => [address, morphoContract()]),
    ...MORPHO_MARKETS.map(({ id, feed }): [string, Contract] => [
      addressOf(`oracle of ${id}`),
      contractOf(ORACLE_ABI, {
        BASE_FEED_1: () => feed ?? NONE,
        ...{ BASE_FEED_2: () => NONE, QUOTE_FEED_1: () => NONE, QUOTE_FEED_2: () => NONE },
      }),
    ]),
    ...VAULTS.map((vault): [string, Contract] => [vault.address, vaultContract(vault)]),
  ]);

/** The oracle of the first market reads its feed through an adapter with a cap, the others directly. */
function aaveContracts(provider: Hex, markets: readonly LendingMarket[]): [string, Contract][] {
  const [data, oracle] = [addressOf(`data provider ${provider}`), addressOf(`oracle ${provider}`)];
  const adapterOf = ({ id, feed, loan }: LendingMarket) =>
    loan === USDC ? addressOf(`adapter ${id}`) : ((feed ?? NONE) as Hex);
  const marketOf = (asset: unknown) =>
    markets.find(({ loan }) => loan.address === String(asset).toLowerCase());
  return [
    [provider, contractOf(AAVE_ABI, { getPoolDataProvider: () => data, getPriceOracle: () => oracle })],
    [
      oracle,
      contractOf(AAVE_ABI, {
        getSourceOfAsset: ([asset]) => {
          const market = marketOf(asset);
          return market === undefined ? NONE : adapterOf(market);
        },
      }),
    ],
    ...markets
      .filter(({ loan }) => loan === USDC)
      .map((market): [string, Contract] => [
        adapterOf(market),
        contractOf(ORACLE_ABI, { ASSET_TO_USD_AGGREGATOR: () => market.feed ?? NONE }),
      ]),
    [data, dataProvider(markets, marketOf)],
  ];
}

const dataProvider = (
  markets: readonly LendingMarket[],
  marketOf: (asset: unknown) => LendingMarket | undefined,
): Contract =>
  contractOf(AAVE_ABI, {
    getAllReservesTokens: () =>
      markets.map(({ loan }) => ({ symbol: loan.symbol, tokenAddress: loan.address })),
    getReserveConfigurationData: ([asset]) => {
      const decimals = BigInt(marketOf(asset)?.loan.decimals ?? 0);
      return [decimals, 7_500n, 7_800n, 10_450n, 1_000n, true, true, false, true, false];
    },
    getReserveCaps: () => [9_000_000n, 10_000_000n],
    getReserveData: ([asset], at) => {
      const market = marketOf(asset);
      if (market === undefined) return undefined;
      const [supplied, borrowed] = [suppliedAt(market, at), borrowedAt(market, at)];
      return [0n, 0n, supplied, 0n, borrowed, RAY / 40n, RAY / 20n, 0n, 0n, RAY, RAY, at];
    },
    getReserveTokensAddresses: ([asset]) => [marketOf(asset)?.id ?? NONE, NONE, NONE],
    getPaused: () => false,
    getSiloedBorrowing: () => false,
    getLiquidationProtocolFee: () => 1_000n,
    getDebtCeiling: () => 0n,
  });

function morphoContract(): Contract {
  const marketOf = (id: unknown) => MORPHO_MARKETS.find((market) => market.id === id);
  return contractOf(MORPHO_ABI, {
    market: ([id], at) => {
      const market = marketOf(id);
      if (market === undefined) return [0n, 0n, 0n, 0n, 0n, 0n];
      const [supplied, borrowed] = [suppliedAt(market, at), borrowedAt(market, at)];
      return [supplied, supplied, borrowed, borrowed, BigInt(at), WAD / 10n];
    },
    idToMarketParams: ([id]) => {
      const market = marketOf(id);
      if (market === undefined) return [NONE, NONE, NONE, NONE, 0n];
      const isIdle = market.feed === null;
      const oracle = isIdle ? NONE : addressOf(`oracle of ${market.id}`);
      return [market.loan.address, isIdle ? NONE : WETH.address, oracle, NONE, (WAD * 86n) / 100n];
    },
  });
}

const vaultContract = ({ name, curator, queue }: VaultTruth): Contract =>
  contractOf(VAULT_ABI, {
    name: () => name,
    symbol: () => name.replace('ault ', ''),
    asset: () => USDC.address,
    curator: () => curator,
    withdrawQueueLength: () => BigInt(queue.length),
    withdrawQueue: ([index]) => queue[Number(index)],
  });
