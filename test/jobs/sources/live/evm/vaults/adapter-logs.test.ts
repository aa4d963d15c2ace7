// Logs of adapters on a real node are filed under the vault that they work for.
import type { Address } from 'viem';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Header, readHead } from '../../../../../../jobs/sources/live/evm/block.ts';
import { readVaultLogs } from '../../../../../../jobs/sources/live/evm/chain-following.ts';
import type { ChainTask } from '../../../../../../jobs/sources/live/evm/chain-task.ts';
import type { VaultLogRow } from '../../../../../../jobs/sources/live/evm/log-rows.ts';
import type { Rpc } from '../../../../../../jobs/sources/live/evm/rpc.ts';
import { type Anvil, describeOnNode, startAnvil } from '../anvil.ts';

const taskOf = (vault: Address, head: Header, state: unknown): ChainTask => ({
  chain: { id: 31_337, read: 'vault_logs', contracts: [vault] },
  name: 'anvil',
  window: { partition: { key: '', params: {} }, from: 0, to: head.timestamp, urgency: 'tip' },
  historyS: 86_400,
  head,
  state,
  mappings: [],
  listed: { feeds: async () => [], vaults: async () => [] },
  now: () => head.timestamp,
});

describeOnNode('logs of adapters on a real node', () => {
  let node: Anvil;
  let usd: Address;
  let vault: Address;
  let morpho: Address;
  beforeAll(async () => {
    node = await startAnvil();
    await node.installMulticall();
    usd = await node.deploy('Token', ['USDC', 6]);
    morpho = await node.deploy('MorphoBlue');
    vault = await node.deploy('VaultV2', [usd, 6]);
  });
  afterAll(() => node.stop());

  const adapter = () => node.deploy('MarketAdapter', [vault, morpho]);
  const submit = (name: string, address: Address) => node.send(name, address, 'submit', '0x60d54d41', 7n);
  async function read(state: unknown) {
    const head = await readHead(node.rpc, { confirmations: 0 });
    const reading = await readVaultLogs(node.rpc, taskOf(vault, head, state));
    const rows = (reading.rows as readonly VaultLogRow[]).map(
      ({ vault_address, contract_address, topic0 }) => ({
        vault_address,
        contract_address,
        topic: topic0?.slice(0, 10),
      }),
    );
    return { rows, state: reading.state, missing: reading.missing, exchanges: reading.exchanges.length };
  }
  const own = (topic: string) => ({ vault_address: vault, contract_address: null, topic });
  const of = (contract_address: string, topic: string) => ({ vault_address: vault, contract_address, topic });
  const [SUBMIT, ADD, BURN] = ['0x8b18afeb', '0x8f125a24', '0x82234a83'];

  it('from the reading on in which the adapter is known', async () => {
    const first = await adapter();
    await node.send('VaultV2', vault, 'addAdapter', first);
    await submit('MarketAdapter', first);
    const before = await read(null);
    expect(before.rows).toEqual([own(ADD), of(first, SUBMIT)]);

    const second = await adapter();
    await node.send('VaultV2', vault, 'addAdapter', second);
    await submit('MarketAdapter', second);
    const learned = await read(before.state);
    expect(learned.rows).toEqual([own(ADD)]);
    await node.send('MarketAdapter', second, 'burnShares', `0x${'0'.repeat(64)}`);
    await submit('VaultV2', vault);
    const after = await read(learned.state);
    expect(after.rows).toEqual([of(second, BURN), own(SUBMIT)]);
    expect(after.missing).toEqual([]);
  });

  it('need no further calls in between', async () => {
    const { state } = await read(null);
    await submit('VaultV2', vault);
    const calls: string[] = [];
    const counted: Rpc = (method, params) => {
      calls.push(method);
      return node.rpc(method, params);
    };
    const head = await readHead(node.rpc, { confirmations: 0 });
    await readVaultLogs(counted, taskOf(vault, head, state));
    expect(calls).not.toContain('eth_call');
  });

  it('are named as missing until the adapters can be read', async () => {
    const endless = `0x${'e'.repeat(40)}` as const;
    const readOf = async (state: unknown) => {
      const head = await readHead(node.rpc, { confirmations: 0 });
      return readVaultLogs(node.rpc, taskOf(endless, head, state));
    };
    // Answers 101 to everything.
    await node.rpc('anvil_setCode', [endless, '0x606560005260206000f3']);
    const first = await readOf(null);
    const second = await readOf(first.state);
    const named = [{ subject: endless, reason: 'its adapters cannot be read' }];
    expect([first.missing, second.missing]).toEqual([named, named]);
    // Answers 0 to everything.
    await node.rpc('anvil_setCode', [endless, '0x600060005260206000f3']);
    const third = await readOf(second.state);
    expect(third.missing).toEqual([]);
    expect(third.state).toMatchObject({ adapters: {}, adapters_read_at: expect.any(Number) });
    expect((await readOf(third.state)).exchanges.map(({ method }) => method)).not.toContain('eth_call');
  });

  it('are named as missing on a chain without Multicall3, where the logs of vaults are still read', async () => {
    const bare = await startAnvil();
    try {
      const token = await bare.deploy('Token', ['USDC', 6]);
      const alone = await bare.deploy('VaultV2', [token, 6]);
      await bare.send('VaultV2', alone, 'submit', '0x60d54d41', 7n);
      const head = await readHead(bare.rpc, { confirmations: 0 });
      const { rows, missing } = await readVaultLogs(bare.rpc, taskOf(alone, head, null));
      expect(rows).toHaveLength(1);
      expect(missing).toEqual([
        { subject: 'adapters of vaults', reason: expect.stringMatching(/no Multicall3 contract/) },
      ]);
    } finally {
      await bare.stop();
    }
  });
});
