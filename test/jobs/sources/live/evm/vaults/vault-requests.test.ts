// How many requests vaults cost: a thousand vaults over a thousand markets, answered by a chain that counts.
import { expect, test } from 'vitest';
import type { Ask } from '../../../../../../jobs/sources/live/evm/contract-call.ts';
import {
  readVaultStates,
  type VaultsState,
} from '../../../../../../jobs/sources/live/evm/vaults/read-vault-states.ts';
import type { SubmitLogs } from '../../../../../../jobs/sources/live/evm/vaults/submitted-calls.ts';
import { contractFunction } from '../../../../../../platform/base/contract-abi.ts';

const FIRST = 700;
const SECOND = 300;
const MARKETS = 1_000;
const QUEUE = 8;
const LIGHT_BATCH = 1_000;
const LOG_STEP = 50_000;
const PASSES_A_DAY = 96;
/** At most, by their own test; ten of them in each pass for prices. */
const ORACLE_REQUESTS_A_DAY = 1_500;
const ORACLE_REQUESTS_A_PASS = 10;
/** Of the logs of vaults and adapters over final blocks, every five minutes. */
const LOG_REQUESTS_A_DAY = 2_304;
/** The id of the chain, the head by its tag, and its hash after the reading. */
const REQUESTS_AROUND = 3;
const NOW = 1_800_000_000;
const HEAD = 24_000_000;
/** A quarter of an hour on Ethereum. */
const BLOCKS_A_PASS = 75;

const ADDRESS_DIGITS = 40;
const word = (value: bigint | number | string): string =>
  (typeof value === 'string' ? value.slice(2) : value.toString(16)).padStart(64, '0');
const words = (...values: readonly (bigint | number | string)[]): string => `0x${values.map(word).join('')}`;
const numbered = (kind: string, index: number) =>
  `0x${kind}${index.toString(16).padStart(ADDRESS_DIGITS - kind.length, '0')}`;
const marketId = (index: number) => `0x${word(index % MARKETS)}`;
const [V1, V2, ADAPTER] = ['1111', '2222', '3333'] as const;
const [NONE, MORPHO, USD, IRM] = [0, 1, 2, 3].map((index) => numbered('', index)) as [
  string,
  string,
  string,
  string,
];
const vaults = [
  ...Array.from({ length: FIRST }, (_, index) => numbered(V1, index)),
  ...Array.from({ length: SECOND }, (_, index) => numbered(V2, index)),
];

type Inputs = { readonly [name: string]: 'uint256' | 'bytes32' | 'address' };
const selector = (name: string, inputs: Inputs = {}): string =>
  contractFunction(name, inputs, 'bool').selector;
/** Answers by selector; the argument is the first word of the call. */
type Contract = ReadonlyMap<string, (argument: number) => string>;
const contract = (answers: { readonly [selector: string]: (argument: number) => string }): Contract =>
  new Map(Object.entries(answers));
const always =
  (...values: readonly (bigint | number | string)[]) =>
  () =>
    words(...values);

const ofShares = {
  [selector('asset')]: always(USD),
  [selector('decimals')]: always(18),
  [selector('totalAssets')]: always(0),
  [selector('totalSupply')]: always(0),
  [selector('balanceOf', { account: 'address' })]: always(0),
  [selector('convertToAssets', { shares: 'uint256' })]: always(10n ** 6n),
};
const first = (own: number): Contract =>
  contract({
    ...ofShares,
    [selector('MORPHO')]: always(MORPHO),
    [selector('withdrawQueueLength')]: always(QUEUE),
    [selector('withdrawQueue', { index: 'uint256' })]: (at) => words(marketId(own * QUEUE + at)),
    [selector('lastTotalAssets')]: always(0),
    [selector('lostAssets')]: always(0),
    [selector('fee')]: always(0),
    [selector('config', { id: 'bytes32' })]: always(5, 1, 0),
    [selector('pendingTimelock')]: always(0, 0),
    [selector('pendingGuardian')]: always(NONE, 0),
    [selector('pendingOwner')]: always(NONE),
    [selector('pendingCap', { id: 'bytes32' })]: always(0, 0),
  });
const zero = ['_totalAssets', 'maxRate', 'performanceFee', 'managementFee', 'liquidityAdapter'];
const gates = ['receiveSharesGate', 'sendSharesGate', 'receiveAssetsGate', 'sendAssetsGate'];
/** Every fifth version 2 vault has two adapters, of four markets each. */
const second = (own: number): Contract =>
  contract({
    ...ofShares,
    ...Object.fromEntries([...zero, ...gates].map((name) => [selector(name), always(NONE)])),
    [selector('lastUpdate')]: always(NOW),
    [selector('liquidityData')]: always(32, 0),
    [selector('adaptersLength')]: always(own % 5 === 0 ? 2 : 1),
    [selector('adapters', { index: 'uint256' })]: (at) => words(numbered(ADAPTER, own * 2 + at)),
    [selector('virtualShares')]: always(10n ** 12n),
    [selector('accrueInterestView')]: always(0, 0, 0),
    [selector('absoluteCap', { id: 'bytes32' })]: always(1),
    [selector('relativeCap', { id: 'bytes32' })]: always(1),
    [selector('forceDeallocatePenalty', { adapter: 'address' })]: always(0),
  });
const adapter = (own: number): Contract =>
  contract({
    [selector('parentVault')]: always(numbered(V2, Math.floor(own / 2))),
    [selector('morpho')]: always(MORPHO),
    [selector('marketIdsLength')]: always(4),
    [selector('marketIds', { index: 'uint256' })]: (at) => words(marketId(own * 4 + at)),
    [selector('supplyShares', { id: 'bytes32' })]: always(0),
  });
const market = contract({
  [selector('market', { id: 'bytes32' })]: always(10n ** 12n, 10n ** 18n, 0, 0, NOW, 0),
  [selector('idToMarketParams', { id: 'bytes32' })]: always(USD, NONE, NONE, IRM, 1),
  [selector('position', { id: 'bytes32', user: 'address' })]: always(0, 0, 0),
});
const usd = contract({
  [selector('decimals')]: always(6),
  [selector('balanceOf', { account: 'address' })]: always(0),
});
const contracts = new Map<string, Contract>([
  ...Array.from({ length: FIRST }, (_, at): [string, Contract] => [numbered(V1, at), first(at)]),
  ...Array.from({ length: SECOND }, (_, at): [string, Contract] => [numbered(V2, at), second(at)]),
  ...Array.from({ length: 2 * SECOND }, (_, at): [string, Contract] => [numbered(ADAPTER, at), adapter(at)]),
  [MORPHO, market],
  [USD, usd],
]);

interface Row {
  readonly pending_getters?: string | null;
}

async function pass(state: VaultsState | null, number = HEAD) {
  let requests = REQUESTS_AROUND;
  const ask: Ask = async (calls, { batch = LIGHT_BATCH } = {}) => {
    requests += Math.ceil(calls.length / batch);
    return calls.map(({ target, data }) => {
      const answer = contracts.get(target)?.get(data.slice(0, 10));
      const argument = Number(`0x${data.slice(10, 74) || '0'}`);
      return answer === undefined
        ? { isSuccess: false, data: '0x01' }
        : { isSuccess: true, data: answer(argument) };
    });
  };
  const head = { number, timestamp: NOW };
  const logs: SubmitLogs = async (_, { from, to }) => {
    // Each step with the header of its last block.
    requests += 2 * Math.ceil((to - from + 1) / LOG_STEP);
    return [];
  };
  const task = {
    ...{ morpho: MORPHO, vaults, before: state, head, chain: 'ethereum' },
    ...{ factories: [], allocator: null, submits: { logs, since: 0 } },
  };
  return { ...(await readVaultStates(ask, task)), requests };
}

test('a thousand vaults and markets take at most 70 requests a pass, and 9,000 a day with their logs and oracles', async () => {
  const { rows, missing, state } = await pass(null);
  expect(missing).toEqual([]);
  expect(rows.vault_state).toHaveLength(FIRST + SECOND);
  expect(rows.vault_position).toHaveLength(FIRST * QUEUE + 360 * 4);
  const fast = await pass(state);
  // With logs of submissions up to the head, and a step back.
  const later = await pass(fast.state, HEAD + BLOCKS_A_PASS);
  expect(later.requests).toBeGreaterThan(fast.requests);
  expect(later.requests + ORACLE_REQUESTS_A_PASS).toBeLessThanOrEqual(70);
  expect(fast.rows.vault_position).toEqual(rows.vault_position);
  const withoutPending = (all: typeof rows) =>
    all.vault_state.map((row) => ({ ...row, pending_getters: undefined }));
  expect(withoutPending(fast.rows)).toEqual(withoutPending(rows));
  const texts = new Set(
    rows.vault_state.map((row) => (row as Row).pending_getters?.replaceAll(/\|0x\w+/g, '')),
  );
  expect(texts).toEqual(
    new Set(['none', `since@${HEAD} since@${HEAD}`, `since@${HEAD} since@${HEAD} since@${HEAD}`]),
  );
  const daily = await pass({ ...state, recognised_at: NOW - 86_400 }, HEAD + BLOCKS_A_PASS);
  const aDay =
    daily.requests + (PASSES_A_DAY - 1) * later.requests + LOG_REQUESTS_A_DAY + ORACLE_REQUESTS_A_DAY;
  expect(aDay).toBeLessThanOrEqual(9_000);
});
