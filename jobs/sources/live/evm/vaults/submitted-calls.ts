// Which calls have been submitted to version 2 vaults and to their adapters: contracts state when a call may be executed, but not which calls
// there are. Logs since the last reading are read twice, some hours apart, because nodes sometimes omit logs; those of the past step by step.
import { contractEvent, type EncodedLog } from '../../../../../platform/base/contract-abi.ts';

export const SUBMIT = contractEvent('Submit', {
  selector: 'bytes4 indexed',
  data: 'bytes',
  executableAt: 'uint256',
});
/** Blocks of one step back. */
export const STEP = 50_000;
/** Calls of one contract, and characters of one call. Whoever submits more makes the pending changes of its vault unknown. */
const MAX_CALLS = 200;
const MAX_CHARACTERS = 5_000;

/** What is known about one contract; a JSON value. */
export interface VaultSubmissions {
  readonly vault: string;
  /** The first block whose logs have been read. */
  readonly first: number;
  /** The last blocks of the two newest readings of its logs. */
  readonly last: number;
  readonly previous: number;
  /** Data of the calls that may still wait. */
  readonly calls: readonly string[];
}

export interface SubmittedCalls {
  readonly [contract: string]: VaultSubmissions;
}

interface AddressedLog extends EncodedLog {
  readonly address: string;
}

/** A node refuses logs, or does not have them any more. */
export class UnreadLogs extends Error {
  override readonly name = 'UnreadLogs';
}

/** Logs of submissions to these contracts in these blocks. @throws UnreadLogs */
export type SubmitLogs = (
  addresses: readonly string[],
  range: { readonly from: number; readonly to: number },
) => Promise<readonly AddressedLog[]>;

interface SubmitTask {
  readonly logs: SubmitLogs;
  readonly head: number;
  /** The first block that may have a log. */
  readonly since: number;
  readonly before: SubmittedCalls;
  /** Version 2 vaults with their adapters. */
  readonly contracts: ReadonlyMap<string, readonly string[]>;
  /** Vaults whose logs are read up to the head. */
  readonly due: ReadonlySet<string>;
}

export interface SubmittedReading {
  readonly submitted: SubmittedCalls;
  /** Calls that were not known before, as `contract|data`. */
  readonly fresh: ReadonlySet<string>;
  /** Why logs could not be read; null if they were. */
  readonly unread: string | null;
}

export async function readSubmitted(task: SubmitTask): Promise<SubmittedReading> {
  const start = withJoined(task);
  try {
    const recent = await withRecent(start, task);
    const submitted = await withPast(recent, task);
    const isKnown = ([contract, data]: readonly [string, string]) =>
      start[contract]?.calls.includes(data) === true;
    const fresh = Object.entries(submitted)
      .flatMap(([contract, { calls }]) => calls.map((data) => [contract, data] as const))
      .filter((one) => !isKnown(one));
    return { submitted, fresh: new Set(fresh.map((one) => one.join('|'))), unread: null };
  } catch (error) {
    if (!(error instanceof UnreadLogs)) throw error;
    return { submitted: task.before, fresh: new Set(), unread: error.message };
  }
}

/** The contracts of the vaults; those of vaults that are no longer read are left out, but no adapter that was removed. */
function withJoined({ before, contracts, head }: SubmitTask): SubmittedCalls {
  const kept = Object.entries(before).filter(([, { vault }]) => contracts.has(vault));
  const joined = [...contracts].flatMap(([vault, adapters]) =>
    [vault, ...adapters]
      .filter((contract) => !(contract in before))
      .map((contract): [string, VaultSubmissions] => [
        contract,
        { vault, first: head + 1, last: head, previous: head, calls: [] },
      ]),
  );
  return Object.fromEntries([...kept, ...joined]);
}

async function withRecent(all: SubmittedCalls, { logs, head, due }: SubmitTask): Promise<SubmittedCalls> {
  const own = Object.entries(all).filter(([, { vault, last }]) => due.has(vault) && last < head);
  if (own.length === 0) return all;
  const from = Math.min(...own.map(([, { previous }]) => previous)) + 1;
  const addresses = own.map(([contract]) => contract);
  const found = callsIn(await logs(addresses, { from, to: head }));
  const read = own.map(([contract, one]): [string, VaultSubmissions] => [
    contract,
    { ...withCalls(one, found.get(contract)), last: head, previous: one.last },
  ]);
  return { ...all, ...Object.fromEntries(read) };
}

/** One step back, of the contracts of which least is known. Steps end at the same blocks for all, so that contracts go on together. */
async function withPast(all: SubmittedCalls, { logs, since }: SubmitTask): Promise<SubmittedCalls> {
  const open = Object.entries(all).filter(([, { first }]) => first > since);
  if (open.length === 0) return all;
  const first = Math.max(...open.map(([, one]) => one.first));
  const from = Math.max(since, Math.floor((first - 1) / STEP) * STEP);
  const own = open.filter(([, one]) => one.first === first);
  const addresses = own.map(([contract]) => contract);
  const found = callsIn(await logs(addresses, { from, to: first - 1 }));
  const read = own.map(([contract, one]): [string, VaultSubmissions] => [
    contract,
    { ...withCalls(one, found.get(contract)), first: from },
  ]);
  return { ...all, ...Object.fromEntries(read) };
}

const withCalls = (one: VaultSubmissions, found: readonly string[] = []): VaultSubmissions => ({
  ...one,
  calls: [...new Set([...one.calls, ...found])].slice(0, MAX_CALLS),
});

function callsIn(logs: readonly AddressedLog[]): ReadonlyMap<string, readonly string[]> {
  const calls = logs.map((log) => ({ contract: log.address, data: dataIn(log) }));
  const byContract = Map.groupBy(calls, ({ contract }) => contract);
  return new Map([...byContract].map(([contract, all]) => [contract, all.flatMap(({ data }) => data ?? [])]));
}

/** Null for a log that does not match the declaration, as any contract may write one, and for data that is too long to keep. */
function dataIn(log: EncodedLog): string | null {
  try {
    const { data } = SUBMIT.decodeLog(log);
    return data.length > MAX_CHARACTERS ? null : data;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return null;
  }
}
