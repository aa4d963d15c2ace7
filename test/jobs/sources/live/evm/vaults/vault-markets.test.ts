// The markets that vaults of Morpho may hold: those of their queues, of their adapters and of the vaults that adapters hold. A vault of which
// one cannot be read is named.
import { expect, test } from 'vitest';
import type { Ask } from '../../../../../../jobs/sources/live/evm/contract-call.ts';
import { readLimited } from '../../../../../../jobs/sources/live/evm/vaults/limited-vaults.ts';
import { readMarketsOf } from '../../../../../../jobs/sources/live/evm/vaults/vault-markets.ts';
import { contractFunction } from '../../../../../../platform/base/contract-abi.ts';
import { word } from '../anvil.ts';

const address = (digit: string): string => `0x${digit.repeat(40)}`;
const [VAULT, HELD, ADAPTER, OTHER] = [address('1'), address('2'), address('3'), address('4')];

/** Results by contract and call data; every other call reverts. */
type Contracts = readonly (readonly [string, string])[];
const asked =
  (contracts: Contracts): Ask =>
  (calls) => {
    const results = new Map(contracts);
    return Promise.resolve(
      calls.map(({ target, data }) => {
        const found = results.get(`${target} ${data}`);
        return { isSuccess: found !== undefined, data: found ?? '0x' };
      }),
    );
  };

const answer = (target: string, name: string, result: string) =>
  [`${target} ${contractFunction(name, {}, 'uint256').selector}`, result] as const;
const entries = (target: string, name: string, values: readonly (string | null)[]): Contracts =>
  values.flatMap((value, index) =>
    value === null
      ? []
      : [
          [
            `${target} ${contractFunction(name, { index: 'uint256' }, 'bytes32').encodeCall({ index: BigInt(index) })}`,
            value,
          ] as const,
        ],
  );
const list = (
  target: string,
  [length, entry]: readonly [string, string],
  values: readonly (string | null)[],
) => [answer(target, length, word(values.length)), ...entries(target, entry, values)];
const queue = (vault: string, ids: readonly (string | null)[]) =>
  list(vault, ['withdrawQueueLength', 'withdrawQueue'], ids);
const adapters = (vault: string, all: readonly (string | null)[]) =>
  list(
    vault,
    ['adaptersLength', 'adapters'],
    all.map((one) => one && word(BigInt(one))),
  );
const markets = (adapter: string, ids: readonly (string | null)[]) =>
  list(adapter, ['marketIdsLength', 'marketIds'], ids);
const ids = (count: number, from = 1) => Array.from({ length: count }, (_, index) => word(from + index));

test.each<[string, Contracts, readonly string[]]>([
  ['a queue', queue(VAULT, ids(3)), ids(3)],
  ['a queue of the most markets', queue(VAULT, ids(200)), ids(200)],
  ['an empty queue', queue(VAULT, []), []],
  ['no adapters yet', adapters(VAULT, []), []],
  [
    'adapters of markets',
    [...adapters(VAULT, [ADAPTER, OTHER]), ...markets(ADAPTER, ids(2)), ...markets(OTHER, ids(2, 2))],
    ids(3),
  ],
  [
    'an adapter of a vault',
    [
      ...adapters(VAULT, [ADAPTER]),
      answer(ADAPTER, 'morphoVaultV1', word(BigInt(HELD))),
      ...queue(HELD, ids(2)),
    ],
    ids(2),
  ],
])('a vault with %s is read as a whole', async (_, contracts, expected) => {
  expect(await readMarketsOf(asked(contracts), [VAULT])).toEqual({ ids: expected, missing: [] });
});

test.each<[string, Contracts, string, string]>([
  ['neither queue nor adapters', [], VAULT, 'it has no markets as vaults of Morpho do'],
  ['too long a queue', queue(VAULT, ids(201)), VAULT, 'it lists 201 markets, more than it could use'],
  ['a gap in its queue', queue(VAULT, [word(1), null]), VAULT, 'a market that it lists cannot be read'],
  ['too many adapters', adapters(VAULT, Array(101).fill(ADAPTER)), VAULT, 'its adapters cannot be read'],
  ['a gap in its adapters', adapters(VAULT, [ADAPTER, null]), VAULT, 'its adapters cannot be read'],
  [
    'an adapter of another kind',
    adapters(VAULT, [ADAPTER]),
    ADAPTER,
    'it has neither markets nor a vault as adapters of Morpho do',
  ],
  [
    'an adapter of too many markets',
    [...adapters(VAULT, [ADAPTER]), ...markets(ADAPTER, ids(201))],
    ADAPTER,
    'it lists 201 markets, more than it could use',
  ],
  [
    'a gap in the markets of an adapter',
    [...adapters(VAULT, [ADAPTER]), ...markets(ADAPTER, [null, word(7)])],
    ADAPTER,
    'a market that it lists cannot be read',
  ],
  [
    'an adapter of a vault without a queue',
    [...adapters(VAULT, [ADAPTER]), answer(ADAPTER, 'morphoVaultV1', word(BigInt(HELD)))],
    HELD,
    'it has no markets as vaults of Morpho do',
  ],
])('with %s, what cannot be read is named', async (_, contracts, id, why) => {
  expect((await readMarketsOf(asked(contracts), [VAULT])).missing).toEqual([{ id, why }]);
});

const FACTS = { kind: 'morpho_v2', asset: HELD, assetDecimals: 6, shareDecimals: 18 } as const;
const EMPTY_BYTES = `${word(32)}${word(0).slice(2)}`;

/** A vault that answers 0 to everything else. */
const accountOf =
  (contracts: Contracts): Ask =>
  async (calls, options) => {
    const results = await asked(contracts)(calls, options);
    const isOf = (data: string, name: string) => data.startsWith(contractFunction(name, {}, 'bool').selector);
    return results.map((result, index) => {
      const data = calls[index]?.data ?? '';
      if (result.isSuccess || isOf(data, 'adaptersLength') || data.length > 10) return result;
      return { isSuccess: true, data: isOf(data, 'liquidityData') ? EMPTY_BYTES : word(0) };
    });
  };

test('a vault whose adapters cannot all be read has no figures, which would lack a part', async () => {
  const read = async (contracts: Contracts) => {
    const held = [{ vault: VAULT, facts: FACTS }];
    const balance = contractFunction('balanceOf', { account: 'address' }, 'uint256');
    const balances = [`0x${'0'.repeat(39)}1`, VAULT].flatMap((account) =>
      [VAULT, HELD].map((token) => [`${token} ${balance.encodeCall({ account })}`, word(0)] as const),
    );
    const ask = accountOf([...balances, ...contracts]);
    return (await readLimited(ask, held, { morpho: OTHER, known: new Map() })).results;
  };
  expect(await read(adapters(VAULT, []))).toEqual([expect.objectContaining({ holdings: [] })]);
  for (const contracts of [[], adapters(VAULT, [ADAPTER, null]), adapters(VAULT, Array(101).fill(ADAPTER))])
    expect(await read(contracts)).toEqual([{ vault: VAULT, why: 'its adapters cannot be read' }]);
});
