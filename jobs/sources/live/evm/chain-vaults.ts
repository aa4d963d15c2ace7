// Reads the states of vaults and what they hold, all at one block. Kinds are recognised when a vault joins and once a day; caps are read in
// turn; everything else in every reading. The rows are the recording: the responses behind them would fill it within days.
import { type ChainReader, lower, named } from './chain-task.ts';
import { readCalls } from './multicall.ts';
import type { MissingSubject } from '../fetch/recording.ts';
import { readVaultStates, type VaultsState } from './vaults/read-vault-states.ts';
import { type ListState, listVaults } from './vaults/listed-vaults.ts';

/** Calls of storage are cheap; a request of so many takes some ten million gas. */
const LIGHT_BATCH = 1_000;

export const readVaultStateRows: ChainReader = async (rpc, task) => {
  const { chain, head, name } = task;
  const [morpho = ''] = lower(chain.contracts);
  const before = task.state as (VaultsState & ListState) | null;
  const known = chain.directory === undefined ? [] : Object.keys(before?.vaults ?? {});
  const list = await listVaults(rpc, task);
  const vaults = [...new Set([...known, ...list.vaults])];
  const factories = lower(chain.vault_factories);
  const allocator = chain.public_allocator?.toLowerCase() ?? null;
  const { value } = await readCalls(rpc, { head, batch: LIGHT_BATCH }, (ask) =>
    readVaultStates(ask, { morpho, vaults, factories, allocator, before, head, chain: name }),
  );
  const missing: MissingSubject[] = value.missing.map(({ id, why }) => ({ subject: id, reason: why }));
  return {
    rows: named(value.rows),
    exchanges: [],
    missing: [...list.missing, ...missing],
    state: { ...value.state, ...list.state },
  };
};
