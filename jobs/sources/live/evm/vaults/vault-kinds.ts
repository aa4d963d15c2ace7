// Recognises vaults by the factory that made them, else by everything that a contract of their kind answers. Without a factory, a contract
// that answers as two kinds, or as a part of one, is of unknown kind: it has no figures, and fails no reading.
import { type ContractFunction, contractFunction } from '../../../../../platform/base/contract-abi.ts';
import { type Ask, askEach, type CallResult, question, readResult } from '../contract-call.ts';
import { assetsFor, type ShareTotals, type VaultFacts, type VaultKind } from './share-value.ts';

export const UNKNOWN_VAULT: VaultFacts = { kind: 'unknown', asset: '', assetDecimals: 0, shareDecimals: 0 };

/** As declared by EIP-4626, morpho-org/metamorpho and vault-v2, euler-xyz/euler-earn and yearn/yearn-vaults-v3. */
export const VAULT_ABI = {
  asset: contractFunction('asset', {}, 'address'),
  decimals: contractFunction('decimals', {}, 'uint8'),
  totalAssets: contractFunction('totalAssets', {}, 'uint256'),
  totalSupply: contractFunction('totalSupply', {}, 'uint256'),
  convertToAssets: contractFunction('convertToAssets', { shares: 'uint256' }, 'uint256'),
  balanceOf: contractFunction('balanceOf', { account: 'address' }, 'uint256'),
  morpho: contractFunction('MORPHO', {}, 'address'),
  withdrawQueueLength: contractFunction('withdrawQueueLength', {}, 'uint256'),
  lostAssets: contractFunction('lostAssets', {}, 'uint256'),
  lastTotalAssets: contractFunction('lastTotalAssets', {}, 'uint256'),
  fee: contractFunction('fee', {}, 'uint96'),
  adaptersLength: contractFunction('adaptersLength', {}, 'uint256'),
  virtualShares: contractFunction('virtualShares', {}, 'uint256'),
  accrueInterestView: contractFunction(
    'accrueInterestView',
    {},
    { totalAssets: 'uint256', performanceFeeShares: 'uint256', managementFeeShares: 'uint256' },
  ),
  evc: contractFunction('EVC', {}, 'address'),
  apiVersion: contractFunction('apiVersion', {}, 'string'),
  totalIdle: contractFunction('totalIdle', {}, 'uint256'),
  totalDebt: contractFunction('totalDebt', {}, 'uint256'),
  profitUnlockingRate: contractFunction('profitUnlockingRate', {}, 'uint256'),
} as const;

/** Shares in this name make up losses, and are never redeemed. */
export const ADDRESS_ONE = `0x${'1'.padStart(40, '0')}`;

/** Shares whose conversion is compared with the totals: large enough for a wrong formula to show. */
const CONVERTED = 10n ** 24n;
const PROBES = [
  ...['asset', 'decimals', 'totalAssets', 'totalSupply', 'morpho', 'withdrawQueueLength', 'lostAssets'],
  ...['lastTotalAssets', 'fee', 'adaptersLength', 'virtualShares', 'accrueInterestView', 'evc', 'apiVersion'],
  ...['totalIdle', 'totalDebt', 'profitUnlockingRate'],
] as const;

const callOf = (name: string, target: string) => {
  const { encodeCall } = VAULT_ABI[name as 'asset'];
  return { target, data: encodeCall() };
};

export interface MorphoContracts {
  /** The contract that Morpho's version 1 must name. */
  readonly morpho: string;
  /** Of Morpho's vaults, in both versions. */
  readonly factories: readonly string[];
}

/** Facts by address. */
export async function recogniseVaults(
  ask: Ask,
  vaults: readonly string[],
  { morpho, factories }: MorphoContracts,
): Promise<ReadonlyMap<string, VaultFacts>> {
  const makers = await versionsOf(ask, vaults, factories);
  const width = PROBES.length + 1;
  const results = await ask(
    vaults.flatMap((target) => [
      ...PROBES.map((name) => callOf(name, target)),
      { target, data: VAULT_ABI.convertToAssets.encodeCall({ shares: CONVERTED }) },
    ]),
    { mayRevert: true },
  );
  const probed = vaults.map((vault, at) => ({
    vault,
    answers: answersIn(results.slice(at * width, (at + 1) * width)),
  }));
  const assets = [...new Set(probed.flatMap(({ answers }) => answers.asset ?? []))];
  const decimals = await ask(
    assets.map((target) => callOf('decimals', target)),
    { mayRevert: true },
  );
  const decimalsOf = new Map(
    assets.map((asset, at) => [asset, readResult(VAULT_ABI.decimals, decimals[at])]),
  );
  return new Map(
    probed.map(({ vault, answers }) => [
      vault,
      factsOf(answers, {
        ...{ morpho, made: makers.get(vault) ?? null },
        assetDecimals: decimalsOf.get(answers.asset ?? '') ?? null,
      }),
    ]),
  );
}

type Version = 'first' | 'second';
const IS_FIRST = contractFunction('isMetaMorpho', { target: 'address' }, 'bool');
const IS_SECOND = contractFunction('isVaultV2', { target: 'address' }, 'bool');

/** The version of each vault that a factory made. */
async function versionsOf(
  ask: Ask,
  vaults: readonly string[],
  factories: readonly string[],
): Promise<ReadonlyMap<string, Version>> {
  const answers = await askEach(
    ask,
    vaults.flatMap((target) => factories.map((factory) => ({ target, factory }))),
    ({ target, factory }) => ({
      first: question(IS_FIRST, factory, { target }),
      second: question(IS_SECOND, factory, { target }),
    }),
    { mayRevert: true },
  );
  return new Map(
    answers.flatMap(({ item: { target }, answers: { first, second } }): [string, Version][] => [
      ...(first === true ? ([[target, 'first']] as [string, Version][]) : []),
      ...(second === true ? ([[target, 'second']] as [string, Version][]) : []),
    ]),
  );
}

type Answers = ReturnType<typeof answersIn>;

function answersIn(results: readonly CallResult[]) {
  const answer = <O>(
    name: (typeof PROBES)[number],
    abi: Pick<ContractFunction<unknown, O>, 'decodeResult'>,
  ) => readResult(abi, results[PROBES.indexOf(name)]);
  return {
    asset: answer('asset', VAULT_ABI.asset),
    decimals: answer('decimals', VAULT_ABI.decimals),
    totalAssets: answer('totalAssets', VAULT_ABI.totalAssets),
    totalSupply: answer('totalSupply', VAULT_ABI.totalSupply),
    morpho: answer('morpho', VAULT_ABI.morpho),
    queue: answer('withdrawQueueLength', VAULT_ABI.withdrawQueueLength),
    lost: answer('lostAssets', VAULT_ABI.lostAssets),
    last: answer('lastTotalAssets', VAULT_ABI.lastTotalAssets),
    fee: answer('fee', VAULT_ABI.fee),
    adapters: answer('adaptersLength', VAULT_ABI.adaptersLength),
    virtualShares: answer('virtualShares', VAULT_ABI.virtualShares),
    accrual: answer('accrueInterestView', VAULT_ABI.accrueInterestView),
    evc: answer('evc', VAULT_ABI.evc),
    apiVersion: answer('apiVersion', VAULT_ABI.apiVersion),
    idle: answer('totalIdle', VAULT_ABI.totalIdle),
    debt: answer('totalDebt', VAULT_ABI.totalDebt),
    unlocking: answer('profitUnlockingRate', VAULT_ABI.profitUnlockingRate),
    converted: readResult(VAULT_ABI.convertToAssets, results[PROBES.length]),
  };
}

const MAX_DECIMALS = 36n;

function factsOf(
  answers: Answers,
  {
    morpho,
    made,
    assetDecimals,
  }: { readonly morpho: string; readonly made: Version | null; readonly assetDecimals: bigint | null },
): VaultFacts {
  const { asset, decimals, totalSupply } = answers;
  if (asset === null || decimals === null || totalSupply === null) return UNKNOWN_VAULT;
  if (assetDecimals === null || assetDecimals > MAX_DECIMALS || decimals > MAX_DECIMALS) return UNKNOWN_VAULT;
  const kinds = made === null ? kindsOf(answers, morpho) : [kindMade(made, answers)];
  const [own = 'unknown'] = kinds.length === 0 && isPlain(answers) ? ['erc4626' as const] : kinds;
  if (kinds.length > 1 || own === 'unknown') return UNKNOWN_VAULT;
  return { kind: own, asset, assetDecimals: Number(assetDecimals), shareDecimals: Number(decimals) };
}

const kindMade = (made: Version, { lost }: Answers): VaultKind => {
  if (made === 'second') return 'morpho_v2';
  return lost === null ? 'morpho_v1_0' : 'morpho_v1_1';
};

/** All kinds whose probes all answer. Total assets are none of them: a market that reverts would make its vault unknown. */
function kindsOf(answers: Answers, morpho: string): VaultKind[] {
  const { queue, lost, last, fee, evc } = answers;
  const isQueued = queue !== null && last !== null && fee !== null;
  const kinds: VaultKind[] = [];
  if (isQueued && answers.morpho !== null && answers.morpho === morpho && evc === null)
    kinds.push(lost === null ? 'morpho_v1_0' : 'morpho_v1_1');
  if (isQueued && lost !== null && evc !== null && answers.morpho === null) kinds.push('euler_earn');
  if (answers.adapters !== null && answers.virtualShares !== null && answers.accrual !== null)
    kinds.push('morpho_v2');
  const { apiVersion, idle, debt, unlocking } = answers;
  if (apiVersion?.startsWith('3') === true && idle !== null && debt !== null && unlocking !== null)
    kinds.push('yearn_v3');
  return kinds;
}

/** Its conversion follows from its totals, with the amounts that OpenZeppelin's vaults add to both sides, or without. */
function isPlain({ totalAssets, totalSupply, converted }: Answers): boolean {
  if (totalAssets === null || totalSupply === null || converted === null) return false;
  if (totalSupply === 0n) return true;
  const added = [0n, ...Array.from({ length: 19 }, (_, offset) => 10n ** BigInt(offset))];
  return added.some((shares) => {
    const virtual = { assets: shares === 0n ? 0n : 1n, shares };
    const totals: ShareTotals = { assets: totalAssets, shares: totalSupply, virtual };
    const gap = converted - assetsFor(CONVERTED, totals);
    return gap >= -1n && gap <= 1n;
  });
}
