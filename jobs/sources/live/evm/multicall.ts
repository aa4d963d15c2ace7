// Many contract calls in one eth_call, through the Multicall3 contract, which has the same address on nearly every chain.
import { type Header, readHeader } from './block.ts';
import { ChainFault } from './chain-fault.ts';
import { AGGREGATE, type Ask, type CallResult, type ContractCall, MULTICALL3 } from './contract-call.ts';
import { bytesOf, toHex } from './hex.ts';
import {
  type BlockRef,
  type Exchange,
  type Rpc,
  RpcError,
  recordingRpc,
  refusalOf,
  resultOf,
} from './rpc.ts';

export interface CallContext {
  readonly block: BlockRef;
  readonly multicall?: string;
  /** Maximum number of calls in one request. */
  readonly batch?: number;
  /** A call that fails without a reason is a valid result: the contract does not have the function. */
  readonly mayRevert?: boolean;
  /** Each call alone, in the name of this account, for contracts that answer only to some. */
  readonly from?: string;
}

const BATCH = 200;

/**
 * Results in the order of the calls. A batch that the node cannot execute is halved. A call that fails without a reason among others is
 * repeated in smaller batches, because it may have run out of gas.
 * A contract that alone uses up what the node allows, as one can do on purpose, has not answered; the others have.
 * @throws ChainFault `pruned` if the block is older than the contract; RpcError for a call that fails alone for another reason
 */
export async function callAll(
  rpc: Rpc,
  calls: readonly ContractCall[],
  context: CallContext,
): Promise<readonly CallResult[]> {
  const { from } = context;
  if (from !== undefined) return Array.fromAsync(calls, (call) => callAs(rpc, call, { ...context, from }));
  const size = context.batch ?? BATCH;
  const results: CallResult[] = [];
  for (let at = 0; at < calls.length; at += size)
    results.push(...(await callBatch(rpc, calls.slice(at, at + size), context)));
  return results;
}

/** A node reports a call that reverts as an error. */
async function callAs(
  rpc: Rpc,
  { target, data }: ContractCall,
  { from, block }: { readonly from: string; readonly block: BlockRef },
): Promise<CallResult> {
  try {
    const { result } = await rpc('eth_call', [{ from, to: target, data }, toHex(block.number)]);
    return { isSuccess: true, data: bytesOf(result, 'the result of a call') };
  } catch (error) {
    if (!(error instanceof RpcError) || !REVERTED.test(error.message)) throw error;
    return { isSuccess: false, data: '0x' };
  }
}

const REVERTED = /revert|invalid opcode|out of gas|execution (failed|error)/i;

async function callBatch(
  rpc: Rpc,
  calls: readonly ContractCall[],
  context: CallContext,
): Promise<readonly CallResult[]> {
  try {
    const results = await callOnce(rpc, calls, context);
    return context.mayRevert === true ? results : await repeatSilent(rpc, { calls, results }, context);
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    const { kind } = refusalOf(error);
    if (kind === 'pruned' || kind === 'ahead')
      throw new ChainFault(
        kind,
        `the node has no state of block ${context.block.number}: ${error.message}.`,
        error,
      );
    if (calls.length === 1 && OUT_OF_GAS.test(error.message)) return [SILENT];
    if (kind === 'busy' || calls.length <= 1) throw error;
    return halves(rpc, calls, context);
  }
}

/** As geth, Erigon, reth, Nethermind and anvil word it. */
const OUT_OF_GAS = /out of gas|outofgas|gas required exceeds|memory limit/i;
const SILENT: CallResult = { isSuccess: false, data: '0x' };

async function halves(rpc: Rpc, calls: readonly ContractCall[], context: CallContext) {
  const middle = Math.ceil(calls.length / 2);
  const first = await callBatch(rpc, calls.slice(0, middle), context);
  return [...first, ...(await callBatch(rpc, calls.slice(middle), context))];
}

async function repeatSilent(
  rpc: Rpc,
  { calls, results }: { readonly calls: readonly ContractCall[]; readonly results: readonly CallResult[] },
  context: CallContext,
): Promise<readonly CallResult[]> {
  const silent = calls.filter(
    (_, index) => results[index]?.isSuccess === false && results[index]?.data === '0x',
  );
  if (silent.length === 0 || calls.length === 1) return results;
  const repeated =
    silent.length < calls.length ? await callBatch(rpc, silent, context) : await halves(rpc, silent, context);
  const again = new Map(silent.map((call, index) => [call, repeated[index]]));
  return results.map((result, index) => again.get(calls[index] as ContractCall) ?? result);
}

async function callOnce(
  rpc: Rpc,
  calls: readonly ContractCall[],
  { block, multicall = MULTICALL3 }: CallContext,
): Promise<readonly CallResult[]> {
  const data = AGGREGATE.encodeCall({
    calls: calls.map((call) => ({ target: call.target, allowFailure: true, callData: call.data })),
  });
  const { result } = await rpc('eth_call', [{ to: multicall, data }, toHex(block.number)]);
  const bytes = bytesOf(result, 'the result of a call');
  if (bytes === '0x')
    throw new ChainFault(
      'pruned',
      `there is no Multicall3 contract at ${multicall} in block ${block.number}.`,
    );
  const results = decoded(bytes);
  if (results.length !== calls.length)
    throw new ChainFault('shape', `${calls.length} calls returned ${results.length} results.`);
  return results;
}

function decoded(bytes: string): CallResult[] {
  try {
    return AGGREGATE.decodeResult(bytes).map(({ success, returnData }) => ({
      isSuccess: success,
      data: returnData,
    }));
  } catch (cause) {
    throw new ChainFault('shape', 'the result of a call cannot be decoded.', cause);
  }
}

/** Every call in the exchanges of a reading with its result, in order. Other exchanges are skipped. */
export function callsIn(
  exchanges: readonly Exchange[],
): { readonly call: ContractCall; readonly result: CallResult }[] {
  return exchanges.flatMap((exchange) => {
    if (exchange.method !== 'eth_call') return [];
    const { to, data } = exchange.params[0] as { readonly to?: string; readonly data: string };
    if (to !== MULTICALL3) return [];
    const results = decoded(bytesOf(resultOf(exchange), 'the result of a call'));
    return (AGGREGATE.decodeCall(data)?.calls ?? []).flatMap(({ target, callData }, index) => {
      const result = results[index];
      return result === undefined ? [] : [{ call: { target, data: callData }, result }];
    });
  });
}

// One reading of contracts at one block: calls through Multicall3, with the block's hash compared before and after.

export interface CallPlan {
  readonly head: Header;
  readonly multicall?: string;
  readonly batch?: number;
}

export interface CallReading<T> {
  readonly head: Header;
  readonly value: T;
  readonly exchanges: readonly Exchange[];
}

/** @throws ChainFault, RpcError */
export async function readCalls<T>(
  node: Rpc,
  plan: CallPlan,
  read: (ask: Ask, rpc: Rpc) => Promise<T>,
): Promise<CallReading<T>> {
  const { rpc, exchanges } = recordingRpc(node);
  const { head, multicall, batch } = plan;
  const context: CallContext = {
    block: head,
    ...(multicall === undefined ? {} : { multicall }),
    ...(batch === undefined ? {} : { batch }),
  };
  const value = await read((calls, options) => callAll(rpc, calls, { ...context, ...options }), rpc);
  const after = await readHeader(rpc, head.number);
  if (after.hash !== head.hash)
    throw new ChainFault('moved', `block ${head.number} changed while contracts were read at it.`);
  return { head, value, exchanges };
}
