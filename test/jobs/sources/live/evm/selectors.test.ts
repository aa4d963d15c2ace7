// What is asked of contracts: the selectors of our declarations, against those that the contracts' own repositories give.
import { readdirSync } from 'node:fs';
import { beforeAll, expect, test, vi } from 'vitest';
import type * as contractAbi from '../../../../../platform/base/contract-abi.ts';

/** Selectors by name, of every function that a module declares. */
const declared = vi.hoisted(() => new Map<string, Set<string>>());

vi.mock('../../../../../platform/base/contract-abi.ts', async (importOriginal) => {
  const original = await importOriginal<typeof contractAbi>();
  const contractFunction: typeof original.contractFunction = (name, inputs, output) => {
    const abi = original.contractFunction(name, inputs, output);
    declared.set(name, (declared.get(name) ?? new Set()).add(abi.selector));
    return abi;
  };
  return { ...original, contractFunction };
});

const FOLDER = new URL('../../../../../jobs/sources/live/evm/', import.meta.url);
beforeAll(async () => {
  const modules = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  );
  await Promise.all(modules.map((name) => import(new URL(name, FOLDER).href)));
});

const SELECTORS = `
  isMetaMorpho 29b5352c, isVaultV2 5edec50d, MORPHO 3acb5624, withdrawQueueLength 33f91ebb, lostAssets 21cb4b14, EVC a70354a1,
  adaptersLength 5aa22bc8, virtualShares c719946c, accrueInterestView 60a38ac1, apiVersion 25829410, totalIdle 9aa7df94,
  totalDebt fc7b9c18, profitUnlockingRate 5141eebb, asset 38d52e0f, totalAssets 01e1d114, totalSupply 18160ddd,
  convertToAssets 07a2d13a, decimals 313ce567, config cc718f76, config 0e68ec95, flowCaps 9dbcd5b9, realAssets 56c07573,
  pendingCap a31be5d6, pendingTimelock 7cc4d9a1, pendingGuardian 762c31ba, pendingOwner e30c3978, executableAt 8639fb07,
  liquidityAdapter ad468d11, liquidityData 2e029228, absoluteCap bc0dd374, relativeCap a68bafa3, receiveSharesGate 7e729ac4,
  sendSharesGate 93ab2ab7, receiveAssetsGate 54cde13e, sendAssetsGate 8eede801,
  isMorphoChainlinkOracleV2 4cf4a264, BASE_VAULT eaa2d7b4, QUOTE_VAULT 2e6f20a6, BASE_FEED_1 f50a4718, BASE_FEED_2 dc53858c,
  QUOTE_FEED_1 56095e11, QUOTE_FEED_2 acfbd39e, BASE_VAULT_CONVERSION_SAMPLE 054f7ac0, QUOTE_VAULT_CONVERSION_SAMPLE 461739d2,
  SCALE_FACTOR ce4b5bbe, VAULT 411557d1, VAULT_CONVERSION_SAMPLE d6c843ca, primaryOracle bd8f238e, backupOracle 836efd31,
  currentOracle 2289445e, deviationThreshold d94ad837, challengeTimelockDuration 498e8b6e, healingTimelockDuration d83ed440,
  PT d94073d4, maturity 204f83f9, baseDiscountPerYear 598e5451, innerOracle ea56d3db, twapDuration 26d89545,
  baseOracleType 0aa33a24, quoteOracle 289d77cc, BASE_TO_USD_AGGREGATOR d221087c, RATIO_PROVIDER dc4a4be8, getRatio ec1ebd7a,
  getSnapshotRatio fe4d9e79, getSnapshotTimestamp deb8c641, getMaxRatioGrowthPerSecondScaled 82294d3c,
  ASSET_TO_USD_AGGREGATOR 4ebdc284, getPriceCap 4c7afe60, getPriceCapRatio 4d3f6200, discountRatePerYear c1cd409d,
  aggregator 245a7bfc, phaseId 58303b10, minAnswer 22adbc78, maxAnswer 70da2f67, getDataFeedId c8337760,
  getPriceFeedAdapter 47043b00, priceId 31189334, pyth f98d06f0, api3ServerV1 2d6a744e, dapiName 868fa88c, dappId 9de0eb04,
  wat 4ca29923, bar febb0f7e, lockWindow 3376f53a, maxTraversal a3c04476, lastUnlockTime a5c38b3d, getSourceOfAsset 92bf2be0`;

test.each(SELECTORS.split(',').map((one) => one.trim().split(' ')))(
  'the declaration of %s has the selector %s',
  (name = '', digits = '') => {
    expect(declared.get(name)).toContain(`0x${digits}`);
  },
);

test('a function that has several selectors is declared so by its contracts', () => {
  const several = [...declared].filter(([, selectors]) => selectors.size > 1).map(([name]) => name);
  expect(several.sort()).toEqual(['config', 'pendingCap']);
});
