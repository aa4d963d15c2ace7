// Which logs of submissions are read when, and what is kept of them, over logs that are made up.
import { expect, it } from 'vitest';
import { submitLogs } from '../../../../../../jobs/sources/live/evm/chain-vaults.ts';
import { type Rpc, RpcError } from '../../../../../../jobs/sources/live/evm/rpc.ts';
import {
  readSubmitted,
  type SubmitLogs,
  type SubmittedCalls,
  UnreadLogs,
} from '../../../../../../jobs/sources/live/evm/vaults/submitted-calls.ts';
import { contractEvent } from '../../../../../../platform/base/contract-abi.ts';

const { topic } = contractEvent('Submit', {
  selector: 'bytes4 indexed',
  data: 'bytes',
  executableAt: 'uint256',
});
const word = (value: number): string => value.toString(16).padStart(64, '0');
const [VAULT, OTHER, ADAPTER] = ['0xa', '0xb', '0xc'];

/** A submission of so many bytes, or a log that does not match the declaration. */
const log = (address: string, block: number, data: string | null) => ({
  address,
  block,
  topics: [topic, `0x${(data ?? '0x').slice(2, 10).padEnd(64, '0')}`],
  data:
    data === null
      ? '0x1234'
      : `0x${word(64)}${word(9)}${word(data.length / 2 - 1)}${data.slice(2).padEnd(64 * Math.ceil(data.length / 64), '0')}`,
});

class Chain {
  readonly asked: string[] = [];
  readonly #all: readonly ReturnType<typeof log>[];
  error: Error | null = null;

  constructor(...all: readonly ReturnType<typeof log>[]) {
    this.#all = all;
  }

  read: SubmitLogs = async (addresses, { from, to }) => {
    this.asked.push(`${addresses.join(' ')} ${from}-${to}`);
    if (this.error !== null) throw this.error;
    return this.#all.filter(
      ({ address, block }) => addresses.includes(address) && block >= from && block <= to,
    );
  };

  reading(
    head: number,
    before: SubmittedCalls,
    {
      due = [VAULT],
      contracts = { [VAULT]: [ADAPTER] },
      since = 0,
    }: {
      due?: readonly string[];
      contracts?: { readonly [vault: string]: readonly string[] };
      since?: number;
    } = {},
  ) {
    const own = new Map(Object.entries(contracts));
    return readSubmitted({ logs: this.read, head, since, before, contracts: own, due: new Set(due) });
  }
}

it('begins with the newest blocks and goes back by steps that end alike for all, until the first block', async () => {
  const chain = new Chain(log(VAULT, 119_999, '0x11'), log(ADAPTER, 60_000, '0x22'), log(VAULT, 70, '0x33'));
  const first = await chain.reading(120_000, {});
  expect(chain.asked).toEqual([`${VAULT} ${ADAPTER} 100000-120000`]);
  expect(first.submitted[VAULT]).toMatchObject({ first: 100_000, last: 120_000, calls: ['0x11'] });
  expect([...first.fresh]).toEqual([`${VAULT}|0x11`]);
  const second = await chain.reading(120_000, first.submitted);
  expect([...second.fresh]).toEqual([`${ADAPTER}|0x22`]);
  // A vault that joins is read alone until it has caught up.
  const contracts = { [VAULT]: [ADAPTER], [OTHER]: [] };
  const third = await chain.reading(120_010, second.submitted, { contracts, due: [OTHER] });
  const fourth = await chain.reading(120_010, third.submitted, { contracts, due: [], since: 60 });
  const fifth = await chain.reading(120_010, fourth.submitted, { contracts, due: [], since: 60 });
  expect(chain.asked.slice(1)).toEqual([
    `${VAULT} ${ADAPTER} 50000-99999`,
    `${OTHER} 100000-120010`,
    `${OTHER} 50000-99999`,
    `${VAULT} ${ADAPTER} ${OTHER} 60-49999`,
  ]);
  expect([...fifth.fresh]).toEqual([`${VAULT}|0x33`]);
  await chain.reading(120_010, fifth.submitted, { contracts, due: [], since: 60 });
  expect(chain.asked).toHaveLength(5);
});

it('reads each block in two turns of its vault, and finds what was omitted in the first', async () => {
  const known = { vault: VAULT, first: 0, last: 100, previous: 90, calls: ['0x11'] };
  const chain = new Chain(log(VAULT, 91, '0x22'), log(VAULT, 90, '0x33'), log(VAULT, 110, null));
  const before = { [VAULT]: known, [ADAPTER]: { ...known, calls: [] } };
  const { submitted, fresh } = await chain.reading(110, before);
  expect(chain.asked).toEqual([`${VAULT} ${ADAPTER} 91-110`]);
  expect(submitted[VAULT]).toEqual({ ...known, last: 110, previous: 100, calls: ['0x11', '0x22'] });
  expect([...fresh]).toEqual([`${VAULT}|0x22`]);
  await chain.reading(110, submitted);
  expect(chain.asked).toHaveLength(1);
});

it('keeps adapters that were removed, and nothing of vaults that are no longer read', async () => {
  const known = { vault: VAULT, first: 0, last: 100, previous: 90, calls: [] };
  const before = { [VAULT]: known, [ADAPTER]: known, [OTHER]: { ...known, vault: OTHER } };
  const { submitted } = await new Chain().reading(110, before, { contracts: { [VAULT]: [] } });
  expect(Object.keys(submitted)).toEqual([VAULT, ADAPTER]);
});

it('keeps at most 200 calls of one contract, and none of more than 5,000 characters', async () => {
  const long = (characters: number) => `0x${'1'.repeat(characters - 2)}`;
  const both = await new Chain(log(ADAPTER, 5, long(5_000)), log(ADAPTER, 6, long(5_002))).reading(10, {});
  expect(both.submitted[ADAPTER]?.calls.map(({ length }) => length)).toEqual([5_000]);
  const logs = Array.from({ length: 201 }, (_, at) => log(VAULT, 5, `0x${word(at).slice(-8)}`));
  const { submitted } = await new Chain(...logs).reading(10, {});
  expect(submitted[VAULT]?.calls).toHaveLength(200);
});

it('is unread where a node has no logs, and fails where it is only busy', async () => {
  const chain = new Chain();
  const known = { vault: VAULT, first: 0, last: 100, previous: 90, calls: ['0x11'] };
  const before = { [VAULT]: known, [ADAPTER]: known };
  chain.error = new UnreadLogs('no such method');
  const unread = { submitted: before, fresh: new Set(), unread: 'no such method' };
  expect(await chain.reading(110, before)).toEqual(unread);
  chain.error = new RpcError('429 too many requests');
  await expect(chain.reading(110, before)).rejects.toBe(chain.error);
});

const header = (number: number) => ({
  number: `0x${number.toString(16)}`,
  hash: `0x${word(number)}`,
  parentHash: `0x${word(number - 1)}`,
  timestamp: '0x1',
});
const HEAD = {
  ...{ number: 1_000, hash: `0x${word(1_000)}`, parentHash: `0x${word(999)}` },
  ...{ timestamp: 1, logsBloom: '0x' },
};

/** A node that takes so many blocks at once, and the ranges that it was asked for. */
function nodeOf(most: number, refusal: string) {
  const ranges: string[] = [];
  const rpc: Rpc = async (method, [first]) => {
    if (method === 'eth_getBlockByNumber') return { result: header(Number(first)), body: '' };
    const { fromBlock, toBlock } = first as { fromBlock: string; toBlock: string };
    ranges.push(`${Number(fromBlock)}-${Number(toBlock)}`);
    if (Number(toBlock) - Number(fromBlock) >= most) throw new RpcError(refusal);
    return { result: [], body: '' };
  };
  return { ranges, read: submitLogs(rpc, HEAD) };
}

it('asks a node for halves where it refuses the whole, and gives up where it refuses one block', async () => {
  const narrow = nodeOf(300, 'query exceeds the range that is allowed');
  expect(await narrow.read([VAULT], { from: 1, to: 1_000 })).toEqual([]);
  expect(narrow.ranges).toEqual(['1-1000', '1-500', '1-250', '251-500', '501-1000', '501-750', '751-1000']);
  const mute = nodeOf(0, 'the method does not exist');
  await expect(mute.read([VAULT], { from: 1, to: 1_000 })).rejects.toThrow(UnreadLogs);
  expect(mute.ranges.length).toBeLessThanOrEqual(11);
  const busy = nodeOf(0, '429 too many requests');
  await expect(busy.read([VAULT], { from: 1, to: 1_000 })).rejects.toThrow(RpcError);
  expect(busy.ranges).toHaveLength(1);
});

it('asks a node for steps, each up to a block whose hash it knows', async () => {
  const node = nodeOf(50_000, 'too many blocks');
  expect(await node.read([VAULT], { from: 1, to: 100_001 })).toEqual([]);
  expect(node.ranges).toEqual(['1-50000', '50001-100000', '100001-100001']);
});
