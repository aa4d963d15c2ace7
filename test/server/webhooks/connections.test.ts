import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ConnectionPool, Exchange, type Outcome } from '../../../server/webhooks/send.ts';

const REQUEST = { method: 'POST', path: '/', headers: [], body: Buffer.from('{}') } as const;

/** Responds on command; `sockets` counts connections. */
class HeldReceiver {
  readonly held: ServerResponse[] = [];
  sockets = 0;
  #release: (() => void) | undefined;
  readonly #server = createServer((request, response) => {
    request.resume();
    this.held.push(response);
    this.#release?.();
  }).on('connection', () => this.sockets++);

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async next(): Promise<ServerResponse> {
    for (;;) {
      const response = this.held.shift();
      if (response !== undefined) return response;
      await new Promise<void>((resolve) => {
        this.#release = resolve;
      });
    }
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

let receiver: HeldReceiver;
let origin: string;
beforeEach(async () => {
  receiver = new HeldReceiver();
  origin = await receiver.start();
});
afterEach(() => receiver.stop());

function begin(connections: ConnectionPool): { exchange: Exchange; outcome: Promise<Outcome> } {
  const { promise: outcome, resolve } = Promise.withResolvers<Outcome>();
  const exchange = new Exchange(Date.now, resolve);
  connections.send(REQUEST, exchange);
  return { exchange, outcome };
}

const connectionsOf = (max: number) => new ConnectionPool({ origin, max, client: {} });

test('a connection is reused once its exchange has ended, and another is opened only while it is busy', async () => {
  const connections = connectionsOf(8);
  for (let time = 0; time < 3; time++) {
    const { outcome } = begin(connections);
    (await receiver.next()).end();
    await outcome;
  }
  expect([receiver.sockets, connections.isUsed]).toEqual([1, false]);
  const both = [begin(connections), begin(connections)];
  for (const _ of both) (await receiver.next()).end();
  await Promise.all(both.map(({ outcome }) => outcome));
  expect([receiver.sockets, connections.isUsed]).toEqual([2, false]);
  connections.close();
});

test('exchanges without a connection wait their turn, except those already ended', async () => {
  const connections = connectionsOf(1);
  const [first, second, third] = [begin(connections), begin(connections), begin(connections)];
  const response = await receiver.next();
  second.exchange.expire(1);
  response.end();
  (await receiver.next()).writeHead(202).end();
  expect((await first.outcome).status).toBe(200);
  expect((await second.outcome).error?.code).toBe('timeout');
  expect((await third.outcome).status).toBe(202);
  expect([receiver.sockets, receiver.held.length]).toEqual([1, 0]);
  connections.close();
});

test('a connection whose exchange timed out makes room for another', async () => {
  const connections = connectionsOf(1);
  const slow = begin(connections);
  await receiver.next();
  slow.exchange.expire(1);
  expect(connections.isUsed).toBe(false);
  const { outcome } = begin(connections);
  (await receiver.next()).end();
  expect((await outcome).status).toBe(200);
  expect(receiver.sockets).toBe(2);
  connections.close();
});

test('closing fails the exchanges in progress and those waiting', async () => {
  const connections = connectionsOf(1);
  const [first, second] = [begin(connections), begin(connections)];
  await receiver.next();
  connections.close();
  const outcomes = await Promise.all([first.outcome, second.outcome]);
  expect(outcomes.map(({ status }) => status)).toEqual([null, null]);
  expect(receiver.held).toHaveLength(0);
});
