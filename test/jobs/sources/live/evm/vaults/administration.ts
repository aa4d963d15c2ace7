// The administration of vaults on a real node, from transactions to published changes, by logs and by what the contract itself states.
import { type Abi, type Address, encodeFunctionData, type Hex } from 'viem';
import { decodedLogs } from '../../../../../../jobs/families/lending/decode-logs.ts';
import { readHead } from '../../../../../../jobs/sources/live/evm/block.ts';
import { readVaultLogs } from '../../../../../../jobs/sources/live/evm/chain-following.ts';
import { submitLogs } from '../../../../../../jobs/sources/live/evm/chain-vaults.ts';
import type { VaultLogRow } from '../../../../../../jobs/sources/live/evm/log-rows.ts';
import { readCalls } from '../../../../../../jobs/sources/live/evm/multicall.ts';
import { readPending } from '../../../../../../jobs/sources/live/evm/vaults/pending-getters.ts';
import {
  readSubmitted,
  type SubmittedCalls,
} from '../../../../../../jobs/sources/live/evm/vaults/submitted-calls.ts';
import type { VaultDraft } from '../../../../../../jobs/sources/live/evm/vaults/vault-totals.ts';
import type { CaseRow } from '../../../../../support/case-file.ts';
import { neededFor } from '../../../../../support/needed-models.ts';
import { landed, openPathModels, type PathModels } from '../../../../families/oracle-paths/path-models.ts';
import { type Anvil, contractCall, startAnvil } from '../anvil.ts';
import { contractOf } from '../compile.ts';

const DAYS = 40;
const MODELS = ['obs.vault_log', 'derived.vault_change', 'derived.vault_change_effect', 'out.vault_change'];
const DISPUTE = 'derived.vault_change_dispute';

export class TimelockWorld {
  readonly node: Anvil;
  readonly models: PathModels;

  private constructor(node: Anvil, models: PathModels) {
    this.node = node;
    this.models = models;
  }

  static async open(): Promise<TimelockWorld> {
    const node = await startAnvil();
    await node.installMulticall();
    return new TimelockWorld(
      node,
      await openPathModels(neededFor({ tables: ['out.vault_change', DISPUTE] })),
    );
  }

  async close(): Promise<void> {
    await this.models.close();
    await this.node.stop();
  }

  async vault(contract: string, args: readonly unknown[] = []): Promise<Administration> {
    const { abi } = await contractOf(contract);
    return new Administration(this, { contract, abi, vault: await this.node.deploy(contract, args) });
  }
}

interface Deployed {
  readonly contract: string;
  readonly abi: Abi;
  readonly vault: Address;
}

type LogRows = readonly CaseRow[];

/** One vault, what was done to it, and what is published about it. */
export class Administration {
  readonly vault: Address;
  readonly calls = new Set<Hex>();
  readonly #world: TimelockWorld;
  readonly #deployed: Deployed;

  constructor(world: TimelockWorld, deployed: Deployed) {
    this.#world = world;
    this.#deployed = deployed;
    this.vault = deployed.vault;
  }

  callOf = (functionName: string, ...args: unknown[]): Hex =>
    encodeFunctionData({ abi: this.#deployed.abi, functionName, args });

  /** Time of the block in which it was done. */
  async do(name: string, ...args: unknown[]): Promise<number> {
    const { node } = this.#world;
    const { blockNumber } = await node.send(this.#deployed.contract, this.vault, name, ...args);
    return Number((await node.client.getBlock({ blockNumber })).timestamp);
  }

  submit(data: Hex): Promise<number> {
    this.calls.add(data);
    return this.do('submit', data);
  }

  /** Submitted and executed at once: its timelock is 0. */
  async set(name: string, ...args: unknown[]): Promise<void> {
    await this.submit(this.callOf(name, ...args));
    await this.do(name, ...args);
  }

  /** False if the contract refuses. */
  isDone(name: string, ...args: unknown[]): Promise<boolean> {
    return this.do(name, ...args).then(
      () => true,
      () => false,
    );
  }

  /** Executed in a block of that second; false if the contract refuses. */
  async execute(at: number, name: string, ...args: unknown[]): Promise<boolean> {
    await this.#world.node.client.setNextBlockTimestamp({ timestamp: BigInt(at) });
    return this.isDone(name, ...args);
  }

  ask<T>(functionName: string, ...args: unknown[]): Promise<T> {
    const { contract } = this.#deployed;
    return contractCall<T>(this.#world.node, { kind: contract, address: this.vault, functionName, args });
  }

  /** What is published, at the second of the newest block or at another one, by change. */
  async changes(now?: number): Promise<ReadonlyMap<string, CaseRow>> {
    await this.compute(await this.logs(), now);
    return this.published();
  }

  async published(): Promise<ReadonlyMap<string, CaseRow>> {
    const rows = await this.#world.models.rows(
      'select * from out.vault_change order by submitted_at, block_number',
    );
    return new Map(rows.map((row) => [String(row['change_key']), row]));
  }

  /** Its logs as the product reads and lands them. */
  async logs(): Promise<LogRows> {
    const { node } = this.#world;
    const head = await readHead(node.rpc, { confirmations: 0 });
    const { rows } = await readVaultLogs(node.rpc, {
      chain: { id: 31_337, read: 'vault_logs', contracts: [this.vault] },
      name: 'anvil',
      window: { partition: { key: '', params: {} }, from: 0, to: head.timestamp, urgency: 'tip' },
      ...{ historyS: DAYS * 86_400, head, state: null, mappings: [], now: () => head.timestamp },
      listed: { feeds: async () => [], vaults: async () => [] },
    });
    const given = (rows as readonly VaultLogRow[]).map((row) => ({
      ...{ ...row, sender_address: null, standing: row.block_hash, source_id: 'node', fetched_at: 1 },
    }));
    return landed(decodedLogs, given);
  }

  async compute(logs: LogRows, now?: number): Promise<void> {
    const { models, node } = this.#world;
    const head = await readHead(node.rpc, { confirmations: 0 });
    await models.fill('landing.vault_log', logs);
    await models.compute(MODELS, now ?? head.timestamp, DAYS);
  }

  /** What the contract states about what waits at the newest block. */
  async stated(
    { kind, held = [] }: { readonly kind: string; readonly held?: readonly string[] },
    before: SubmittedCalls = {},
  ) {
    const { node } = this.#world;
    const head = await readHead(node.rpc, { confirmations: 0 });
    const isLimited = kind === 'morpho_v2';
    const draft = { vault: this.vault, facts: { kind }, holdings: held.map((id) => ({ held: id })) };
    const { value } = await readCalls(node.rpc, { head }, async (ask, rpc) => {
      const submits = await readSubmitted({
        ...{ logs: submitLogs(rpc, head), head: head.number, since: 0, before },
        contracts: new Map(isLimited ? [[this.vault, []]] : []),
        due: new Set([this.vault]),
      });
      return readPending(ask, [draft as unknown as VaultDraft], submits);
    });
    return { head, text: value.byVault.get(this.vault), submitted: value.submitted };
  }

  /** Where logs, as they were computed last, and what the contract states differ. */
  async disputes(
    { head, text }: Pick<Awaited<ReturnType<Administration['stated']>>, 'head' | 'text'>,
    held: readonly string[] = [],
  ) {
    const { models } = this.#world;
    const at = { chain: 'anvil', vault_address: this.vault, observed_at: head.timestamp };
    const day = head.timestamp - (head.timestamp % 86_400);
    await models.fill('obs.vault_state', [
      { ...at, day, block_number: head.number, kind: 'any', pending_getters: text ?? null },
    ]);
    await models.fill(
      'obs.vault_position',
      held.map((one) => ({ ...at, day, held_kind: 'market', held: one, holder_address: this.vault })),
    );
    await models.compute([DISPUTE], head.timestamp, DAYS);
    return models.rows(`select change_key, stated_at, logged_at from ${DISPUTE} order by change_key`);
  }

  /** The newest value of each thing that logs set, by what it is. */
  async values(): Promise<ReadonlyMap<string, string>> {
    const rows = await this.#world.models.rows(
      `select change_key, max_by(change_value, place) as value from obs.vault_log where change_key is not null group by change_key`,
    );
    return new Map(rows.map((row) => [String(row['change_key']), String(row['value']).replaceAll('"', '')]));
  }
}
