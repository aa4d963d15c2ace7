// Reads the states of vaults and what they hold, all at one block. Kinds are recognised when a vault joins and once a day; caps are read in
// turn; everything else in every reading. The rows are the recording: the responses behind them would fill it within days.

import type { MissingSubject } from '../fetch/recording.ts';
import { type Header, readHeader } from './block.ts';
import { ChainFault } from './chain-fault.ts';
import { type ChainReader, lower, named } from './chain-task.ts';
import { readRange } from './log-windows.ts';
import { readCalls } from './multicall.ts';
import type { LogRange, NodeLog } from './node-log.ts';
import { type Rpc, RpcError, refusalOf } from './rpc.ts';
import { type ListState, listVaults } from './vaults/listed-vaults.ts';
import { readVaultStates, type VaultsState } from './vaults/read-vault-states.ts';
import { STEP, SUBMIT, type SubmitLogs, UnreadLogs } from './vaults/submitted-calls.ts';

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
  const { value } = await readCalls(rpc, { head, batch: LIGHT_BATCH }, (ask, recorded) =>
    readVaultStates(ask, {
      ...{ morpho, vaults, factories, allocator, before, head, chain: name },
      submits: { logs: submitLogs(recorded, head), since: chain.since ?? 0 },
    }),
  );
  const missing: MissingSubject[] = value.missing.map(({ id, why }) => ({ subject: id, reason: why }));
  return {
    rows: named(value.rows),
    exchanges: [],
    missing: [...list.missing, ...missing],
    state: { ...value.state, ...list.state },
  };
};

/** Reads logs of submissions; the hash of the head is compared before and after the whole reading. */
export const submitLogs =
  (rpc: Rpc, head: Header): SubmitLogs =>
  async (addresses, { from, to }) => {
    const filter = { addresses, topics: [SUBMIT.topic] };
    const logs: NodeLog[] = [];
    try {
      for (let at = from; at <= to; at += STEP) {
        const last = Math.min(at + STEP - 1, to);
        const top = last === head.number ? head : await readHeader(rpc, last);
        logs.push(...(await logsBetween(rpc, { filter, from: at, to: top })));
      }
      return logs;
    } catch (error) {
      throw isRefusal(error) ? new UnreadLogs(error.message, { cause: error }) : error;
    }
  };

const isRefusal = (error: unknown): error is Error =>
  (error instanceof RpcError && refusalOf(error).kind !== 'busy') ||
  (error instanceof ChainFault && error.kind === 'pruned');

/** In halves where the node refuses the whole. */
async function logsBetween(rpc: Rpc, range: LogRange): Promise<readonly NodeLog[]> {
  const { from, to } = range;
  try {
    return await readRange(rpc, range);
  } catch (error) {
    const isTooLong = error instanceof RpcError && refusalOf(error).kind !== 'busy' && from < to.number;
    if (!isTooLong) throw error;
    const middle = await readHeader(rpc, Math.floor((from + to.number) / 2));
    const first = await logsBetween(rpc, { ...range, to: middle });
    return [...first, ...(await logsBetween(rpc, { ...range, from: middle.number + 1 }))];
  }
}
