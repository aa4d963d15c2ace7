// The part of Aave v3's data provider (`AaveProtocolDataProvider`) that is read, and the decoding of its results.
import { contractFunction } from '../../../../platform/base/contract-abi.ts';
import { type CallResult, type ContractCall, readResult } from './contract-call.ts';
import { MAX_SYMBOL, shownName } from './token-abi.ts';

const ASSET = { asset: 'address' } as const;
const DATA_PROVIDER = contractFunction('getPoolDataProvider', {}, 'address');
const PRICE_ORACLE = contractFunction('getPriceOracle', {}, 'address');
const PRICE_SOURCE = contractFunction('getSourceOfAsset', ASSET, 'address');
const ASSET_PRICE = contractFunction('getAssetPrice', ASSET, 'uint256');
const PRICE_UNIT = contractFunction('BASE_CURRENCY_UNIT', {}, 'uint256');
const RESERVES = contractFunction('getAllReservesTokens', {}, [
  { symbol: 'string', tokenAddress: 'address' },
]);

/** The functions called for one reserve. */
const RESERVE = {
  configuration: contractFunction('getReserveConfigurationData', ASSET, {
    decimals: 'uint256',
    ltv: 'uint256',
    liquidationThreshold: 'uint256',
    liquidationBonus: 'uint256',
    reserveFactor: 'uint256',
    usageAsCollateralEnabled: 'bool',
    borrowingEnabled: 'bool',
    stableBorrowRateEnabled: 'bool',
    isActive: 'bool',
    isFrozen: 'bool',
  }),
  caps: contractFunction('getReserveCaps', ASSET, { borrowCap: 'uint256', supplyCap: 'uint256' }),
  state: contractFunction('getReserveData', ASSET, {
    unbacked: 'uint256',
    accruedToTreasuryScaled: 'uint256',
    totalAToken: 'uint256',
    totalStableDebt: 'uint256',
    totalVariableDebt: 'uint256',
    liquidityRate: 'uint256',
    variableBorrowRate: 'uint256',
    stableBorrowRate: 'uint256',
    averageStableBorrowRate: 'uint256',
    liquidityIndex: 'uint256',
    variableBorrowIndex: 'uint256',
    lastUpdateTimestamp: 'uint40',
  }),
  tokens: contractFunction('getReserveTokensAddresses', ASSET, {
    aTokenAddress: 'address',
    stableDebtTokenAddress: 'address',
    variableDebtTokenAddress: 'address',
  }),
  isPaused: contractFunction('getPaused', ASSET, 'bool'),
  isSiloed: contractFunction('getSiloedBorrowing', ASSET, 'bool'),
  protocolFee: contractFunction('getLiquidationProtocolFee', ASSET, 'uint256'),
  debtCeiling: contractFunction('getDebtCeiling', ASSET, 'uint256'),
};
const RESERVE_FUNCTIONS = Object.values(RESERVE);
export const CALLS_PER_RESERVE = RESERVE_FUNCTIONS.length;

export const reservesCall = (provider: string): ContractCall => ({
  target: provider,
  data: RESERVES.encodeCall(),
});

export const reserveCalls = (provider: string, asset: string): ContractCall[] =>
  RESERVE_FUNCTIONS.map(({ encodeCall }) => ({ target: provider, data: encodeCall({ asset }) }));

export const dataProviderCall = (addresses: string): ContractCall => ({
  target: addresses,
  data: DATA_PROVIDER.encodeCall(),
});

export const priceOracleCall = (addresses: string): ContractCall => ({
  target: addresses,
  data: PRICE_ORACLE.encodeCall(),
});

export const priceSourceCall = (oracle: string, asset: string): ContractCall => ({
  target: oracle,
  data: PRICE_SOURCE.encodeCall({ asset }),
});

export const assetPriceCall = (oracle: string, asset: string): ContractCall => ({
  target: oracle,
  data: ASSET_PRICE.encodeCall({ asset }),
});

export const priceUnitCall = (oracle: string): ContractCall => ({
  target: oracle,
  data: PRICE_UNIT.encodeCall(),
});

/** What one of both answered; null if it reverted. */
export const priceIn = (result: CallResult | undefined): bigint | null => readResult(PRICE_UNIT, result);

export const depositTokenCall = (provider: string, asset: string): ContractCall => ({
  target: provider,
  data: RESERVE.tokens.encodeCall({ asset }),
});

export const depositTokenIn = (result: CallResult | undefined): string | null =>
  readResult(RESERVE.tokens, result)?.aTokenAddress ?? null;

export interface ReserveToken {
  readonly symbol: string;
  /** In lower case. */
  readonly asset: string;
}

/** Null for anything but a list of reserves. */
export const reservesIn = (result: CallResult | undefined): readonly ReserveToken[] | null =>
  readResult(RESERVES, result)?.map(({ symbol, tokenAddress }) => ({
    symbol: shownName(symbol, MAX_SYMBOL),
    asset: tokenAddress,
  })) ?? null;

/** What the functions returned for one reserve, or the one that failed. Older data providers lack the last four. */
export function reserveIn(results: readonly CallResult[]) {
  const resultOf = ({ name }: { readonly name: string }) =>
    results[RESERVE_FUNCTIONS.findIndex((one) => one.name === name)];
  const configuration = readResult(RESERVE.configuration, resultOf(RESERVE.configuration));
  if (configuration === null) return `${RESERVE.configuration.name} reverted`;
  const caps = readResult(RESERVE.caps, resultOf(RESERVE.caps));
  if (caps === null) return `${RESERVE.caps.name} reverted`;
  const state = readResult(RESERVE.state, resultOf(RESERVE.state));
  if (state === null) return `${RESERVE.state.name} reverted`;
  const tokens = readResult(RESERVE.tokens, resultOf(RESERVE.tokens));
  if (tokens === null) return `${RESERVE.tokens.name} reverted`;
  return {
    ...{ configuration, caps, state, tokens },
    isPaused: readResult(RESERVE.isPaused, resultOf(RESERVE.isPaused)),
    isSiloed: readResult(RESERVE.isSiloed, resultOf(RESERVE.isSiloed)),
    protocolFee: readResult(RESERVE.protocolFee, resultOf(RESERVE.protocolFee)),
    debtCeiling: readResult(RESERVE.debtCeiling, resultOf(RESERVE.debtCeiling)),
  };
}
