// Blocks with their receipts, and the events of a governor, from a real node.
import type { Address, Hex } from 'viem';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readHead } from '../../../../../jobs/sources/live/evm/block.ts';
import { GOVERNOR_TOPICS, governorRows } from '../../../../../jobs/sources/live/evm/governor-rows.ts';
import { readLogWindows } from '../../../../../jobs/sources/live/evm/log-windows.ts';
import { blockRows, readBlocks } from '../../../../../jobs/sources/live/evm/read-blocks.ts';
import { type Rpc, RpcError } from '../../../../../jobs/sources/live/evm/rpc.ts';
import { type Anvil, describeOnNode, startAnvil, word } from './anvil.ts';

const RECEIVER: Address = `0x${'7'.repeat(40)}`;

describeOnNode('blocks on a real node', () => {
  let node: Anvil;
  let vault: Address;
  beforeAll(async () => {
    node = await startAnvil();
    vault = await node.deploy('Vault', [RECEIVER]);
    const { client } = node;
    await client.sendTransaction({ to: RECEIVER, value: 123_456_789_012_345_678_901n, type: 'legacy' });
    await client.sendTransaction({ to: vault, data: '0xdeadbeef00', gas: 100_000n });
    await node.send('Vault', vault, 'setFee', 5n);
    await client.mine({ blocks: 2 });
  });
  afterAll(() => node.stop());

  const read = async (rpc: Rpc = node.rpc) => {
    const { number: to } = await readHead(node.rpc, { confirmations: 0 });
    const { exchanges, last } = await readBlocks(rpc, { from: 1, to, before: null });
    return { last, to, ...blockRows('anvil', exchanges) };
  };
  const bent =
    (bend: (method: string, result: unknown) => unknown): Rpc =>
    async (method, params) => {
      const result = bend(method, (await node.rpc(method, params)).result);
      return { result, body: JSON.stringify({ result }) };
    };

  it('come one by one, with the fees the node reports', async () => {
    const { network_a_block: blocks, to, last } = await read();
    expect(blocks.map(({ block_number }) => block_number)).toEqual([...Array(to).keys()].map((at) => at + 1));
    expect(blocks.map(({ transaction_count }) => transaction_count)).toEqual([1, 1, 1, 1, 0, 0]);
    const truth = await node.client.getBlock({ blockNumber: 2n });
    expect(blocks[1]).toEqual({
      network: 'anvil',
      block_number: 2,
      observed_at: Number(truth.timestamp),
      gas_limit: Number(truth.gasLimit),
      gas_used: 21_000,
      base_fee_per_gas: String(truth.baseFeePerGas),
      transaction_count: 1,
      created_contracts: null,
      blob_gas_used: 0,
      blob_base_fee_per_gas: '1',
    });
    expect(last.number).toBe(to);
  });

  it('include their transactions: a creation, a transfer, a failure and a call', async () => {
    const { network_a_transaction: rows } = await read();
    expect(
      rows.map(({ tx_type, status, to_address, value }) => [tx_type, status, to_address, value]),
    ).toEqual([
      [2, 1, null, '0'],
      [0, 1, RECEIVER, '123456789012345678901'],
      [2, 0, vault, '0'],
      [2, 1, vault, '0'],
    ]);
    expect(rows[2]?.['input']).toBe('0xdeadbeef');
    expect(rows[1]?.['max_fee_per_gas']).toBeNull();
    const receipt = await node.client.getTransactionReceipt({ hash: rows[3]?.['tx_hash'] as Hex });
    expect(rows[3]?.['gas_used']).toBe(Number(receipt.gasUsed));
    expect(rows[3]?.['effective_gas_price']).toBe(String(receipt.effectiveGasPrice));
  });

  it('are an error when a receipt is missing, foreign or from another fork', async () => {
    const receipts = (bend: (list: readonly object[]) => unknown) =>
      bent((method, result) => (method === 'eth_getBlockReceipts' ? bend(result as object[]) : result));
    await expect(read(receipts((list) => list.slice(1)))).rejects.toMatchObject({ kind: 'incomplete' });
    const other = (fields: object) => receipts((list) => list.map((one) => ({ ...one, ...fields })));
    await expect(read(other({ blockHash: word(3) }))).rejects.toMatchObject({ kind: 'moved' });
    await expect(read(other({ transactionHash: word(3) }))).rejects.toMatchObject({ kind: 'shape' });
    await expect(read(receipts(() => null))).rejects.toMatchObject({ kind: 'ahead' });
  });

  it('are an error when they do not extend the blocks read before', async () => {
    const before = { number: 1, hash: word(9) };
    await expect(readBlocks(node.rpc, { from: 2, to: 3, before })).rejects.toMatchObject({
      kind: 'rewritten',
    });
    await expect(readBlocks(node.rpc, { from: 99, to: 100, before: null })).rejects.toMatchObject({
      kind: 'ahead',
    });
  });

  it('yield the events of a governor', async () => {
    const governor = await node.deploy('Governor');
    const id = 2n ** 255n + 7n;
    await node.send('Governor', governor, 'propose', id, 100n, 200n);
    await node.send('Governor', governor, 'vote', id, 1, 10n ** 24n);
    await node.send('Governor', governor, 'voteWithParams', id, 0, 5n);
    await node.send('Governor', governor, 'vote', id, 9, 1n);
    for (const [name, ...rest] of [['queue', 99n], ['execute'], ['cancel']] as const)
      await node.send('Governor', governor, name, id, ...rest);
    const head = await readHead(node.rpc, { confirmations: 0 });
    const filter = { addresses: [governor], topics: [GOVERNOR_TOPICS] };
    const windows = await Array.fromAsync(
      readLogWindows(node.rpc, { filter, from: 0, head, checkpoint: null }),
    );
    const facts = { protocol: 'test', decimals: 18, blockSeconds: 12 };
    const rows = windows.flatMap(({ logs }) =>
      logs.flatMap((log) => governorRows(log, log.blockTimestamp ?? 0, facts)),
    );
    const from = node.client.account.address.toLowerCase();
    const own = { proposal_id: id.toString() };
    expect(rows).toMatchObject([
      { ...own, event: 'created', proposer: from, start_block: '100', end_block: '200', protocol: 'test' },
      { ...own, event: 'vote', voter: from, support: 'for', power: (10n ** 24n).toString(), decimals: 18 },
      { ...own, event: 'vote', support: 'against', power: '5' },
      { ...own, event: 'vote', support: 'choice:9' },
      { ...own, event: 'queued' },
      { ...own, event: 'executed' },
      { ...own, event: 'canceled' },
    ]);
  });

  it('count contracts created by contracts, if the node has traces, but not failed creations', async () => {
    const factory = await node.deploy('Factory');
    await node.send('Factory', factory, 'make', 3n);
    await node.send('Factory', factory, 'tryMake');
    await node.send('Factory', factory, 'survive');
    const { number: to } = await readHead(node.rpc, { confirmations: 0 });
    const counts = async (rpc: Rpc) => {
      const { exchanges } = await readBlocks(rpc, { from: to - 3, to, before: null, withTraces: true });
      return blockRows('anvil', exchanges).network_a_block.map(({ created_contracts }) => created_contracts);
    };
    expect(await counts(node.rpc)).toEqual([1, 3, 0, 0]);
    const without: Rpc = (method, params) =>
      method === 'trace_block' ? Promise.reject(new RpcError('method not found')) : node.rpc(method, params);
    await expect(counts(without)).rejects.toThrow(/returns no traces of block/);
  });
});
