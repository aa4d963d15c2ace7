// Reorganisations of a real node, all the way into tables: fetched up to the newest block, landed and computed by whole runs. In the end
// the table of vault events holds exactly the events of the chain.
import type { Address } from 'viem';
import { beforeEach, expect, it } from 'vitest';
import { runOnce } from '../../../../../jobs/commands/work.ts';
import { lending } from '../../../../../jobs/families/lending/domain.ts';
import { FOLLOW_DEPTHS } from '../../../../../jobs/sources/live/evm/log-ring.ts';
import { oracles } from '../../../../../jobs/families/oracles/domain.ts';
import { pools } from '../../../../../jobs/families/pools/domain.ts';
import { sources } from '../../../../../jobs/families/sources/domain.ts';
import { COUNTS } from '../../../../reliability/counts.ts';
import { inWorld, testFolder } from '../../../../support/pipeline-world.ts';
import { seededRandom } from '../../../../support/seeded-random.ts';
import { json } from '../http/replay-server.ts';
import { openFixture, sourceOf } from '../fetching-fixture.ts';
import { type Anvil, describeOnNode, startAnvil, word } from './anvil.ts';

const REORGANISATIONS = COUNTS.reorganisations;
const RUNS = REORGANISATIONS > 100 ? 10 : 1;
const DEEPEST = 64;
const HOUR = 3_600;
const fields = Object.fromEntries(
  [
    ...['chain', 'vault_address', 'block_number', 'block_hash', 'block_timestamp', 'tx_hash', 'log_index'],
    ...['topic0', 'topic1', 'topic2', 'topic3', 'data', 'is_removed', 'removed_at'],
  ].map((field) => [field, field]),
);

describeOnNode('tables after reorganisations', () => {
  let node: Anvil;
  let vault: Address;
  let folder: ReturnType<typeof testFolder>;
  beforeEach(async () => {
    node = await startAnvil();
    vault = await node.deploy('Vault', [word(1).slice(0, 42)]);
    await node.client.mine({ blocks: 100 });
    folder = testFolder();
    return async () => {
      await node.stop();
      folder.remove();
    };
  });

  const sectionOf = () => ({
    table: 'vault_log',
    name: 'Vault',
    chain: 'anvil',
    format: 'ndjson' as const,
    every: '1s',
    window: { history: '1h', step: '1h', overlap: '1s' },
    guards: { min_records: 0 },
    request: {
      url: 'https://node.example/',
      chain: { id: 31_337, read: 'vault_logs' as const, head: 'latest' as const, contracts: [vault] },
    },
    fields,
  });
  const time = async () => Number((await node.client.getBlock()).timestamp);
  const truth = async () =>
    (await node.client.getLogs({ address: vault, fromBlock: 0n, toBlock: 'latest' }))
      .map(({ blockHash, transactionHash, logIndex }) => `${blockHash} ${transactionHash} ${logIndex}`)
      .sort();

  async function opened() {
    const section = sectionOf();
    const startMs = (await time()) * 1000;
    const fixture = await openFixture(() => json([]), { startMs, dir: folder.dir, node: node.url });
    const fetcher = fixture.start(sourceOf(section));
    const config = { profile: 'files', sources: { things: section } };
    const now = () => Math.ceil(fixture.clock.nowMs() / 1000);
    return {
      fixture,
      /** Fetches on a clock that runs with the chain. */
      async fetch() {
        await fixture.clock.sleep(Math.max(2_000, (await time()) * 1000 - fixture.clock.nowMs()));
        await fetcher.once();
        // The chain keeps up with the clock.
        await node.rpc('evm_setNextBlockTimestamp', [now() + 1]);
      },
      /** One whole run, after which `look` can query the tables. */
      run: (later: number, look: (texts: (sql: string) => Promise<string[]>) => Promise<void>) =>
        inWorld(
          folder.dir,
          { config, domains: [sources, oracles, pools, lending], now: now() + later },
          async (context) => {
            expect(await runOnce(context, null)).toBe(0);
            await look(async (sql) =>
              (await context.warehouse.rows(sql)).map((row) => Object.values(row).join(' ')),
            );
          },
        ),
    };
  }

  /** Mines blocks with logs, with readings in between, and reorganises the chain. */
  async function disturb(random: () => number, count: number, fetch: () => Promise<void>) {
    for (let block = 0; block < 1 + Math.floor(random() * 4); block++) {
      await node.client.mine({ blocks: 1 + Math.floor(random() * 9) });
      await node.send('Vault', vault, 'setFee', BigInt(count * 10 + block));
      if (random() < 0.3) await fetch();
    }
    if (random() < 0.7) await fetch();
    await node.rpc('anvil_reorg', [1 + Math.floor(random() * DEEPEST), []]);
    await node.rpc('anvil_dropAllTransactions', []);
    if (random() < 0.7) await fetch();
  }

  it(
    `hold only the logs of the final chain after ${REORGANISATIONS} of 1 to ${DEEPEST} blocks`,
    async () => {
      const { fixture, fetch, run } = await opened();
      const random = seededRandom(23);
      for (let count = 1; count <= REORGANISATIONS; count++) {
        await disturb(random, count, fetch);
        if (count % Math.ceil(REORGANISATIONS / (RUNS + 1)) === 0) await run(0, async () => {});
      }
      await node.client.mine({ blocks: FOLLOW_DEPTHS.ring });
      await fetch();
      const failed = (await fixture.recordings()).filter(({ outcome }) => outcome === 'failed');
      expect(failed.map(({ reasons }) => reasons)).toEqual([]);
      await run(HOUR, async (texts) => {
        const [removed] = await texts(`select count(*) from obs.vault_log where is_removed`);
        expect(Number(removed)).toBeGreaterThan(0);
        const location = `concat(block_hash, ' ', tx_hash, ' ', cast(log_index as varchar))`;
        const standing = await texts(`select ${location} as place from derived.vault_event`);
        expect(standing.sort()).toEqual(await truth());
      });
      await fixture.close();
    },
    60_000 + REORGANISATIONS * 3_000,
  );
});
