// JSON-RPC over the client of all sources, with its budgets and retries. Error messages of the node are kept for callers that interpret
// them.
import type { NetClient } from '../http/client.ts';
import type { Urgency } from '../http/host-gate.ts';
import { NetFault } from '../http/net-fault.ts';
import { headersWith, type Values, withSecrets } from '../http/template.ts';
import type { ReadingSize } from '../fetch/reading-size.ts';
import { ChainFault } from './chain-fault.ts';
import { refusalOf, type Rpc, RpcError } from './rpc.ts';

export interface ChainCalls {
  readonly client: NetClient;
  readonly secrets: Values;
  /** Sent with every call, with the names of secrets. */
  readonly headers: Values;
  readonly urgency: Urgency;
  readonly timeoutMs: number;
  readonly size: ReadingSize;
}

export function chainRpc(
  url: string,
  { client, secrets, headers, urgency, timeoutMs, size }: ChainCalls,
): Rpc {
  let id = 0;
  return async (method, params) => {
    id += 1;
    const request = {
      method: 'POST' as const,
      url: withSecrets(url, secrets),
      headers: headersWith(headers, (text) => withSecrets(text, secrets)),
      body: JSON.stringify({ jsonrpc: '2.0', id, method, params }),
    };
    const expected = { format: 'json', protocol: 'json_rpc' } as const;
    try {
      const response = await size.call(client, { request, expected, timeoutMs, urgency });
      const { text, document } = response.parsed ?? { text: '', document: null };
      return { result: (document as { readonly result?: unknown }).result, body: text };
    } catch (error) {
      throw error instanceof NetFault ? messageOf(error) : error;
    }
  };
}

const JSON_RPC_ERROR = /^JSON-RPC error (-?\d+): (.*?)\.?(?: Correct the request\.)?$/s;

/** The node's own error if it is about the call; otherwise the fault itself. */
function messageOf(fault: NetFault): Error {
  if (fault.kind === 'too_large') return new RpcError('response is too big');
  const [, code, message] = JSON_RPC_ERROR.exec(fault.message) ?? [];
  if (message !== undefined)
    return refusalOf({ message: message }).kind === 'busy' ? fault : new RpcError(message, Number(code));
  const isAboutRange = fault.kind === 'refused' && fault.status === 400 && refusalOf(fault).kind === 'narrow';
  return isAboutRange ? new RpcError(fault.message) : fault;
}

/** Converts an error of a chain to the fault that recordings state. */
export function netFaultOf(error: unknown): unknown {
  if (error instanceof RpcError)
    return new NetFault('refused', `the node refused the call: ${error.message}.`, { cause: error });
  if (!(error instanceof ChainFault)) return error;
  const facts = { cause: error };
  switch (error.kind) {
    case 'ahead':
    case 'moved':
      return new NetFault('server', error.message, facts);
    case 'shape':
    case 'incomplete':
      return new NetFault('content', error.message, facts);
    default:
      return new NetFault('refused', error.message, facts);
  }
}
