// One reading of contracts at one block: calls through Multicall3, with the block's hash compared before and after.
import { type Header, readHeader } from './block.ts';
import { ChainFault } from './chain-fault.ts';
import type { Ask } from './contract-call.ts';
import { type CallContext, callAll } from './multicall.ts';
import { type Exchange, type Rpc, recordingRpc } from './rpc.ts';

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
  read: (ask: Ask) => Promise<T>,
): Promise<CallReading<T>> {
  const { rpc, exchanges } = recordingRpc(node);
  const { head, multicall, batch } = plan;
  const context: CallContext = {
    block: head,
    ...(multicall === undefined ? {} : { multicall }),
    ...(batch === undefined ? {} : { batch }),
  };
  const value = await read((calls, options) => callAll(rpc, calls, { ...context, ...options }));
  const after = await readHeader(rpc, head.number);
  if (after.hash !== head.hash)
    throw new ChainFault('moved', `block ${head.number} changed while contracts were read at it.`);
  return { head, value, exchanges };
}
