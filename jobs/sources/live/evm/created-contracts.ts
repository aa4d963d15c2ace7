// Counts the contracts that a block created, from its traces: those created by contracts are in no transaction and in no receipt.
import { ChainFault } from './chain-fault.ts';
import { numberOf, toHex } from './hex.ts';
import { type Exchange, type Rpc, RpcError, resultOf } from './rpc.ts';

const METHOD = 'trace_block';

/** @throws ChainFault if the node has no traces */
export async function readTraces(rpc: Rpc, number: number): Promise<void> {
  try {
    const { result } = await rpc(METHOD, [toHex(number)]);
    createdIn(result);
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    throw new ChainFault(
      'refused',
      `the node returns no traces of block ${number}: ${error.message}.`,
      error,
    );
  }
}

/** Contracts created in each block whose traces are among the exchanges, by its number. */
export const createdByBlock = (exchanges: readonly Exchange[]): ReadonlyMap<number, number> =>
  new Map(
    exchanges
      .filter(({ method }) => method === METHOD)
      .map((exchange) => [
        numberOf(exchange.params[0], 'the block of a trace'),
        createdIn(resultOf(exchange)),
      ]),
  );

interface Trace {
  readonly type?: unknown;
  readonly error?: unknown;
  readonly transactionHash?: unknown;
  /** Position in the call tree of the transaction. */
  readonly traceAddress?: unknown;
}

/** Number of creations, without those that were undone because their call, or one above it, failed. */
function createdIn(result: unknown): number {
  if (!Array.isArray(result)) throw new ChainFault('shape', 'the traces of a block are not a list.');
  const traces = result as readonly Trace[];
  const failed = new Set(traces.filter(({ error }) => error !== undefined && error !== null).map(positionOf));
  return traces.filter(
    (trace) => trace.type === 'create' && !above(trace).some((location) => failed.has(location)),
  ).length;
}

const pathOf = ({ traceAddress }: Trace): readonly unknown[] => {
  if (!Array.isArray(traceAddress)) throw new ChainFault('shape', 'a trace has no traceAddress.');
  return traceAddress;
};
const positionOf = (trace: Trace): string => `${String(trace.transactionHash)} ${pathOf(trace).join('.')}`;

/** Positions of the trace and of all calls above it. */
const above = (trace: Trace): string[] =>
  [...pathOf(trace), null].map(
    (_, length) => `${String(trace.transactionHash)} ${pathOf(trace).slice(0, length).join('.')}`,
  );
