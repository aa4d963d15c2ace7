// Swaps read from pools on a real node: only those of blocks in which one swap may enclose another, with their signers.
import type { Address } from 'viem';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readSwaps } from '../../../../../jobs/sources/live/evm/chain-swaps.ts';
import type { ChainTask } from '../../../../../jobs/sources/live/evm/chain-task.ts';
import { readHead } from '../../../../../jobs/sources/live/evm/block.ts';
import { type Anvil, describeOnNode, startAnvil } from './anvil.ts';

const [FIRST, SECOND] = [`0x${'a'.repeat(40)}`, `0x${'b'.repeat(40)}`] as const;

describeOnNode('swaps on a real node', () => {
  let node: Anvil;
  let pair: Address;
  let range: Address;
  beforeAll(async () => {
    node = await startAnvil();
    await node.installMulticall();
    pair = await node.deploy('PairPool', [FIRST, SECOND]);
    range = await node.deploy('RangePool', [FIRST, SECOND]);
  });
  afterAll(() => node.stop());

  const [buy, sell] = [
    [100n, 0n, 0n, 49n],
    [0n, 50n, 101n, 0n],
  ];

  /** All in one block, each in its own transaction. */
  async function inOneBlock(name: string, pool: Address, swaps: readonly (readonly bigint[])[]) {
    await node.client.setAutomine(false);
    const hashes = [];
    for (const swap of swaps) hashes.push(await node.submit(name, pool, 'swap', ...swap));
    await node.client.mine({ blocks: 1 });
    await node.client.setAutomine(true);
    return hashes;
  }

  async function read(contracts: readonly string[], from = 0) {
    const head = await readHead(node.rpc, { confirmations: 0 });
    const task = {
      chain: { id: 31_337, read: 'swaps', contracts },
      name: 'anvil',
      window: { from, to: head.timestamp, urgency: 'history' },
      head,
      state: null,
    };
    return readSwaps(node.rpc, task as unknown as ChainTask);
  }

  it('come from blocks in which a later swap reverses an earlier one, with another in between', async () => {
    const hashes = await inOneBlock('PairPool', pair, [buy, buy, sell]);
    await inOneBlock('PairPool', pair, [buy, sell, sell]);
    await inOneBlock('PairPool', pair, [buy, sell]);
    await inOneBlock('PairPool', pair, [buy, buy, buy]);
    await inOneBlock('PairPool', pair, [sell, buy, buy]);
    const { rows, missing, exchanges } = await read([pair]);
    const { number, timestamp } = await node.client.getBlock({
      blockNumber: (await blockOf(hashes[0])) ?? 0n,
    });
    const [trader] = await node.client.getAddresses();
    const at = {
      ...{ chain: 'anvil', block_number: Number(number), observed_at: Number(timestamp), pool_id: pair },
      ...{ sender: trader?.toLowerCase(), contract: pair },
    };
    const swap = (index: number, way: readonly [string, string, string, string]) => {
      const [token_in, token_out, amount_in, amount_out] = way;
      const tokens = { token_in, token_out, amount_in, amount_out };
      return { ...at, ...tokens, tx_index: index, swap_index: index, tx_hash: hashes[index] };
    };
    expect(missing).toEqual([]);
    expect(rows.slice(0, 3)).toEqual([
      swap(0, [FIRST, SECOND, '100', '49']),
      swap(1, [FIRST, SECOND, '100', '49']),
      swap(2, [SECOND, FIRST, '50', '101']),
    ]);
    expect(rows).toHaveLength(3);
    expect(exchanges.filter(({ method }) => method === 'eth_getTransactionByHash')).toHaveLength(3);
  });

  const blockOf = async (hash: string | undefined) =>
    (await node.client.getTransaction({ hash: (hash ?? '0x') as Address })).blockNumber;

  it('of version 3 pools have amounts signed from the perspective of the pool', async () => {
    const before = await node.client.getBlock();
    await inOneBlock('RangePool', range, [
      [-7n, 3n],
      [-7n, 3n],
      [8n, -3n],
    ]);
    const { rows } = await read([range], Number(before.timestamp) - 1);
    expect(rows).toMatchObject([
      { token_in: SECOND, token_out: FIRST, amount_in: '3', amount_out: '7' },
      { token_in: SECOND, token_out: FIRST, amount_in: '3', amount_out: '7' },
      { token_in: FIRST, token_out: SECOND, amount_in: '8', amount_out: '3' },
    ]);
  });

  it('without an amount of the other token do not count, and a contract that is not a pool is reported', async () => {
    const pool = await node.deploy('PairPool', [FIRST, SECOND]);
    await inOneBlock('PairPool', pool, [buy, [5n, 5n, 0n, 0n], sell]);
    const token = await node.deploy('Token', ['USDC', 6]);
    const { rows, missing } = await read([pool, token]);
    expect(rows).toEqual([]);
    expect(missing).toEqual([{ subject: token, reason: 'it does not return two tokens as a pool does' }]);
  });
});
