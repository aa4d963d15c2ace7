// Codes of contracts on a real node: hashes as the node states them, and what stands behind proxies of every form.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readHead } from '../../../../../jobs/sources/live/evm/block.ts';
import { readCodes } from '../../../../../jobs/sources/live/evm/contract-codes.ts';
import { readCalls } from '../../../../../jobs/sources/live/evm/multicall.ts';
import { type Rpc, RpcError } from '../../../../../jobs/sources/live/evm/rpc.ts';
import { keccak256 } from '../../../../../platform/base/contract-abi.ts';
import { type Anvil, describeOnNode, startAnvil } from './anvil.ts';

const EMPTY = `0x${'9'.repeat(40)}`;
const ADMIN = `0x${'ad'.repeat(20)}`;

describeOnNode('codes of contracts', () => {
  let node: Anvil;
  beforeAll(async () => {
    node = await startAnvil();
    await node.installMulticall();
  });
  afterAll(() => node.stop());

  const hashOf = async (address: string) =>
    keccak256((await node.rpc('eth_getCode', [address, 'latest'])).result as string);
  async function read(contracts: readonly string[], rpc: Rpc = node.rpc) {
    const head = await readHead(node.rpc, { confirmations: 0 });
    const { value, exchanges } = await readCalls(rpc, { head }, (ask, recorded) =>
      readCodes(recorded, ask, { contracts, block: head }),
    );
    return { codes: value, methods: exchanges.map(({ method }) => method) };
  }

  it('are those that run behind proxies, and none at an empty address', async () => {
    const feed = await node.deploy('PlainFeed', [8, 5n]);
    const beacon = await node.deploy('Beacon', [feed]);
    const [proxy, behind] = [
      await node.deploy('AdminProxy', [feed, ADMIN]),
      await node.deploy('BeaconProxy', [beacon]),
    ];
    const cloner = await node.deploy('Cloner');
    const { logs } = await node.send('Cloner', cloner, 'clone', feed);
    const clone = `0x${logs[0]?.data.slice(26)}`;
    const hash = await hashOf(feed);
    const expected = new Map([
      [feed, { hash, implementation: null, admin: null }],
      [proxy, { hash, implementation: feed, admin: ADMIN }],
      [behind, { hash, implementation: feed, admin: beacon }],
      [clone, { hash, implementation: feed, admin: null }],
      [EMPTY, { hash: null, implementation: null, admin: null }],
    ]);
    const { codes, methods } = await read([...expected.keys()]);
    expect(codes).toEqual(expected);
    expect(methods.filter((one) => one === 'eth_getStorageAt')).toEqual([]);
    const without: Rpc = (method, params) =>
      params.length > 2 && method === 'eth_call'
        ? Promise.reject(new RpcError('too many arguments, want at most 2'))
        : node.rpc(method, params);
    expect((await read([...expected.keys()], without)).codes).toEqual(expected);
  });

  it('come in few requests', async () => {
    const feeds = await Array.fromAsync({ length: 3 }, () => node.deploy('PlainFeed', [8, 5n]));
    const many = Array.from({ length: 399 }, (_, at) => `0x${(at + 1_000).toString(16).padStart(40, '0')}`);
    const { codes, methods } = await read([...feeds, ...many]);
    expect(codes.size).toBe(402);
    expect(await hashOf(feeds[2] ?? '')).toBe(codes.get(feeds[2] ?? '')?.hash);
    expect(methods.filter((one) => one === 'eth_call')).toHaveLength(6);
  });
});
