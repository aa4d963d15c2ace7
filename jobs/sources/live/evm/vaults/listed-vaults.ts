// Which vaults a source reads: those that it names, those of its list, and those that the factories that it names have made. Logs of factories
// are read since the last reading, and step by step those before.
import {
  type ContractEvent,
  contractEvent,
  type EncodedLog,
} from '../../../../../platform/base/contract-abi.ts';
import type { MissingSubject } from '../../fetch/recording.ts';
import { type Header, readHead, readHeader } from '../block.ts';
import { ChainFault } from '../chain-fault.ts';
import { type ChainTask, lower } from '../chain-task.ts';
import { readLogWindows } from '../log-windows.ts';
import type { NodeLog } from '../node-log.ts';
import { type Exchange, type Rpc, RpcError } from '../rpc.ts';

/** As declared by the factories of morpho-org/metamorpho, vault-v2 and its adapters. */
const CREATE_FIRST = contractEvent('CreateMetaMorpho', {
  metaMorpho: 'address indexed',
  caller: 'address indexed',
  initialOwner: 'address',
  initialTimelock: 'uint256',
  asset: 'address indexed',
  name: 'string',
  symbol: 'string',
  salt: 'bytes32',
});
const CREATE_SECOND = contractEvent('CreateVaultV2', {
  owner: 'address indexed',
  asset: 'address indexed',
  salt: 'bytes32',
  newVaultV2: 'address indexed',
});
const CREATE_MARKET_ADAPTER = contractEvent('CreateMorphoMarketV1AdapterV2', {
  parentVault: 'address indexed',
  adapter: 'address indexed',
});
const CREATE_VAULT_ADAPTER = contractEvent('CreateMorphoVaultV1Adapter', {
  parentVault: 'address indexed',
  vaultV1: 'address indexed',
  adapter: 'address indexed',
});
const EVENTS: readonly ContractEvent<object>[] = [
  CREATE_FIRST,
  CREATE_SECOND,
  CREATE_MARKET_ADAPTER,
  CREATE_VAULT_ADAPTER,
];

/** Vaults found so far, and the blocks in which they were sought; a JSON value. */
interface FactoryVaults {
  readonly factories: readonly string[];
  /** First and last block that have been read. */
  readonly first: number;
  readonly last: number;
  /** Time of the last block, Unix seconds. */
  readonly read_at: number;
  readonly vaults: readonly string[];
  /** Vault of each adapter that was created for one. */
  readonly adapters: { readonly [adapter: string]: string };
}

interface FactoryTask {
  readonly factories: readonly string[];
  /** The first block that may have a vault. */
  readonly since: number;
  /** A final block. */
  readonly head: Header;
  readonly before: FactoryVaults | null;
}

interface FactoryReading {
  readonly found: FactoryVaults;
  readonly exchanges: readonly Exchange[];
  /** Why vaults that are older than the blocks that were read are not known. */
  readonly missing: readonly MissingSubject[];
}

const EVERY_S = 3_600;
/** Blocks of the past that one reading goes through: about thirty requests where a node takes 20,000 at once. */
const STEP = 200_000;
const SIZES = { first: 10_000, max: 50_000 } as const;

/** @throws ChainFault, RpcError if the newest blocks cannot be read; without older ones, what is known stays */
async function readFactoryLogs(rpc: Rpc, task: FactoryTask): Promise<FactoryReading> {
  const { head, since } = task;
  const before = isSame(task.before?.factories, task.factories) ? task.before : null;
  const exchanges: Exchange[] = [];
  const start: FactoryVaults = before ?? {
    ...{ factories: task.factories, first: head.number + 1, last: head.number, read_at: head.timestamp },
    ...{ vaults: [], adapters: {} },
  };
  const isDue = head.timestamp >= start.read_at + EVERY_S && head.number > start.last;
  const logs = isDue ? await logsIn(rpc, task, { from: start.last + 1, to: head, exchanges }) : [];
  const recent = isDue ? { ...withLogs(start, logs), last: head.number, read_at: head.timestamp } : start;
  if (recent.first <= since) return { found: recent, exchanges, missing: [] };
  const from = Math.max(since, recent.first - STEP);
  try {
    const to = recent.first > head.number ? head : await readHeader(rpc, recent.first - 1);
    const older = await logsIn(rpc, task, { from, to, exchanges });
    const found = { ...withLogs(recent, older), first: from };
    return { found, exchanges, missing: from > since ? [unreadBefore(from, 'not yet read')] : [] };
  } catch (error) {
    if (!(error instanceof RpcError) && !(error instanceof ChainFault)) throw error;
    return { found: recent, exchanges, missing: [unreadBefore(recent.first, error.message)] };
  }
}

const isSame = (a: readonly string[] | undefined, b: readonly string[]): boolean =>
  a !== undefined && a.length === b.length && a.every((one, at) => one === b[at]);

const unreadBefore = (block: number, why: string) => ({
  subject: `vaults created before block ${block}`,
  reason: `the logs of their factories are unknown: ${why}`,
});

async function logsIn(
  rpc: Rpc,
  { factories }: FactoryTask,
  { from, to, exchanges }: { readonly from: number; readonly to: Header; readonly exchanges: Exchange[] },
): Promise<readonly NodeLog[]> {
  const filter = { addresses: factories, topics: [EVENTS.map(({ topic }) => topic)] };
  const logs: NodeLog[] = [];
  for await (const window of readLogWindows(rpc, {
    filter,
    from,
    head: to,
    checkpoint: null,
    sizes: SIZES,
  })) {
    logs.push(...window.logs);
    exchanges.push(...window.exchanges);
  }
  return logs;
}

function withLogs(found: FactoryVaults, logs: readonly NodeLog[]): FactoryVaults {
  const vaults = new Set(found.vaults);
  const adapters = new Map(Object.entries(found.adapters));
  for (const log of logs) {
    const [topic] = log.topics;
    if (topic === CREATE_FIRST.topic) vaults.add(CREATE_FIRST.decodeLog(log).metaMorpho);
    if (topic === CREATE_SECOND.topic) vaults.add(CREATE_SECOND.decodeLog(log).newVaultV2);
    const adapter = adapterIn(log);
    if (adapter !== null) adapters.set(adapter.adapter, adapter.parentVault);
  }
  return { ...found, vaults: [...vaults].sort(), adapters: Object.fromEntries(adapters) };
}

function adapterIn(log: EncodedLog) {
  const [topic] = log.topics;
  if (topic === CREATE_MARKET_ADAPTER.topic) return CREATE_MARKET_ADAPTER.decodeLog(log);
  return topic === CREATE_VAULT_ADAPTER.topic ? CREATE_VAULT_ADAPTER.decodeLog(log) : null;
}

/** The part of the state of a reading that is about its list of vaults. */
export interface ListState {
  readonly factory_vaults?: FactoryVaults;
}

export interface VaultList {
  readonly vaults: readonly string[];
  readonly state: ListState;
  readonly exchanges: readonly Exchange[];
  readonly missing: readonly MissingSubject[];
}

export async function listVaults(rpc: Rpc, task: ChainTask): Promise<VaultList> {
  const { chain, listed } = task;
  const own = lower(chain.vaults ?? (chain.read === 'vault_logs' ? chain.contracts : []));
  const named = [...new Set([...own, ...(await listed.vaults())])];
  const factories = lower(chain.vault_factories);
  if (factories.length === 0) return { vaults: named, state: {}, exchanges: [], missing: [] };
  const { factory_vaults: before = null } = (task.state ?? {}) as ListState;
  const since = chain.since ?? 0;
  if (task.window.urgency === 'history') return pastList(named, { factories, since, before });
  const head = chain.head === 'latest' ? await readHead(rpc, 'finalized') : task.head;
  const { found, exchanges, missing } = await readFactoryLogs(rpc, { factories, since, head, before });
  return {
    vaults: [...new Set([...named, ...found.vaults])],
    state: { factory_vaults: found },
    exchanges,
    missing,
  };
}

/** Of a window of the past, which looks for no vaults: it passes on the state of the present as it was. */
function pastList(
  named: readonly string[],
  { factories, since, before }: Omit<FactoryTask, 'head'>,
): VaultList {
  const found = isSame(before?.factories, factories) ? before : null;
  const missing =
    found === null
      ? [{ subject: 'vaults of factories', reason: 'no reading of the present has looked for them yet' }]
      : found.first > since
        ? [unreadBefore(found.first, 'not yet read')]
        : [];
  const vaults = [...new Set([...named, ...(found?.vaults ?? [])])];
  return { vaults, state: {}, exchanges: [], missing };
}
