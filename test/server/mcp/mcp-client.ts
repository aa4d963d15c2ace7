// Requests to `/mcp` as clients of both eras send them.
import type { RunningServer } from '../../../server/deps.ts';

export const MODERN = '2026-07-28';

export interface Sent {
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A request of the stateless revision. */
export function modern(
  server: Pick<RunningServer, 'url'>,
  method: string,
  params: object = {},
  sent: Sent = {},
) {
  const name = (params as { name?: string }).name;
  const meta = {
    'io.modelcontextprotocol/protocolVersion': MODERN,
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  return post(server, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } }), {
    ...sent,
    headers: {
      'MCP-Protocol-Version': MODERN,
      'Mcp-Method': method,
      ...(name !== undefined && { 'Mcp-Name': name }),
      ...sent.headers,
    },
  });
}

export function post(
  { url }: Pick<RunningServer, 'url'>,
  body: string | undefined,
  { key, headers = {} }: Sent = {},
  method = 'POST',
): Promise<Response> {
  return fetch(`${url}/mcp`, {
    method,
    ...(body !== undefined && { body }),
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      ...(key !== undefined && { Authorization: `Bearer ${key}` }),
      ...headers,
    },
  });
}

export interface ToolResult {
  readonly isError?: boolean;
  readonly content: readonly { readonly type: string; readonly text: string }[];
  readonly structuredContent?: {
    readonly as_of: string;
    readonly version: string;
    readonly data: unknown;
    readonly meta: Readonly<Record<string, unknown>>;
    readonly cursor: string | null;
    readonly link: string;
    readonly provenance: { readonly quality_gate: string } | null;
  };
}

export async function callTool(
  server: Pick<RunningServer, 'url'>,
  name: string,
  args: object = {},
  sent: Sent = {},
): Promise<ToolResult> {
  const response = await modern(server, 'tools/call', { name, arguments: args }, sent);
  const body = (await response.json()) as { result?: ToolResult; error?: object };
  if (body.result === undefined) throw new Error(JSON.stringify(body.error));
  return body.result;
}

/** The error inside the text of a failed call. */
export function errorIn(result: ToolResult): { readonly code: string; readonly message: string } {
  if (result.isError !== true) throw new Error(`${JSON.stringify(result)} is no error`);
  const { error } = JSON.parse(result.content[0]?.text ?? '{}') as {
    error: { code: string; message: string };
  };
  return error;
}
