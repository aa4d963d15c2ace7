// What the readers of chains need from a node: one call with its result and the exact text of the response. Implementations add budgets and
// retries.

export interface BlockRef {
  readonly number: number;
  readonly hash: string;
}

export interface RpcResponse {
  readonly result: unknown;
  /** Exact text of the response. */
  readonly body: string;
}

/** @throws RpcError for an error that the node returns; anything else for a node that cannot be reached. */
export type Rpc = (method: string, params: readonly unknown[]) => Promise<RpcResponse>;

/** An error as a node words it. Its code means little: providers use the same codes for different reasons. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: number | null;
  readonly data: unknown;

  constructor(message: string, code: number | null = null, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** One call with the exact text of its response. */
export interface Exchange {
  readonly method: string;
  readonly params: readonly unknown[];
  readonly body: string;
}

/** A transport that remembers its exchanges, in order. Calls that fail are not remembered. */
export function recordingRpc(rpc: Rpc): { readonly rpc: Rpc; readonly exchanges: Exchange[] } {
  const exchanges: Exchange[] = [];
  return {
    exchanges,
    rpc: async (method, params) => {
      const response = await rpc(method, params);
      exchanges.push({ method, params, body: response.body });
      return response;
    },
  };
}

/** The result inside the exact text of a response. */
export const resultOf = ({ body }: Pick<Exchange, 'body'>): unknown =>
  (JSON.parse(body) as { readonly result?: unknown }).result;
