// Codes of contracts on a real node: hashes as the node states them, and what stands behind proxies of every form.
import { concat, type Hex } from 'viem';
import { afterAll, beforeAll, expect, it, test } from 'vitest';
import { readHead } from '../../../../../jobs/sources/live/evm/block.ts';
import { readCodes } from '../../../../../jobs/sources/live/evm/contract-codes.ts';
import { readCalls } from '../../../../../jobs/sources/live/evm/multicall.ts';
import { type Rpc, RpcError } from '../../../../../jobs/sources/live/evm/rpc.ts';
import { encodeFields } from '../../../../../platform/base/abi-codec.ts';
import { keccak256 } from '../../../../../platform/base/contract-abi.ts';
import { type Anvil, describeOnNode, startAnvil, word } from './anvil.ts';

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
    const refusing: Rpc = (method, params) =>
      params.length > 2 && method === 'eth_call'
        ? Promise.reject(new RpcError('too many arguments, want at most 2'))
        : node.rpc(method, params);
    expect((await read([...expected.keys()], refusing)).codes).toEqual(expected);
    const ignoring: Rpc = (method, params) =>
      node.rpc(method, method === 'eth_call' ? params.slice(0, 2) : params);
    const { codes: stored, methods: single } = await read([...expected.keys()], ignoring);
    expect(stored).toEqual(expected);
    expect(single.filter((one) => one === 'eth_getStorageAt')).toHaveLength(3 * expected.size);
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

const IMPLEMENTATION = `0x${'1a'.repeat(20)}`;
const PROXY = `0x${'2b'.repeat(20)}`;
const [IMPLEMENTATION_WORD, ADMIN_WORD] = [word(BigInt(IMPLEMENTATION)), word(BigInt(ADMIN))];
const SILENT = { success: true, returnData: '0x' };
const answerOf = (...words: readonly Hex[]) => ({ success: true, returnData: concat(words) });
const FORGED = answerOf(word(7), word(8), word(9));

/** A node that answers so to the code that returns slots, first for an address without code; otherwise it knows the slots. */
const nodeAnswering = (results: readonly (typeof SILENT)[], methods: string[]): Rpc => {
  const slots = [IMPLEMENTATION, word(0), ADMIN];
  const data = encodeFields({ results: [{ success: 'bool', returnData: 'bytes' }] }, { results });
  const hashes = concat([word(0), word(9), word(64), word(0)]);
  return async (method, [call]) => {
    methods.push(method);
    if (method === 'eth_getStorageAt') return { result: slots.shift(), body: '' };
    return { result: 'to' in (call as object) ? `0x${data}` : hashes, body: '' };
  };
};

const readProxy = (rpc: Rpc) =>
  readCodes(rpc, async () => [], { contracts: [PROXY], block: { number: 1, hash: word(0) } });

/** What the contract itself answers where its code should have been replaced. */
test.each([
  ['nothing', [SILENT, SILENT], 3],
  ['one word', [SILENT, answerOf(word(1))], 3],
  ['slots that it makes up', [SILENT, FORGED], 3],
  ['an error of slots that it makes up', [SILENT, { ...FORGED, success: false }], 3],
  ['nothing that belongs to it', [], 3],
  ['its slots', [answerOf(word(0), word(0), word(0)), answerOf(IMPLEMENTATION_WORD, word(0), ADMIN_WORD)], 0],
])('of a proxy that answers %s, the slots of the node count', async (_, answers, single) => {
  const methods: string[] = [];
  const codes = await readProxy(nodeAnswering(answers, methods));
  expect(codes).toEqual(new Map([[PROXY, { hash: word(9), implementation: IMPLEMENTATION, admin: ADMIN }]]));
  expect(methods.filter((one) => one === 'eth_getStorageAt')).toHaveLength(single);
});

/** A node that takes no code, and answers so for each slot. */
const nodeWith = (slot: unknown): Rpc => {
  const rpc = nodeAnswering([], []);
  return (method, params) =>
    method === 'eth_getStorageAt' ? Promise.resolve({ result: slot, body: '' }) : rpc(method, params);
};

test.each([
  ['0x0', null],
  [IMPLEMENTATION, IMPLEMENTATION],
  [word(2n ** 160n), null],
])('a slot of %s holds the address %s', async (slot, implementation) => {
  const codes = await readProxy(nodeWith(slot));
  expect(codes.get(PROXY)).toMatchObject({ implementation, admin: implementation });
});

test.each(['0x', `0x${'0'.repeat(66)}`, '0xzz', null, 0])('a slot of %s is no slot', async (slot) => {
  await expect(readProxy(nodeWith(slot))).rejects.toThrow('a slot of a contract is not a quantity');
});
