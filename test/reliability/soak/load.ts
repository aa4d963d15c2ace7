// Twenty times the usual load: readers, clients of the stream that come and go, and receivers of webhooks. Usual are, by the clock of the
// programs, a request every five seconds, five streams and two webhooks.
import { EVENT_TYPES } from '../../../schemas/events.ts';
import { ReturningClient } from '../../end-to-end/returning-client.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { SoakReaders } from './readers.ts';
import { SoakReceivers } from './receivers.ts';

const TIMES = 20;
const REQUESTS_PER_TICK = 60 * TIMES;
const STREAMS = 5 * TIMES;
const WEBHOOKS = 2 * TIMES;
/** A key may have 50 streams. */
const STREAMS_PER_KEY = 25;
/** Of the clients of the stream, at each tick. */
const LEAVING_SHARE = 0.05;
export const ORGANISATIONS = STREAMS / STREAMS_PER_KEY;

interface Page {
  readonly events: readonly { readonly event_id: string }[];
  readonly next_cursor: string;
}

export class SoakLoad {
  readonly readers: SoakReaders;
  readonly #receivers = new SoakReceivers(WEBHOOKS);
  readonly #clients: ReturningClient[] = [];
  readonly #running: Promise<void>[] = [];
  readonly #url: string;
  readonly #keys: readonly string[];
  readonly #random = seededRandom(1);
  #since = '';

  /** `keys`: one for each organisation. */
  constructor(url: string, keys: readonly string[]) {
    this.#url = url;
    this.#keys = keys;
    this.readers = new SoakReaders(url, { keys, connections: TIMES });
  }

  async start(): Promise<void> {
    await this.#receivers.listen();
    this.#since = (await this.eventIds('')).at(-1) ?? '';
    for (let index = 0; index < WEBHOOKS; index++) await this.#subscribe(index);
    for (let index = 0; index < STREAMS; index++) {
      const key = this.#keyOf(index);
      const client = new ReturningClient({ key, since: this.#since, address: () => this.#url });
      this.#clients.push(client);
      this.#running.push(client.run());
    }
  }

  #keyOf(index: number): string {
    return this.#keys[index % this.#keys.length] ?? '';
  }

  async #subscribe(index: number): Promise<void> {
    const response = await fetch(`${this.#url}/v2/webhooks`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${this.#keyOf(index)}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ url: this.#receivers.url(index), events: EVENT_TYPES }),
    });
    if (response.status !== 201) throw new Error(`webhook: ${response.status} ${await response.text()}`);
  }

  /** The load between two ticks, of which `turn` is the number. */
  async tick(turn: number): Promise<void> {
    for (const client of this.#clients) if (this.#random() < LEAVING_SHARE) client.leave();
    await this.readers.read(REQUESTS_PER_TICK, turn);
  }

  /** Ids of all events after this one. */
  async eventIds(since: string): Promise<readonly string[]> {
    const ids: string[] = [];
    for (let after = since; ; ) {
      const cursor = after === '' ? '' : `&since_event_id=${after}`;
      const response = await fetch(`${this.#url}/v2/events/replay?limit=1000${cursor}`, {
        headers: { Authorization: `Bearer ${this.#keyOf(0)}` },
      });
      const { events, next_cursor: next } = (await response.json()) as Page;
      ids.push(...events.map(({ event_id }) => event_id));
      if (next === '') return ids;
      after = next;
    }
  }

  /** Clients and receivers that do not have exactly the events since the start, each with what it has. */
  async missing(): Promise<readonly string[]> {
    const expected = await this.eventIds(this.#since);
    const wrong = this.#clients.flatMap(({ frames }, index) => {
      const ids = frames.map((frame) => (JSON.parse(frame) as { event_id: string }).event_id);
      return ids.join() === expected.join() ? [] : [`stream ${index}: ${ids.length} of ${expected.length}`];
    });
    const late = this.#receivers.accepted.flatMap((ids, index) => {
      const absent = expected.filter((id) => !ids.has(id)).length;
      return absent === 0 ? [] : [`webhook ${index}: ${absent} of ${expected.length} absent`];
    });
    return [...wrong, ...late];
  }

  get figures() {
    return {
      requests: Object.fromEntries(this.readers.statuses),
      cuts: this.readers.cuts,
      events: Math.max(...this.#clients.map(({ count }) => count)),
      frames: this.#clients.reduce((sum, { count }) => sum + count, 0),
      returns: this.#clients.reduce((sum, { returns }) => sum + returns, 0),
      deliveries: this.#receivers.accepted.reduce((sum, { size }) => sum + size, 0),
      refusals: this.#receivers.refusals,
    };
  }

  async stop(): Promise<void> {
    for (const client of this.#clients) client.stop();
    await Promise.all(this.#running);
    await this.readers.close();
    this.#receivers.stop();
  }
}
