// Reads the states of vaults and what they hold, all at one block. Kinds are recognised when a vault joins and once a day; caps are read in
// turn; everything else in every reading. The rows are the recording: the responses behind them would fill it within days.
import { type ChainReader, lower, named, vaultsOf } from './chain-task.ts';
import { readCalls } from './multicall.ts';
import type { MissingSubject } from '../fetch/recording.ts';
import { readVaultStates, type VaultsState } from './vaults/read-vault-states.ts';

/** Calls of storage are cheap; a request of so many takes a few million gas. */
const LIGHT_BATCH = 600;

export const readVaultStateRows: ChainReader = async (rpc, task) => {
  const { chain, head, name } = task;
  const [morpho = ''] = lower(chain.contracts);
  const before = task.state as VaultsState | null;
  const known = chain.directory === undefined ? [] : Object.keys(before?.vaults ?? {});
  const vaults = [...new Set([...known, ...(await vaultsOf(task))])];
  const { value } = await readCalls(rpc, { head, batch: LIGHT_BATCH }, (ask) =>
    readVaultStates(ask, { morpho, vaults, before, head, chain: name }),
  );
  const missing: MissingSubject[] = value.missing.map(({ id, why }) => ({ subject: id, reason: why }));
  return { rows: named(value.rows), exchanges: [], missing, state: value.state };
};
