// Oracles on a real node: deploys feeds, oracles and markets, moves time, and reads their paths as the product does.
import type { Address, Hex } from 'viem';
import type { Enrichment } from '../../../../../../jobs/define/raw-table.ts';
import { legValues, oraclePrices } from '../../../../../../jobs/families/oracle-paths/enrichments.ts';
import { readHead } from '../../../../../../jobs/sources/live/evm/block.ts';
import { readOraclePathRows } from '../../../../../../jobs/sources/live/evm/chain-oracles.ts';
import type { Rpc } from '../../../../../../jobs/sources/live/evm/rpc.ts';
import { type Anvil, startAnvil } from '../anvil.ts';

export const NONE: Address = `0x${'0'.repeat(40)}`;
export type Row = { readonly [field: string]: unknown };

export interface OracleRows {
  readonly prices: readonly Row[];
  readonly legs: readonly Row[];
  readonly missing: readonly { readonly subject: string; readonly reason: string }[];
  readonly state: unknown;
}

export class OracleWorld {
  readonly node: Anvil;
  readonly morpho: Address;
  readonly usdc: Address;
  readonly weth: Address;
  readonly factory: Address;
  #markets = 0n;

  private constructor(node: Anvil, addresses: readonly Address[]) {
    this.node = node;
    [this.morpho = NONE, this.usdc = NONE, this.weth = NONE, this.factory = NONE] = addresses;
  }

  static async open(): Promise<OracleWorld> {
    const node = await startAnvil();
    await node.installMulticall();
    return new OracleWorld(node, [
      await node.deploy('Morpho'),
      await node.deploy('Token', ['USDC', 6]),
      await node.deploy('Token', ['WETH', 18]),
      await node.deploy('OracleFactory'),
    ]);
  }

  /** An oracle over one feed, or over four. */
  over(feeds: Address | readonly Address[], scale = 1n): Promise<Address> {
    const four = typeof feeds === 'string' ? [feeds, NONE, NONE, NONE] : feeds;
    return this.node.deploy('OracleV2', [[NONE, NONE], [1n, 1n], four, scale]);
  }

  async market(oracle: Address, collateral: Address = this.weth): Promise<Hex> {
    this.#markets += 1n;
    const params = {
      loanToken: this.usdc,
      collateralToken: collateral,
      oracle,
      irm: NONE,
      lltv: this.#markets,
    };
    const { logs } = await this.node.send('Morpho', this.morpho, 'createMarket', params);
    return logs[0]?.topics[1] as Hex;
  }

  async now(): Promise<bigint> {
    return (await this.node.client.getBlock()).timestamp;
  }

  async moveTo(timestamp: bigint): Promise<void> {
    await this.node.client.setNextBlockTimestamp({ timestamp });
    await this.node.client.mine({ blocks: 1 });
  }

  async read(
    ids: readonly Hex[],
    { state = null, rpc = this.node.rpc }: { readonly state?: unknown; readonly rpc?: Rpc } = {},
  ): Promise<OracleRows> {
    const head = await readHead(this.node.rpc, { confirmations: 0 });
    const reading = await readOraclePathRows(rpc, {
      chain: {
        ...{ id: 31_337, read: 'oracle_paths', contracts: [this.morpho] },
        ...{ factories: [this.factory], markets: [...ids] },
      },
      name: 'anvil',
      window: { partition: { key: '', params: {} }, from: 0, to: head.timestamp, urgency: 'tip' },
      historyS: 0,
      head,
      state: JSON.parse(JSON.stringify(state)) as unknown,
      mappings: [],
      listed: { feeds: async () => [], vaults: async () => [] },
      now: () => head.timestamp,
    });
    const all = reading.rows as readonly Row[];
    return {
      prices: all.filter(({ table }) => table === 'oracle_price'),
      legs: all.filter(({ table }) => table === 'oracle_leg'),
      missing: reading.missing,
      state: reading.state,
    };
  }
}

/** What landing computes for a row by the family's own arithmetic. */
const filled = async ({ reads, fills, fill }: Enrichment, row: Row | undefined) => {
  const columns = Object.fromEntries(
    reads.map((name) => [name, [(row?.[name] ?? null) as string | number | null]]),
  );
  const all = await fill({ count: 1, columns }, new Uint8Array());
  return all[fills[0] ?? '']?.[0];
};
export const computedPrice = (row: Row | undefined) => filled(oraclePrices, row);
export const computedValue = (row: Row | undefined) => filled(legValues, row);
