// One connection to the event stream, as frames to iterate over. The iteration ends with the connection; follow.ts reconnects.
import { on } from 'node:events';
import { WebSocket } from 'ws';
import type { components } from '../../packages/client/src/api-types.ts';

export type Event = components['schemas']['Event'];

/** With `control=1`, frames with `op` come between the events. */
export type Frame =
  | Event
  | { readonly op: 'hello'; readonly after_event_id: string | null }
  | { readonly op: 'heartbeat'; readonly last_event_id: string | null }
  | { readonly op: 'gap'; readonly from: string }
  | { readonly op: 'error'; readonly code: string };

export interface StreamAccess {
  readonly baseUrl: string;
  readonly key: string;
  /** Exact event types; default: all types. */
  readonly types?: readonly string[];
}

/** An error that a retry does not fix, such as a bad key, plan or parameter. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
}

/** A ping comes every 30 seconds; after two missed pings the connection is dead. */
const SILENCE_MS = 75_000;
const LASTING_STATUSES = new Set([400, 401, 402, 403, 404, 410]);
const LASTING_CODES = new Set([4001, 4003, 4004]);

/** @throws RefusedError. After any other error, or at the end, reconnect. */
export async function* frames(
  access: StreamAccess,
  since: string,
  signal?: AbortSignal,
): AsyncGenerator<Frame> {
  const socket = open(access, since);
  const refusal = refusalOf(socket);
  const silence = setTimeout(() => socket.terminate(), SILENCE_MS);
  socket.on('ping', () => silence.refresh());
  try {
    for await (const [data] of on(socket, 'message', { close: ['close'], ...(signal && { signal }) })) {
      silence.refresh();
      yield JSON.parse(String(data)) as Frame;
    }
  } catch (error) {
    if (signal?.aborted) return;
    throw refusal() ?? error;
  } finally {
    clearTimeout(silence);
    // Terminating a connection that is still opening emits an error.
    socket.on('error', () => undefined).terminate();
  }
  const lasting = refusal();
  if (lasting !== undefined) throw lasting;
}

function open({ baseUrl, key, types = [] }: StreamAccess, since: string): WebSocket {
  const address = new URL('/v2/ws/risk-events', baseUrl.replace(/^http/, 'ws'));
  address.searchParams.set('control', '1');
  address.searchParams.set('since_event_id', since);
  if (types.length > 0) address.searchParams.set('types', types.join(','));
  return new WebSocket(address, { headers: { Authorization: `Bearer ${key}` }, perMessageDeflate: false });
}

/** Returns why the connection was refused permanently; undefined if it was not. */
function refusalOf(socket: WebSocket): () => RefusedError | undefined {
  let refusal: RefusedError | undefined;
  socket.on('unexpected-response', (_, answer) => {
    const status = answer.statusCode ?? 0;
    if (LASTING_STATUSES.has(status)) refusal = new RefusedError(`The stream returned status ${status}.`);
    socket.terminate();
  });
  socket.on('close', (code, reason) => {
    if (LASTING_CODES.has(code)) refusal = new RefusedError(`The stream closed with ${code}: ${reason}.`);
  });
  return () => refusal;
}
