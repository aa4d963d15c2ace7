// Rows of the raw table `vault_log` from logs as nodes return them, and from logs that a reorganisation removed.
import type { NodeLog } from './node-log.ts';
import type { AdapterParents } from './vaults/vault-adapters.ts';

export interface VaultLogRow {
  readonly chain: string;
  readonly vault_address: string;
  /** The adapter that wrote the log; null for the vault itself. */
  readonly contract_address: string | null;
  readonly block_number: number;
  readonly block_hash: string;
  readonly block_timestamp: number;
  readonly tx_hash: string;
  readonly log_index: number;
  readonly topic0: string | null;
  readonly topic1: string | null;
  readonly topic2: string | null;
  readonly topic3: string | null;
  readonly data: string;
  readonly is_removed: boolean;
  readonly removed_at: number | null;
}

export const vaultLogRow = (
  chain: string,
  log: NodeLog,
  {
    time,
    removedAt = null,
    adapters = {},
  }: { readonly time: number; readonly removedAt?: number | null; readonly adapters?: AdapterParents },
): VaultLogRow => ({
  chain,
  vault_address: adapters[log.address] ?? log.address,
  contract_address: log.address in adapters ? log.address : null,
  block_number: log.blockNumber,
  block_hash: log.blockHash,
  block_timestamp: time,
  tx_hash: log.transactionHash,
  log_index: log.logIndex,
  topic0: log.topics[0] ?? null,
  topic1: log.topics[1] ?? null,
  topic2: log.topics[2] ?? null,
  topic3: log.topics[3] ?? null,
  data: log.data,
  is_removed: removedAt !== null,
  removed_at: removedAt,
});
