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

// Recognises why a node refuses a range of blocks, from the texts of geth, Erigon, reth, anvil and the public providers. Codes do not help:
// -32602 and -32000 stand for all of these, and one provider documents -32005 but sends -32602.

export interface Refusal {
  /**
   * `narrow`: fewer blocks may do; `ahead`: the node has not seen the end of the range; `pruned`: it no longer has its start; `busy`: too
   * many requests; `other`: unknown, fewer blocks may do.
   */
  readonly kind: 'narrow' | 'ahead' | 'pruned' | 'busy' | 'other';
  /** Blocks that the node says it would accept. */
  readonly size: number | null;
}

const BUSY =
  /rate.?limit|too many requests|compute units per second|capacity exceeded|request count exceeded|throttl|quota|\b429\b/i;
const AHEAD =
  /beyond current head|after last accepted block|from ?block is greater than latest|greater than the current block|block (\S+ )?(is )?not (yet )?(found|available|indexed)|unknown block|one of the blocks specified in filter|toblock.{0,20}(future|ahead)/i;
const PRUNED =
  /pruned|missing trie node|historical state|state (is )?(not |un)available|history (is |has been )?(not |un)available|archive (node|request|data|tier|access)|older than \d+ blocks/i;
const NARROW =
  /block.?range|range (is )?(too|over|exceed|limit)|(too|more) (many|large|wide|big)|exceeds? (the )?(max|limit|range)|max(imum)?( allowed)? (block )?range|max results|more than \d[\d,]* (results|logs)|response (size|is too)|limited to|ranges over|blocks distance|query timeout|timed? ?out|timeout|too (large|wide|big|long)/i;

/** Ranges as texts quote them: `[0x1, 0x7d0]`, `retry with the range 1-500`. */
const HEX_RANGE = /\[\s*(0x[0-9a-f]+)\s*,\s*(0x[0-9a-f]+)\s*\]/i;
const DECIMAL_RANGE = /range:?\s+(\d+)\s*-\s*(\d+)/i;
/** Limits as texts quote them: `up to a 2K block range`, `limited to a 10,000 range`, `maximum block range: 50000`. */
const LIMIT =
  /(?:up to an?|limited to an?|limited to 0 -|maximum(?: allowed)?(?: is| block range:?)?|max(?:imum)? (?:block )?range:?|ranges over)\s*(\d[\d,]*)\s*(k?)\b(?! (?:results|logs))/i;

export function refusalOf(error: { readonly message: string; readonly data?: unknown }): Refusal {
  const message = error.message;
  if (BUSY.test(message)) return { kind: 'busy', size: null };
  const size = sizeNamed(error);
  if (size !== null) return { kind: 'narrow', size };
  if (AHEAD.test(message)) return { kind: 'ahead', size: null };
  if (PRUNED.test(message)) return { kind: 'pruned', size: null };
  return { kind: NARROW.test(message) ? 'narrow' : 'other', size: null };
}

function sizeNamed({ message, data }: { readonly message: string; readonly data?: unknown }): number | null {
  const { from, to } = (data ?? {}) as { readonly from?: unknown; readonly to?: unknown };
  const range =
    HEX_RANGE.exec(message) ??
    DECIMAL_RANGE.exec(message) ??
    (isText(from) && isText(to) ? [null, from, to] : null);
  if (range !== null) return atLeastOne(Number(range[2]) - Number(range[1]) + 1);
  const limit = LIMIT.exec(message);
  if (limit === null) return null;
  return atLeastOne(Number(limit[1]?.replaceAll(',', '')) * (limit[2] === '' ? 1 : 1000));
}

const isText = (value: unknown): value is string => typeof value === 'string';

const atLeastOne = (size: number) => (Number.isSafeInteger(size) && size >= 1 ? size : null);
