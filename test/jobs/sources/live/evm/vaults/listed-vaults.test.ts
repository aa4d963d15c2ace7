// Vaults that factories made: found by their logs on a real node, of the kind that their factory says, with what anyone may move in them.
import type { Address } from 'viem';
import { afterAll, beforeAll, expect, it, test } from 'vitest';
import { contractEvent } from '../../../../../../platform/base/contract-abi.ts';
import { readHead } from '../../../../../../jobs/sources/live/evm/block.ts';
import { readVaultLogs } from '../../../../../../jobs/sources/live/evm/chain-following.ts';
import { type Rpc, RpcError } from '../../../../../../jobs/sources/live/evm/rpc.ts';
import { listVaults } from '../../../../../../jobs/sources/live/evm/vaults/listed-vaults.ts';
import { describeOnNode } from '../anvil.ts';
import { VaultWorld } from './vault-world.ts';

const USDC = 10n ** 6n;

test('the logs of factories have the topics of their declarations', () => {
  const [address, indexed] = ['address', 'address indexed'] as const;
  const first = { initialOwner: address, initialTimelock: 'uint256', asset: indexed } as const;
  const texts = { name: 'string', symbol: 'string', salt: 'bytes32' } as const;
  const topics = [
    contractEvent('CreateMetaMorpho', { metaMorpho: indexed, caller: indexed, ...first, ...texts }),
    contractEvent('CreateVaultV2', {
      ...{ owner: indexed, asset: indexed, salt: 'bytes32', newVaultV2: indexed },
    }),
    contractEvent('CreateMorphoMarketV1AdapterV2', { parentVault: indexed, adapter: indexed }),
    contractEvent('CreateMorphoVaultV1Adapter', { parentVault: indexed, vaultV1: indexed, adapter: indexed }),
  ];
  expect(topics.map(({ topic }) => topic.slice(0, 10))).toEqual([
    ...['0xed8c95d0', '0x341ce009', '0x2d5aa62f', '0x2621b71f'],
  ]);
});

const address = (digit: string): Address => `0x${digit.repeat(40)}`;
const [NAMED, FOUND, FACTORY, OTHER] = [address('1'), address('2'), address('3'), address('4')];
const foundFrom = (first: number) => ({
  factory_vaults: {
    ...{ factories: [FACTORY], first, last: 900, read_at: 0, vaults: [FOUND], adapters: {} },
  },
});
const NOT_SOUGHT = {
  subject: 'vaults of factories',
  reason: 'no reading of the present has looked for them yet',
};
const notBefore = (block: number) => ({
  subject: `vaults created before block ${block}`,
  reason: 'the logs of their factories are unknown: not yet read',
});

test.each([
  ['looked for none', null, FACTORY, [NAMED], [NOT_SOUGHT]],
  ['looked at other factories', foundFrom(100), OTHER, [NAMED], [NOT_SOUGHT]],
  ['has not come to the first block', foundFrom(101), FACTORY, [NAMED, FOUND], [notBefore(101)]],
  ['has come to the first block', foundFrom(100), FACTORY, [NAMED, FOUND], []],
] as const)('a window of the past, after a reading that %s, names what it lacks', async (...given) => {
  const [, state, factory, vaults, missing] = given;
  const list = await listVaults(() => Promise.reject(new Error('a window of the past asks nothing')), {
    chain: { id: 1, read: 'vault_logs', vaults: [NAMED], vault_factories: [factory], since: 100 },
    name: 'ethereum',
    window: { partition: { key: '', params: {} }, from: 0, to: 1, urgency: 'history' },
    ...{
      historyS: 0,
      head: { number: 950, hash: '0x', parentHash: '0x', timestamp: 1, logsBloom: '0x' },
      state,
    },
    ...{ mappings: [], now: () => 1 },
    listed: { feeds: async () => [], vaults: async () => [] },
  });
  expect(list).toEqual({ vaults, missing, state: {}, exchanges: [] });
});

describeOnNode('vaults of factories', () => {
  let world: VaultWorld;
  let factory: Address;
  let first: Address;
  let second: Address;
  beforeAll(async () => {
    world = await VaultWorld.open();
    factory = await world.node.deploy('VaultFactory');
    const market = await world.market({ supply: 10n ** 12n });
    first = await world.first('MetaMorpho11', [market]);
    second = await world.node.deploy('VaultV2', [world.usd, 6]);
    await world.node.send('VaultFactory', factory, 'add', first, false);
    await world.node.send('VaultFactory', factory, 'add', second, true);
  });
  afterAll(() => world.node.stop());

  const made = (vault: Address, isSecond = false) =>
    world.node.send('VaultFactory', factory, 'add', vault, isSecond);
  const read = (state: unknown = null, settings: object = {}) =>
    world.read([], state, { vault_factories: [factory], ...settings });
  const kinds = ({ states }: Awaited<ReturnType<typeof read>>) =>
    [...states].map(([vault, row]) => [vault, row['kind']]).sort();

  it('are found by the logs, those of the past and, within an hour, those that are new', async () => {
    const before = await read();
    expect(before.missing).toEqual([]);
    expect(kinds(before)).toEqual(
      [
        [first, 'morpho_v1_1'],
        [second, 'morpho_v2'],
      ].sort(),
    );
    const later = await world.first('MetaMorpho10', []);
    await made(later);
    expect(kinds(await read(before.state))).toHaveLength(2);
    await world.pass(3_600);
    const after = await read(before.state);
    expect(kinds(after)).toContainEqual([later, 'morpho_v1_0']);
    expect(after.states.size).toBe(3);
  });

  it('are of the kind that their factory says, which they alone would not be', async () => {
    const vault = await world.node.deploy('Ambiguous', [world.usd, 6, world.morpho]);
    await world.node.send('Ambiguous', vault, 'setQueue', [await world.market({ supply: USDC })]);
    expect((await world.read([vault])).states.get(vault)?.['kind']).not.toBe('morpho_v1_1');
    await made(vault);
    expect((await read()).states.get(vault)?.['kind']).toBe('morpho_v1_1');
  });

  it('that a node no longer has the logs of are named, and the others are read', async () => {
    const pruned: Rpc = (method, params) =>
      method === 'eth_getLogs'
        ? Promise.reject(new RpcError('history has been pruned for this block'))
        : world.node.rpc(method, params);
    const { states, missing } = await world.read([first], null, { vault_factories: [factory], rpc: pruned });
    expect([...states.keys()]).toEqual([first]);
    expect(missing).toEqual([
      {
        subject: expect.stringMatching(/^vaults created before block \d+$/),
        reason: expect.stringMatching(/the logs of their factories are unknown: .*pruned/),
      },
    ]);
  });

  it('have their logs read too, with those of adapters that were made for them and are not used yet', async () => {
    const adapter = await world.node.deploy('MarketAdapter', [second, world.morpho]);
    await world.node.send('VaultFactory', factory, 'adapt', second, adapter);
    await world.node.send('MarketAdapter', adapter, 'submit', '0x60d54d41', 7n);
    const head = await readHead(world.node.rpc, { confirmations: 0 });
    const { rows } = await readVaultLogs(world.node.rpc, {
      chain: { id: 31_337, read: 'vault_logs', vault_factories: [factory] },
      name: 'anvil',
      window: { partition: { key: '', params: {} }, from: 0, to: head.timestamp, urgency: 'tip' },
      ...{ historyS: head.timestamp, head, state: null, mappings: [], now: () => head.timestamp },
      listed: { feeds: async () => [], vaults: async () => [] },
    });
    expect(rows).toContainEqual(
      expect.objectContaining({ vault_address: second, contract_address: adapter }),
    );
  });

  it('state what anyone may move in and out, which is nothing without the consent of the vault', async () => {
    const allocator = await world.node.deploy('PublicAllocator');
    const market = await world.market({ supply: 10n ** 9n });
    const open = await world.first('MetaMorpho11', [market]);
    const closed = await world.first('MetaMorpho11', [market]);
    for (const vault of [open, closed])
      await world.node.send('PublicAllocator', allocator, 'setFlow', vault, market, 300n, 250n);
    await world.node.send('MetaMorpho11', open, 'setIsAllocator', allocator, true);
    const { positions } = await world.read([open, closed], null, { public_allocator: allocator });
    const flows = positions.map(({ vault_address, max_in, max_out }) => [vault_address, max_in, max_out]);
    expect(flows.sort()).toEqual(
      [
        [open, '300', '250'],
        [closed, '0', '0'],
      ].sort(),
    );
    const unknown = await world.read([open]);
    expect(unknown.positions[0]).toMatchObject({ max_in: null, max_out: null });
  });
});
