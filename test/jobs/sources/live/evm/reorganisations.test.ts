// Logs followed up to the newest block through reorganisations of a real node: only the logs of the final chain are left.
import type { Address } from 'viem';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readHead } from '../../../../../jobs/sources/live/evm/block.ts';
import { FOLLOW_DEPTHS, type FollowState, follow } from '../../../../../jobs/sources/live/evm/log-ring.ts';
import { type VaultLogRow, vaultLogRow } from '../../../../../jobs/sources/live/evm/log-rows.ts';
import { COUNTS } from '../../../../reliability/counts.ts';
import { seededRandom } from '../../../../support/seeded-random.ts';
import { type Anvil, describeOnNode, startAnvil, word } from './anvil.ts';

const REORGANISATIONS = COUNTS.reorganisations;
const DEEPEST = 64;
const NOTHING: FollowState = { ring: [], orphans: [] };

/** Reads a vault step by step and keeps every row that a table would receive. */
class Follower {
  readonly rows: VaultLogRow[] = [];
  readonly #node: Anvil;
  readonly #vault: Address;
  readonly #from: number;
  #state: FollowState = NOTHING;

  constructor(node: Anvil, vault: Address, from: number) {
    this.#node = node;
    this.#vault = vault;
    this.#from = from;
  }

  /** Reads up to the newest block; the state goes through JSON, as between two processes. */
  async catchUp(): Promise<void> {
    for (;;) {
      const head = await readHead(this.#node.rpc, { confirmations: 0 });
      const filter = { addresses: [this.#vault], topics: [] };
      const plan = { filter, head, from: this.#from, now: head.timestamp };
      const { state, added, removed } = await follow(this.#node.rpc, this.#state, plan);
      this.#state = JSON.parse(JSON.stringify(state)) as FollowState;
      for (const { logs, timestamp: time } of added)
        this.rows.push(...logs.map((log) => vaultLogRow('anvil', log, { time })));
      for (const { logs, timestamp: time, goneAt } of removed)
        this.rows.push(...logs.map((log) => vaultLogRow('anvil', log, { time, removedAt: goneAt })));
      if (state.ring.at(-1)?.hash === head.hash) return;
    }
  }

  /** The logs that have not been removed after all rows. */
  standing(): string[] {
    const location = ({ block_hash, tx_hash, log_index }: VaultLogRow) =>
      `${block_hash} ${tx_hash} ${log_index}`;
    const removed = new Set(this.rows.filter(({ is_removed }) => is_removed).map(location));
    return [...new Set(this.rows.map(location))].filter((one) => !removed.has(one)).sort();
  }
}

describeOnNode('following logs through reorganisations', () => {
  let node: Anvil;
  let vault: Address;
  // Each test has its own node, so transactions left in the mempool by one do not affect the next.
  beforeEach(async () => {
    node = await startAnvil();
    vault = await node.deploy('Vault', [word(1).slice(0, 42)]);
    await node.client.mine({ blocks: 100 });
  });
  afterEach(() => node.stop());

  /** Transactions of the removed blocks do not come back: later ones reuse their nonces. */
  const reorganise = async (depth: number) => {
    await node.rpc('anvil_reorg', [depth, []]);
    await node.rpc('anvil_dropAllTransactions', []);
  };
  const head = async () => Number(await node.client.getBlockNumber());
  const truth = async (from: number) =>
    (await node.client.getLogs({ address: vault, fromBlock: BigInt(from), toBlock: 'latest' }))
      .map(({ blockHash, transactionHash, logIndex }) => `${blockHash} ${transactionHash} ${logIndex}`)
      .sort();

  it(
    `leaves only the logs of the final chain after ${REORGANISATIONS} of 1 to ${DEEPEST} blocks`,
    async () => {
      const random = seededRandom(17);
      const from = (await head()) + 1;
      const follower = new Follower(node, vault, from);
      let value = 0;
      for (let count = 0; count < REORGANISATIONS; count++) {
        for (let block = 0; block < 1 + Math.floor(random() * 8); block++) {
          await node.client.mine({ blocks: 1 + Math.floor(random() * 9) });
          value += 1;
          await node.send('Vault', vault, 'setFee', BigInt(value));
          if (random() < 0.3) await follower.catchUp();
        }
        if (random() < 0.7) await follower.catchUp();
        const depth = 1 + Math.floor(random() * DEEPEST);
        await reorganise(depth);
        if (random() < 0.7) await follower.catchUp();
      }
      await node.client.mine({ blocks: FOLLOW_DEPTHS.ring });
      await follower.catchUp();
      const removed = follower.rows.filter(({ is_removed }) => is_removed);
      expect(removed.length).toBeGreaterThan(0);
      expect(follower.standing().length).toBeGreaterThan(0);
      expect(follower.standing()).toEqual(await truth(from));
    },
    60_000 + REORGANISATIONS * 2_000,
  );

  it('reports a removal once, when it is deep, with the time at which it was first seen', async () => {
    const from = (await head()) + 1;
    const follower = new Follower(node, vault, from);
    await node.send('Vault', vault, 'setFee', 1n);
    await follower.catchUp();
    await reorganise(1);
    await follower.catchUp();
    const seen = (await readHead(node.rpc, { confirmations: 0 })).timestamp;
    expect(follower.rows.map(({ is_removed }) => is_removed)).toEqual([false]);
    for (let step = 0; step < 3; step++) {
      await node.client.mine({ blocks: FOLLOW_DEPTHS.removal });
      await follower.catchUp();
    }
    expect(follower.rows.map(({ is_removed, removed_at }) => [is_removed, removed_at])).toEqual([
      [false, null],
      [true, seen],
    ]);
  });

  it('fails when no block of the ring is left', async () => {
    const from = (await head()) + 1;
    await node.client.mine({ blocks: 12 });
    await node.send('Vault', vault, 'setFee', 3n);
    await node.client.mine({ blocks: 7 });
    const filter = { addresses: [vault], topics: [] };
    const depths = { ring: 5, removal: 3, step: 64 };
    const plan = async () => {
      const newest = await readHead(node.rpc, { confirmations: 0 });
      return { filter, head: newest, from, now: newest.timestamp, depths };
    };
    const { state } = await follow(node.rpc, NOTHING, await plan());
    await reorganise(10);
    await expect(follow(node.rpc, state, await plan())).rejects.toMatchObject({ kind: 'rewritten' });
  });
});
