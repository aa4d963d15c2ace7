// Logs read from a real node, and what happens when the node refuses ranges, switches forks or omits rows.
import type { Address, Hex } from 'viem';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readHead } from '../../../../../jobs/sources/live/evm/block.ts';
import {
  mayContain,
  type LogPlan,
  readLogWindows,
} from '../../../../../jobs/sources/live/evm/log-windows.ts';
import type { LogFilter, NodeLog } from '../../../../../jobs/sources/live/evm/node-log.ts';
import { type BlockRef, type Rpc, RpcError } from '../../../../../jobs/sources/live/evm/rpc.ts';
import { type Anvil, describeOnNode, startAnvil, word } from './anvil.ts';

const LATEST = { confirmations: 0 } as const;
const COUNT = 24;

describeOnNode('logs on a real node', () => {
  let node: Anvil;
  let vault: Address;
  let filter: LogFilter;
  beforeAll(async () => {
    node = await startAnvil();
    vault = await node.deploy('Vault', [word(1).slice(0, 42)]);
    await node.deploy('Token', ['USD', 6]);
    filter = { addresses: [vault], topics: [] };
    for (let index = 0; index < COUNT; index++)
      await node.send('Vault', vault, 'setCap', word(index), BigInt(index));
  });
  afterAll(() => node.stop());

  const read = async (rpc: Rpc, plan: Partial<LogPlan> = {}) => {
    const head = await readHead(node.rpc, LATEST);
    const windows = await Array.fromAsync(
      readLogWindows(rpc, { filter, from: 0, head, checkpoint: null, ...plan }),
    );
    return { head, windows, logs: windows.flatMap(({ logs }) => logs) };
  };
  const truth = () => node.client.getLogs({ address: vault, fromBlock: 0n, toBlock: 'latest' });
  const positions = (logs: readonly Pick<NodeLog, 'transactionHash' | 'logIndex'>[]) =>
    logs.map(({ transactionHash, logIndex }) => `${transactionHash} ${logIndex}`);
  /** The node with some of its results replaced. */
  const bent =
    (bend: (method: string, params: readonly unknown[]) => unknown): Rpc =>
    async (method, params) => {
      const result = await bend(method, params);
      return result === undefined ? node.rpc(method, params) : { result, body: JSON.stringify({ result }) };
    };
  const spanOf = (params: readonly unknown[]) => {
    const { fromBlock, toBlock } = params[0] as { readonly fromBlock?: string; readonly toBlock?: string };
    return Number(toBlock) - Number(fromBlock) + 1;
  };

  it('are complete and in order, in windows without gaps', async () => {
    const { windows, logs, head } = await read(node.rpc, { sizes: { first: 3, max: 5 } });
    expect(positions(logs)).toEqual(positions(await truth()));
    expect(logs).toHaveLength(COUNT);
    windows.forEach(({ from, to }, index) => {
      expect(from).toBe(index === 0 ? 0 : (windows[index - 1]?.to.number ?? 0) + 1);
      expect(to.number - from + 1).toBeLessThanOrEqual(5);
    });
    expect(windows.at(-1)?.to.number).toBe(head.number);
  });

  it('are filtered by address and topic', async () => {
    const topics = [null, null, [word(3), word(4)]];
    const { logs } = await read(node.rpc, { filter: { addresses: [vault], topics } });
    expect(logs.map(({ topics: [, , id] }) => id)).toEqual([word(3), word(4)]);
    expect((await read(node.rpc, { filter: { addresses: [], topics: [] } })).logs).toEqual([]);
  });

  it('come in smaller windows when the provider refuses larger ones', async () => {
    const asked: number[] = [];
    const rpc = bent((method, params) => {
      if (method !== 'eth_getLogs') return;
      asked.push(spanOf(params));
      if (spanOf(params) > 4) throw new RpcError('block range is too wide', -32600);
    });
    const { logs } = await read(rpc);
    expect(positions(logs)).toEqual(positions(await truth()));
    // 26 or more blocks, then half of that, then four at most.
    expect(asked.slice(0, 4).every((span, index) => index === 0 || span <= (asked[index - 1] ?? 0) / 2)).toBe(
      true,
    );
    expect(asked.filter((span) => span > 4).length).toBeLessThanOrEqual(4);
  });

  it('follow the hint of the provider at once', async () => {
    const asked: number[] = [];
    const rpc = bent((method, params) => {
      if (method !== 'eth_getLogs') return;
      asked.push(spanOf(params));
      if (spanOf(params) > 6)
        throw new RpcError('query exceeds max results 20000, retry with the range 1-6', -32602);
    });
    expect((await read(rpc)).logs).toHaveLength(COUNT);
    expect(asked[1]).toBe(6);
  });

  it('are an error, never an empty list, when a single block is refused', async () => {
    const rpc = bent((method) => {
      if (method === 'eth_getLogs') throw new RpcError('internal error', -32603);
    });
    await expect(read(rpc)).rejects.toMatchObject({ name: 'ChainFault', kind: 'refused' });
  });

  it.each([
    ['pruned history unavailable', 'pruned'],
    ['block range extends beyond current head block', 'ahead'],
  ])('are not requested again after the node error "%s"', async (message, kind) => {
    let calls = 0;
    const rpc = bent((method) => {
      if (method !== 'eth_getLogs') return;
      calls += 1;
      throw new RpcError(message, -32602);
    });
    await expect(read(rpc)).rejects.toMatchObject({ kind });
    expect(calls).toBe(1);
  });

  it.each([
    ['null', null],
    ['a text', 'none'],
    ['a log of another contract', [{ address: `0x${'9'.repeat(40)}` }]],
  ])('are an error when the result is %s', async (_, answer) => {
    const rpc = bent((method) => (method === 'eth_getLogs' ? answer : undefined));
    await expect(read(rpc)).rejects.toMatchObject({ kind: 'shape' });
  });

  it('are requested by hash when the newest block must have some and none came', async () => {
    let hidden = 2;
    const rpc = bent((method, params) => {
      if (method !== 'eth_getLogs' || !('fromBlock' in (params[0] as object))) return;
      hidden -= 1;
      return hidden >= 0 ? [] : undefined;
    });
    expect((await read(rpc)).logs).toHaveLength(COUNT);
    const never = bent((method, params) =>
      method === 'eth_getLogs' && 'fromBlock' in (params[0] as object) ? [] : undefined,
    );
    await expect(read(never)).rejects.toThrow(/omitted the logs of block/);
  });

  it('are never mixed from two forks of the chain', async () => {
    const other = `0x${'e'.repeat(64)}`;
    let turns = 0;
    const rpc = bent(async (method, params) => {
      if (method !== 'eth_getBlockByNumber') return;
      turns += 1;
      const { result } = await node.rpc(method, params);
      return turns % 2 === 0 ? { ...(result as object), hash: other } : result;
    });
    await expect(read(rpc)).rejects.toMatchObject({ kind: 'moved' });
  });

  it('fail when a block that was read as final has been replaced', async () => {
    const checkpoint: BlockRef = { number: 2, hash: `0x${'e'.repeat(64)}` };
    await expect(read(node.rpc, { checkpoint })).rejects.toMatchObject({ kind: 'rewritten' });
  });

  it('get their times from headers when the node omits them', async () => {
    const rpc = bent(async (method, params) => {
      if (method !== 'eth_getLogs') return;
      const { result } = await node.rpc(method, params);
      return (result as object[]).map((log) => ({ ...log, blockTimestamp: undefined }));
    });
    const { windows } = await read(rpc);
    const plain = await read(node.rpc);
    const times = new Map(windows.flatMap(({ times }) => [...times]));
    expect(plain.logs.map(({ blockTimestamp }) => blockTimestamp)).toEqual(
      windows.flatMap(({ logs }) => logs.map(({ blockNumber }) => times.get(blockNumber))),
    );
  });

  it('are in the bloom filter of their block, and other logs are not', async () => {
    const [log] = await truth();
    const { result } = await node.rpc('eth_getBlockByHash', [log?.blockHash, false]);
    const { logsBloom } = result as { logsBloom: Hex };
    const topics = (log?.topics ?? []) as readonly string[];
    expect(mayContain(logsBloom, { addresses: [vault], topics })).toBe(true);
    expect(mayContain(logsBloom, { addresses: [`0x${'9'.repeat(40)}`], topics: [] })).toBe(false);
    expect(mayContain(logsBloom, { addresses: [vault], topics: [word(99)] })).toBe(false);
  });
});
