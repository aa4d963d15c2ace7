// Vaults on a real node: deploys markets and vaults, moves time, and reads their states as the product does.
import type { Address, Hex } from 'viem';
import { readHead } from '../../../../../../jobs/sources/live/evm/block.ts';
import type { ChainTask } from '../../../../../../jobs/sources/live/evm/chain-task.ts';
import { readVaultStateRows } from '../../../../../../jobs/sources/live/evm/chain-vaults.ts';
import type { Rpc } from '../../../../../../jobs/sources/live/evm/rpc.ts';
import { type Anvil, contractCall, startAnvil } from '../anvil.ts';

const NONE = `0x${'0'.repeat(40)}`;

export interface VaultRows {
  readonly states: ReadonlyMap<string, { readonly [field: string]: unknown }>;
  readonly positions: readonly { readonly [field: string]: unknown }[];
  readonly missing: readonly { readonly subject: string; readonly reason: string }[];
  readonly state: unknown;
}

type Section = ChainTask['chain'];
export interface ReadingSettings
  extends Partial<Pick<Section, 'vault_factories' | 'public_allocator' | 'since'>> {
  readonly rpc?: Rpc;
}

export class VaultWorld {
  readonly node: Anvil;
  readonly usd: Address;
  readonly morpho: Address;
  readonly owner: Address;
  #markets = 0n;

  private constructor(node: Anvil, usd: Address, morpho: Address) {
    this.node = node;
    this.usd = usd;
    this.morpho = morpho;
    this.owner = node.client.account.address;
  }

  static async open(): Promise<VaultWorld> {
    const node = await startAnvil();
    await node.installMulticall();
    const world = new VaultWorld(
      node,
      await node.deploy('Token', ['USDC', 6]),
      await node.deploy('MorphoBlue'),
    );
    await node.send('Token', world.usd, 'mint', world.owner, 10n ** 18n);
    return world;
  }

  /** A market with that rate a second, or without interest. */
  async market({ supply = 0n, borrow = 0n, rate = 0n, token = this.usd } = {}): Promise<Hex> {
    this.#markets += 1n;
    const irm = rate === 0n ? NONE : await this.node.deploy('FixedRate', [rate]);
    const params = { loanToken: token, collateralToken: NONE, oracle: NONE, irm, lltv: this.#markets };
    const { logs } = await this.node.send('MorphoBlue', this.morpho, 'createMarket', params, 0n);
    const id = logs[0]?.topics[1] as Hex;
    if (supply > 0n) await this.node.send('MorphoBlue', this.morpho, 'supply', id, supply, this.owner);
    if (borrow > 0n) await this.node.send('MorphoBlue', this.morpho, 'borrow', id, borrow);
    return id;
  }

  async first(kind: 'MetaMorpho10' | 'MetaMorpho11', markets: readonly Hex[], fee = 0n): Promise<Address> {
    const vault = await this.node.deploy(kind, [this.usd, 6, this.morpho]);
    await this.node.send(kind, vault, 'setQueue', markets);
    if (fee > 0n) await this.node.send(kind, vault, 'setFee', fee);
    return vault;
  }

  deposit(kind: string, vault: Address, assets: bigint, owner: string = this.owner) {
    return this.node.send(kind, vault, 'deposit', assets, owner);
  }

  async pass(seconds: number): Promise<void> {
    await this.node.client.increaseTime({ seconds });
    await this.node.client.mine({ blocks: 1 });
  }

  /** What the contract itself answers at the newest block. */
  ask<T>(kind: string, vault: Address, functionName: string, ...args: unknown[]): Promise<T> {
    return contractCall<T>(this.node, { kind, address: vault, functionName, args });
  }

  async read(
    vaults: readonly Address[],
    state: unknown = null,
    { rpc = this.node.rpc, ...section }: ReadingSettings = {},
  ): Promise<VaultRows> {
    const head = await readHead(this.node.rpc, { confirmations: 0 });
    const reading = await readVaultStateRows(rpc, {
      chain: {
        ...{ id: 31_337, read: 'vault_states', contracts: [this.morpho], vaults: [...vaults] },
        ...section,
      },
      name: 'anvil',
      window: { partition: { key: '', params: {} }, from: 0, to: head.timestamp, urgency: 'tip' },
      historyS: 0,
      head,
      state,
      mappings: [],
      listed: { feeds: async () => [], vaults: async () => [] },
      now: () => head.timestamp,
    });
    const rows = reading.rows as readonly { readonly [field: string]: unknown }[];
    const states = rows.filter(({ table }) => table === 'vault_state');
    return {
      states: new Map(states.map((row) => [String(row['vault_address']), row])),
      positions: rows.filter(({ table }) => table === 'vault_position'),
      missing: reading.missing,
      state: reading.state,
    };
  }
}
