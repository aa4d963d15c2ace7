// A service whose parts are killed at any moment: processes that append and that serve, receivers of webhooks and clients of the stream
// that outlive them, and what all of these have to agree on.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { openLastGood } from '../../snapshots/last-good.ts';
import { eventsAfter } from '../../snapshots/segment.ts';
import { MoodyReceiver, subscribe } from '../server/webhooks/moody-receiver.ts';
import { endProcess } from '../support/end-process.ts';
import { inFolder } from '../support/in-folder.ts';
import { addKey, openTestStore, type TestStore } from '../support/ops-store.ts';
import { type Coming, ReturningClient } from './returning-client.ts';

const SERVER = new URL('../server/webhooks/kill-child.ts', import.meta.url).pathname;
/** How much faster than the real one the clock runs by which webhooks are tried again. */
const SPEED = 2_000;
const RECEIVERS = 2;
const SURE_ATTEMPT = 4;

export interface Logged {
  readonly key: string;
  readonly envelope: string;
}

export class KilledService {
  readonly receivers: readonly MoodyReceiver[];
  readonly clients: ReturningClient[] = [];
  readonly ops: TestStore;
  readonly key: string;
  readonly #dir: string;
  readonly #startMs = Date.now();
  readonly #running: Promise<void>[] = [];
  #server: ChildProcess | undefined;
  url: string | undefined;

  private constructor(dir: string, ops: TestStore, key: string) {
    this.#dir = dir;
    this.ops = ops;
    this.key = key;
    this.receivers = Array.from({ length: RECEIVERS }, () => new MoodyReceiver(SURE_ATTEMPT));
  }

  /** Over the snapshot folder `dir`; receivers want these types. */
  static async create(dir: string, types: readonly string[]): Promise<KilledService> {
    const ops = await openTestStore();
    const limits = { stream_connections: 1_000, requests_per_minute: 10_000_000 };
    const { text } = await addKey(ops.store, 'enterprise', { limits });
    const service = new KilledService(dir, ops, text);
    for (const receiver of service.receivers) await receiver.listen();
    await subscribe(ops.store, service.receivers, types);
    return service;
  }

  connect(coming: Pick<Coming, 'since' | 'type'>): ReturningClient {
    const client = new ReturningClient({ ...coming, key: this.key, address: () => this.url });
    this.clients.push(client);
    this.#running.push(client.run());
    return client;
  }

  /** Posts and frames that came, everywhere. */
  get progress(): number {
    const posts = this.receivers.reduce((sum, { received }) => sum + received, 0);
    return posts + this.clients.reduce((sum, { count }) => sum + count, 0);
  }

  async startServer(): Promise<void> {
    if (this.#server !== undefined) return;
    const args = [SERVER, this.#dir, this.ops.path, String(this.#startMs), String(SPEED)];
    this.#server = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const { stdout } = this.#server;
    if (stdout === null) throw new Error('the server has no output');
    const [port] = await once(createInterface(stdout), 'line');
    this.url = `http://127.0.0.1:${port}`;
  }

  async stopServer(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const server = this.#server;
    this.#server = this.url = undefined;
    if (server !== undefined) await endProcess(server, signal);
  }

  /** The log as it was published, envelope by envelope. */
  async log(): Promise<readonly Logged[]> {
    const { reader, damage } = await openLastGood(inFolder(this.#dir));
    if (reader === null || damage.length > 0)
      throw new Error('nothing whole is published', { cause: damage });
    const logged: Logged[] = [];
    for await (const { key, envelope } of eventsAfter(reader.store, reader.manifest.events.segments, null))
      logged.push({ key, envelope: envelope.toString() });
    return logged;
  }

  /** Every event that replay has, page by page. */
  async replayed(limit: number, since: string): Promise<string> {
    const pages: string[] = [];
    for (let after = since; after !== ''; ) {
      const answer = await fetch(`${this.url}/v2/events/replay?limit=${limit}&since_event_id=${after}`, {
        headers: { Authorization: `Bearer ${this.key}` },
      });
      const text = await answer.text();
      const found = /^\{"events":\[(.*)\],"next_cursor":"([0-9A-Z]*)","window_days":\d+\}$/s.exec(text);
      if (found === null) throw new Error(`replay answered ${answer.status} ${text.slice(0, 200)}`);
      const [, events = '', cursor = ''] = found;
      if (events !== '') pages.push(events);
      after = cursor;
    }
    return pages.join(',');
  }

  async end(): Promise<void> {
    for (const client of this.clients) client.stop();
    await this.stopServer('SIGKILL');
    await Promise.all(this.#running);
    for (const receiver of this.receivers) receiver.stop();
    await this.ops.remove();
  }
}
