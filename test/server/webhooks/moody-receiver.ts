// A webhook receiver that fails three of ten attempts in one of six ways, checks every signature, and records what it accepted and
// when; and subscriptions for such receivers.
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { expect } from 'vitest';
import { verify } from '../../../examples/webhooks/verify.ts';
import type { OpsStore } from '../../../server/store/store.ts';
import { secretBinding } from '../../../server/store/webhook-store.ts';
import { makeSecret } from '../../../server/webhooks/sign.ts';
import { actorAt, addKey, TEST_SEALER } from '../../support/ops-store.ts';
import { AS_OF_MS } from '../server-fixture.ts';
import { webhookRecord } from '../store/webhook-records.ts';

const FAULT_SHARE = 0.3;
/** From this attempt on a receiver always accepts, so that no delivery is abandoned. */
const SURE_ATTEMPT = 5;

export interface Accepted {
  readonly atMs: number;
  readonly again: number[];
  /** Hash of the body; every repetition must have the same. */
  readonly sha256: string;
}

export class MoodyReceiver {
  readonly accepted = new Map<string, Accepted>();
  readonly secret = makeSecret((bytes) => Buffer.alloc(bytes, 9));
  received = 0;
  readonly #sureAttempt: number;
  readonly #server: Server;

  constructor(sureAttempt = SURE_ATTEMPT) {
    this.#sureAttempt = sureAttempt;
    this.#server = createServer((request, response) => void this.#receive(request, response));
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = Buffer.concat(await request.toArray().catch(() => []));
    const time = Number(/t=(\d+)/.exec(String(request.headers['service-signature']))?.[1]);
    const signature = String(request.headers['service-signature']);
    expect(verify({ body, signature }, [this.secret], time)).toBe('good');
    this.received++;
    const id: string = JSON.parse(body.toString()).event_id;
    const attempt = Number(request.headers['service-delivery-attempt']);
    const chance = hash(`${id} ${attempt} ${this.port}`).readUInt16BE() / 65_536;
    if (attempt < this.#sureAttempt && chance < FAULT_SHARE)
      return fail(request.socket, chance / FAULT_SHARE);
    // A request that arrived while this end of the connection was closing cannot be answered.
    if (request.socket.writableEnded) return;
    this.#accept(id, hash(body).toString('hex'));
    response.writeHead(204).end();
  }

  #accept(id: string, sha256: string): void {
    const before = this.accepted.get(id);
    if (before === undefined) this.accepted.set(id, { atMs: Date.now(), again: [], sha256 });
    else {
      expect(sha256).toBe(before.sha256);
      before.again.push(Date.now());
    }
  }

  listen(): Promise<void> {
    return new Promise((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

const hash = (text: string | Buffer): Buffer => createHash('sha256').update(text).digest();

function fail(socket: Socket, kind: number): void {
  const way = Math.floor(kind * 50);
  // Rare, because it takes as long as an attempt may: no response at all.
  if (way === 0) return;
  if (way < 10) socket.resetAndDestroy();
  else if (way < 20) socket.end();
  else if (way < 30) socket.end('HTTP/1.1 500 Oops\r\nContent-Length: 0\r\n\r\n');
  else if (way < 40) socket.end('HTTP/1.1 503 Later\r\nRetry-After: 30\r\nContent-Length: 0\r\n\r\n');
  else socket.end('HTTP/1.1 204 No Content\r\nContent-Length: nonsense\r\n\r\n');
}

/** Creates subscription `wh_<place>` for each receiver to events of these types, from the first event of the log. */
export async function subscribe(
  store: OpsStore,
  receivers: readonly MoodyReceiver[],
  types: readonly string[],
): Promise<void> {
  await addKey(store, 'team');
  for (const [n, { port, secret }] of receivers.entries()) {
    const id = `wh_${n}`;
    const sealed = TEST_SEALER.seal(Buffer.from(secret), secretBinding(id));
    const url = `http://127.0.0.1:${port}/`;
    const record = webhookRecord({ id, url, events: types, secrets: [{ sealed, ends_ms: null }] });
    await store.webhooks.create(record, actorAt(AS_OF_MS));
  }
  await store.deliveries.enqueue({ cursor: '', revision: await store.webhooks.revision() }, []);
}
