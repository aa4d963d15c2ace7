// A real HTTP server with scripted responses: recorded bodies byte for byte, headers, limits, slow and truncated bodies, redirects.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface Reply {
  readonly status?: number;
  readonly headers?: { readonly [name: string]: string };
  readonly body?: string | Buffer;
  /** Number of bytes of the body to send before closing the connection. */
  readonly cutAt?: number;
  readonly delayMs?: number;
  /** Send the body in small pieces, with this many milliseconds between them. */
  readonly dripMs?: number;
  /** Accept the request and never respond. */
  readonly isSilent?: boolean;
  /** Close the connection without a response. */
  readonly isBroken?: boolean;
}

export interface ReplayServer {
  readonly address: string;
  readonly asked: readonly Asked[];
  close(): Promise<void>;
}

export async function replayServer(reply: (asked: Asked, count: number) => Reply): Promise<ReplayServer> {
  const asked: Asked[] = [];
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      const one = { method, path: url, headers, body: Buffer.concat(chunks).toString('utf8') };
      asked.push(one);
      send(response, reply(one, asked.length));
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return {
    address: `http://127.0.0.1:${port}`,
    asked,
    close: () =>
      new Promise((done) => {
        server.closeAllConnections();
        server.close(() => done());
      }),
  };
}

function send(response: ServerResponse, reply: Reply): void {
  const { status = 200, headers = {}, body = '', cutAt, delayMs = 0, dripMs, isSilent, isBroken } = reply;
  if (isBroken === true) response.destroy();
  if (isSilent === true || isBroken === true) return;
  const bytes = Buffer.from(body);
  response.sendDate = false;
  setTimeout(() => {
    response.writeHead(status, {
      'content-type': 'application/json',
      ...headers,
      'content-length': bytes.length,
    });
    if (dripMs !== undefined) drip(response, bytes, dripMs);
    else if (cutAt === undefined) response.end(bytes);
    else response.write(bytes.subarray(0, cutAt), () => response.destroy());
  }, delayMs);
}

const DROP_BYTES = 8;

function drip(response: ServerResponse, bytes: Buffer, pauseMs: number): void {
  let sent = 0;
  const timer = setInterval(() => {
    response.write(bytes.subarray(sent, sent + DROP_BYTES));
    sent += DROP_BYTES;
    if (sent < bytes.length && !response.destroyed) return;
    clearInterval(timer);
    response.end();
  }, pauseMs);
}

export const json = (value: unknown, headers: Reply['headers'] = {}): Reply => ({
  body: JSON.stringify(value),
  headers: { 'content-type': 'application/json', ...headers },
});
