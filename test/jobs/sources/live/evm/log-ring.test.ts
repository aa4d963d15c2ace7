// Following logs on a fake chain, which can do what no node does on command: switch to another branch and back.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readHead } from '../../../../../jobs/sources/live/evm/block.ts';
import {
  FOLLOW_DEPTHS,
  type FollowState,
  follow,
  type Orphan,
} from '../../../../../jobs/sources/live/evm/log-ring.ts';
import type { NodeLog } from '../../../../../jobs/sources/live/evm/node-log.ts';
import type { Rpc } from '../../../../../jobs/sources/live/evm/rpc.ts';
import { word } from './anvil.ts';

const VAULT = `0x${'a'.repeat(40)}`;
const FILTER = { addresses: [VAULT], topics: [] };
const hex = (value: number) => `0x${value.toString(16)}`;

interface FakeBlock {
  readonly number: number;
  readonly hash: string;
  readonly parentHash: string;
  readonly hasLog: boolean;
}

/** A chain as a list of blocks; a branch is another list with the same start. */
class FakeChain {
  blocks: readonly FakeBlock[] = [{ number: 0, hash: word(1), parentHash: word(0), hasLog: false }];
  #hashes = 1;

  grow(count: number, hasLog: boolean): void {
    for (let block = 0; block < count; block++) {
      const parent = this.blocks.at(-1) as FakeBlock;
      this.#hashes += 1;
      const hash = word(this.#hashes);
      this.blocks = [...this.blocks, { number: parent.number + 1, hash, parentHash: parent.hash, hasLog }];
    }
  }

  /** Replaces the last blocks with the same number of other blocks. */
  reorganise(depth: number, hasLog: boolean): void {
    const kept = Math.max(1, this.blocks.length - depth);
    const count = this.blocks.length - kept;
    this.blocks = this.blocks.slice(0, kept);
    this.grow(count, hasLog);
  }

  logs(): string[] {
    return this.blocks.filter(({ hasLog }) => hasLog).map(({ hash }) => hash);
  }

  readonly rpc: Rpc = async (method, params) => {
    const result = method === 'eth_getBlockByNumber' ? this.#header(params) : this.#logs(params);
    return { result, body: JSON.stringify({ result }) };
  };

  #header([tag]: readonly unknown[]) {
    const block = tag === 'latest' ? this.blocks.at(-1) : this.blocks[Number(tag)];
    if (block === undefined) return null;
    const { number, hash, parentHash } = block;
    return { number: hex(number), hash, parentHash, timestamp: hex(1_000 + number), logsBloom: '0x' };
  }

  #logs([filter]: readonly unknown[]) {
    const { fromBlock, toBlock, blockHash } = filter as { [name: string]: string };
    const wanted = this.blocks.filter(({ hasLog, number, hash }) =>
      blockHash === undefined
        ? hasLog && number >= Number(fromBlock) && number <= Number(toBlock)
        : hasLog && hash === blockHash,
    );
    return wanted.map(({ number, hash }) => ({
      address: VAULT,
      topics: [word(7)],
      data: '0x',
      blockNumber: hex(number),
      blockHash: hash,
      transactionHash: hash,
      logIndex: '0x0',
    }));
  }
}

class Reader {
  readonly added: string[] = [];
  readonly removed: string[] = [];
  state: FollowState = { ring: [], orphans: [] };
  readonly #chain: FakeChain;

  constructor(chain: FakeChain) {
    this.#chain = chain;
  }

  async read(): Promise<void> {
    const { rpc } = this.#chain;
    for (;;) {
      const head = await readHead(rpc, { confirmations: 0 });
      const { state, added, removed } = await follow(rpc, this.state, {
        filter: FILTER,
        head,
        from: 0,
        now: 5_000,
      });
      this.state = state;
      this.added.push(...hashes(added));
      this.removed.push(...hashes(removed));
      if (state.ring.at(-1)?.hash === head.hash) return;
    }
  }

  standing(): string[] {
    return [...new Set(this.added)].filter((hash) => !this.removed.includes(hash)).sort();
  }
}

const hashes = (blocks: readonly { readonly logs: readonly NodeLog[] }[]) =>
  blocks.flatMap(({ logs }) => logs.map(({ blockHash }) => blockHash));

describe('following logs', () => {
  it('keeps the log of a block that returns before it is deep', async () => {
    const chain = new FakeChain();
    const reader = new Reader(chain);
    chain.grow(10, true);
    await reader.read();
    const before = chain.blocks;
    chain.reorganise(3, false);
    await reader.read();
    expect(reader.state.orphans.map(({ number }: Orphan) => number)).toEqual([8, 9, 10]);
    chain.blocks = before;
    await reader.read();
    expect(reader.state.orphans.filter(({ logs }) => logs.length > 0)).toEqual([]);
    chain.grow(FOLLOW_DEPTHS.removal * 2, false);
    await reader.read();
    expect(reader.removed).toEqual([]);
    expect(reader.standing()).toEqual(chain.logs().sort());
  });

  it('removes an orphan exactly when it is deep', async () => {
    const chain = new FakeChain();
    const reader = new Reader(chain);
    chain.grow(5, true);
    await reader.read();
    const gone = chain.blocks.at(-1)?.hash;
    chain.reorganise(1, false);
    chain.grow(FOLLOW_DEPTHS.removal - 1, false);
    await reader.read();
    expect(reader.removed).toEqual([]);
    chain.grow(1, false);
    await reader.read();
    expect(reader.removed).toEqual([gone]);
    chain.grow(1, false);
    await reader.read();
    expect(reader.removed).toEqual([gone]);
  });

  it('fails when a log returns after its removal was reported', async () => {
    const chain = new FakeChain();
    const reader = new Reader(chain);
    chain.grow(50, true);
    await reader.read();
    const before = chain.blocks;
    chain.reorganise(FOLLOW_DEPTHS.removal + 1, false);
    await reader.read();
    expect(reader.removed).toEqual([before[18]?.hash]);
    chain.blocks = before;
    await expect(reader.read()).rejects.toThrow(/again after its logs were reported as removed/);
  });

  it('notices a chain that has become shorter', async () => {
    const chain = new FakeChain();
    const reader = new Reader(chain);
    chain.grow(10, true);
    await reader.read();
    chain.blocks = chain.blocks.slice(0, 6);
    await reader.read();
    expect(reader.state.ring.at(-1)?.number).toBe(5);
    chain.grow(50, false);
    await reader.read();
    expect(reader.standing()).toEqual(chain.logs().sort());
  });

  it('rejects a chain whose blocks are not linked', async () => {
    const chain = new FakeChain();
    const reader = new Reader(chain);
    chain.grow(4, true);
    chain.blocks = chain.blocks.map((block) =>
      block.number === 3 ? { ...block, parentHash: word(99) } : block,
    );
    await expect(reader.read()).rejects.toMatchObject({ kind: 'moved' });
    expect(reader.state.ring).toEqual([]);
  });

  it('holds only the logs of the final chain after any changes that are not too deep', async () => {
    const step = fc.record({
      grow: fc.integer({ min: 0, max: 20 }),
      depth: fc.integer({ min: 0, max: 64 }),
      hasLog: fc.boolean(),
      isRead: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const chain = new FakeChain();
        const reader = new Reader(chain);
        for (const { grow, depth, hasLog, isRead } of steps) {
          chain.grow(grow, hasLog);
          if (isRead) await reader.read();
          chain.reorganise(depth, !hasLog);
        }
        chain.grow(FOLLOW_DEPTHS.ring, false);
        await reader.read();
        expect(reader.standing()).toEqual(chain.logs().sort());
      }),
      { numRuns: 60 },
    );
  });
});
