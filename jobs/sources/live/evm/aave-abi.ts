// The part of Aave v3's data provider (`AaveProtocolDataProvider`) that is read, and the decoding of its results.
import { type Hex, parseAbi } from 'viem';
import { decodeFunctionResult, encodeFunctionData } from 'viem/utils';
import type { CallResult, ContractCall } from './multicall.ts';

const ABI = parseAbi([
  'function getPoolDataProvider() view returns (address)',
  'function getPriceOracle() view returns (address)',
  'function getSourceOfAsset(address asset) view returns (address)',
  'struct TokenData { string symbol; address tokenAddress; }',
  'function getAllReservesTokens() view returns (TokenData[])',
  'function getReserveConfigurationData(address asset) view returns (uint256 decimals, uint256 ltv, uint256 liquidationThreshold, uint256 liquidationBonus, uint256 reserveFactor, bool usageAsCollateralEnabled, bool borrowingEnabled, bool stableBorrowRateEnabled, bool isActive, bool isFrozen)',
  'function getReserveCaps(address asset) view returns (uint256 borrowCap, uint256 supplyCap)',
  'function getReserveData(address asset) view returns (uint256 unbacked, uint256 accruedToTreasuryScaled, uint256 totalAToken, uint256 totalStableDebt, uint256 totalVariableDebt, uint256 liquidityRate, uint256 variableBorrowRate, uint256 stableBorrowRate, uint256 averageStableBorrowRate, uint256 liquidityIndex, uint256 variableBorrowIndex, uint40 lastUpdateTimestamp)',
  'function getReserveTokensAddresses(address asset) view returns (address aTokenAddress, address stableDebtTokenAddress, address variableDebtTokenAddress)',
  'function getPaused(address asset) view returns (bool isPaused)',
  'function getSiloedBorrowing(address asset) view returns (bool)',
  'function getLiquidationProtocolFee(address asset) view returns (uint256)',
  'function getDebtCeiling(address asset) view returns (uint256)',
]);

/** The functions called for one reserve, in the order of their results. */
export const RESERVE_QUESTIONS = [
  'getReserveConfigurationData',
  'getReserveCaps',
  'getReserveData',
  'getReserveTokensAddresses',
  'getPaused',
  'getSiloedBorrowing',
  'getLiquidationProtocolFee',
  'getDebtCeiling',
] as const;

export const reservesCall = (provider: string): ContractCall => ({
  target: provider,
  data: encodeFunctionData({ abi: ABI, functionName: 'getAllReservesTokens' }),
});

export const reserveCalls = (provider: string, asset: string): ContractCall[] =>
  RESERVE_QUESTIONS.map((functionName) => ({
    target: provider,
    data: encodeFunctionData({ abi: ABI, functionName, args: [asset as Hex] }),
  }));

export const dataProviderCall = (addresses: string): ContractCall => ({
  target: addresses,
  data: encodeFunctionData({ abi: ABI, functionName: 'getPoolDataProvider' }),
});

export const priceOracleCall = (addresses: string): ContractCall => ({
  target: addresses,
  data: encodeFunctionData({ abi: ABI, functionName: 'getPriceOracle' }),
});

export const priceSourceCall = (oracle: string, asset: string): ContractCall => ({
  target: oracle,
  data: encodeFunctionData({ abi: ABI, functionName: 'getSourceOfAsset', args: [asset as Hex] }),
});

const NO_ADDRESS = `0x${'0'.repeat(40)}`;
const ADDRESS_WORD = /^0x0{24}([0-9a-f]{40})$/;

/** The address in lower case; null if the contract lacks the function or returns no address. */
export function addressIn(result: CallResult | undefined): string | null {
  if (result?.isSuccess !== true) return null;
  const [, digits] = ADDRESS_WORD.exec(result.data.toLowerCase()) ?? [];
  return digits === undefined || `0x${digits}` === NO_ADDRESS ? null : `0x${digits}`;
}

export interface ReserveToken {
  readonly symbol: string;
  /** In lower case. */
  readonly asset: string;
}

/** Null for anything but a list of reserves. */
export function reservesIn({ isSuccess, data }: CallResult): readonly ReserveToken[] | null {
  if (!isSuccess) return null;
  try {
    const tokens = decodeFunctionResult({
      abi: ABI,
      functionName: 'getAllReservesTokens',
      data: data as Hex,
    });
    return tokens.map(({ symbol, tokenAddress }) => ({ symbol, asset: tokenAddress.toLowerCase() }));
  } catch {
    return null;
  }
}

/** What one call returned as a list of values; null if it reverted or returned something else. */
export function reserveAnswer(
  functionName: (typeof RESERVE_QUESTIONS)[number],
  result: CallResult | undefined,
): readonly (bigint | boolean | string)[] | null {
  if (result?.isSuccess !== true) return null;
  try {
    const value: unknown = decodeFunctionResult({ abi: ABI, functionName, data: result.data as Hex });
    return [value]
      .flat()
      .map((one) => (typeof one === 'number' ? BigInt(one) : (one as bigint | boolean | string)));
  } catch {
    return null;
  }
}
