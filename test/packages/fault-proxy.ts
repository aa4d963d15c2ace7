// Between a client and a real server: passes requests on, counts them, and answers some itself, as services and networks do on bad days.
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';

export interface ScriptedAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly text?: string;
  /** Announces so many bytes, and breaks the connection after fewer. */
  readonly cut?: number;
}

export interface Faults {
  /** Instead of the server's answers, one after the other. */
  readonly answers?: readonly ScriptedAnswer[];
  /** After those, every time. */
  readonly always?: ScriptedAnswer;
  /** The first connection to the stream breaks after so many bytes. */
  readonly cut_stream_at?: number;
  /** Every connection to the stream is refused with this status. */
  readonly refuse_stream?: number;
}

export interface SeenRequest {
  readonly url: string;
  readonly idempotencyKey: string | undefined;
}

interface Route {
  readonly faults: Faults;
  readonly answers: ScriptedAnswer[];
  readonly seen: SeenRequest[];
  streams: number;
}

const PREFIX = /^\/route-(\d+)(?=\/)/;

export class FaultProxy {
  readonly #target: URL;
  readonly #routes: Route[] = [];
  readonly #sockets = new Set<Duplex>();
  readonly #server: Server;

  private constructor(target: string) {
    this.#target = new URL(target);
    this.#server = createServer((incoming, response) => this.#serve(incoming, response));
    this.#server.on('upgrade', (incoming, socket) => this.#upgrade(incoming, socket));
  }

  static async start(target: string): Promise<FaultProxy> {
    const proxy = new FaultProxy(target);
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  /** An address of its own, with its own faults and counts. */
  route(faults: Faults): { readonly address: string; readonly seen: readonly SeenRequest[] } {
    const { port } = this.#server.address() as AddressInfo;
    const address = `http://127.0.0.1:${port}/route-${this.#routes.length}`;
    const withAddress = (text: string): Faults => JSON.parse(text.replaceAll('$address', address));
    const own = withAddress(JSON.stringify(faults));
    const route = { faults: own, answers: [...(own.answers ?? [])], seen: [], streams: 0 };
    this.#routes.push(route);
    return { address, seen: route.seen };
  }

  stop(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #routeOf({ url = '' }: IncomingMessage): { readonly route: Route; readonly url: string } {
    const number = Number(PREFIX.exec(url)?.[1]);
    const route = this.#routes[number];
    if (route === undefined) throw new Error(`There is no route for ${url}.`);
    return { route, url: url.replace(PREFIX, '') };
  }

  #serve(incoming: IncomingMessage, response: ServerResponse): void {
    const { route, url } = this.#routeOf(incoming);
    const key = incoming.headers['x-idempotency-key'];
    route.seen.push({ url, idempotencyKey: typeof key === 'string' ? key : undefined });
    const scripted = route.answers.shift() ?? route.faults.always;
    if (scripted === undefined) this.#pass(incoming, response, url);
    else answer(response, scripted);
  }

  #pass(incoming: IncomingMessage, response: ServerResponse, url: string): void {
    const { hostname, port } = this.#target;
    const { method, headers } = incoming;
    const passed = request({ hostname, port, path: url, method, headers }, (served) => {
      response.writeHead(served.statusCode ?? 500, served.headers);
      served.pipe(response);
    });
    passed.on('error', () => response.destroy());
    incoming.pipe(passed);
  }

  #upgrade(incoming: IncomingMessage, socket: Duplex): void {
    const { route, url } = this.#routeOf(incoming);
    route.streams += 1;
    const { refuse_stream, cut_stream_at } = route.faults;
    if (refuse_stream !== undefined) {
      socket.end(`HTTP/1.1 ${refuse_stream} Refused\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`);
      return;
    }
    const server = connect(Number(this.#target.port), this.#target.hostname);
    for (const one of [socket, server]) {
      this.#sockets.add(one);
      one.on('error', () => undefined);
      one.on('close', () => [socket, server].map((other) => other.destroy()));
    }
    server.write(headOf(incoming, url));
    socket.pipe(server);
    const limit = route.streams === 1 ? cut_stream_at : undefined;
    if (limit === undefined) server.pipe(socket);
    else passUpTo(limit, server, socket);
  }
}

function answer(response: ServerResponse, { status = 200, headers, json, text, cut }: ScriptedAnswer): void {
  const body = text ?? (json === undefined ? '' : JSON.stringify(json));
  const length = cut ?? Buffer.byteLength(body);
  response.writeHead(status, {
    ...(body !== '' && { 'Content-Type': 'application/json' }),
    'Content-Length': length,
    ...headers,
  });
  response.write(body, () => (cut === undefined ? response.end() : response.destroy()));
}

function headOf({ method, rawHeaders }: IncomingMessage, url: string): string {
  const lines = Array.from({ length: rawHeaders.length / 2 }, (_, n) => {
    return `${rawHeaders[2 * n]}: ${rawHeaders[2 * n + 1]}\r\n`;
  });
  return `${method} ${url} HTTP/1.1\r\n${lines.join('')}\r\n`;
}

function passUpTo(limit: number, from: Socket, to: Duplex): void {
  let passed = 0;
  from.on('data', (chunk: Buffer) => {
    const part = chunk.subarray(0, limit - passed);
    passed += part.length;
    to.write(part, () => passed >= limit && to.destroy());
  });
}
