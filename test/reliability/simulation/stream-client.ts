// A client of the stream: connects to any server that runs, loses its connection now and then with whatever is on its way, and resumes after
// the last event that it has received.
import { EventEmitter } from 'node:events';
import type { Batch } from '../../../server/stream/frame.ts';
import type { Receiver } from '../../../server/stream/hub.ts';
import { OutQueue, type OutSocket } from '../../../server/stream/out-queue.ts';
import type { Life, Scheduler } from './scheduler.ts';
import type { Server } from './server-host.ts';

const BUFFER_BYTES = 2_000;
const PAUSE_MS = 400;
const HEAD_BYTES = { short: 2, long: 4 } as const;
const TWO_BYTES_FOLLOW = 126;

/** A socket whose bytes arrive in pieces, when the scheduler says so. */
class SimulatedSocket extends EventEmitter {
  #sent: Buffer[] = [];
  readonly #scheduler: Scheduler;
  readonly #life: Life;
  readonly #receive: (bytes: Buffer) => void;
  isCut = false;

  constructor(scheduler: Scheduler, life: Life, receive: (bytes: Buffer) => void) {
    super();
    this.#scheduler = scheduler;
    this.#life = life;
    this.#receive = receive;
  }

  get writableLength(): number {
    return this.#sent.reduce((sum, { length }) => sum + length, 0);
  }

  write(bytes: Buffer): boolean {
    if (this.isCut) return true;
    this.#sent.push(bytes);
    if (this.#sent.length === 1) void this.#carry();
    return this.writableLength < BUFFER_BYTES;
  }

  cork(): void {}
  uncork(): void {}

  async #carry(): Promise<void> {
    while (this.#sent.length > 0 && !this.isCut) {
      await this.#scheduler.call(this.#life, 'stream bytes', () => {
        const [next] = this.#sent;
        if (next === undefined || this.isCut) return;
        const count = Math.max(1, Math.ceil(next.length * this.#scheduler.random()));
        this.#receive(next.subarray(0, count));
        if (count === next.length) this.#sent.shift();
        else this.#sent[0] = next.subarray(count);
      });
      if (this.writableLength < BUFFER_BYTES) this.emit('drain');
    }
  }
}

export interface ClientFlaws {
  /** Resumes after what the server has sent instead of what has arrived. */
  readonly resumesAfterSent?: boolean;
}

export interface ClientWorld {
  readonly scheduler: Scheduler;
  readonly servers: () => readonly Server[];
  readonly isCut: () => boolean;
  readonly flaws: ClientFlaws;
}

export class StreamClient {
  /** Ids of the events received, in order. */
  readonly ids: string[] = [];
  readonly #world: ClientWorld;
  readonly #life: Life;
  #lastSent = '';

  constructor(life: Life, world: ClientWorld) {
    this.#life = life;
    this.#world = world;
    void this.#run();
  }

  async #run(): Promise<void> {
    const { scheduler, servers } = this.#world;
    for (;;) {
      const server = scheduler.pick(servers().filter(({ hub }) => hub.head !== undefined));
      if (server !== undefined) await this.#stayWith(server);
      await scheduler.wait(this.#life, PAUSE_MS);
    }
  }

  async #stayWith(server: Server): Promise<void> {
    const { scheduler, isCut, flaws } = this.#world;
    let buffer: Buffer = Buffer.alloc(0);
    const socket = new SimulatedSocket(scheduler, server.life, (bytes) => {
      buffer = this.#take(Buffer.concat([buffer, bytes]));
    });
    const after = flaws.resumesAfterSent ? this.#lastSent : (this.ids.at(-1) ?? '');
    const receiver = receiverOf(socket, after);
    void server.hub.follow(receiver, FILTER);
    while (server.life.isAlive && receiver.isOpen && !isCut()) await scheduler.wait(this.#life, PAUSE_MS);
    socket.isCut = true;
    this.#lastSent = receiver.lastId;
    server.hub.leave(receiver);
  }

  /** Reads whole frames, and returns the rest. */
  #take(bytes: Buffer): Buffer {
    let rest = bytes;
    for (;;) {
      const [, short = 0] = rest;
      const head = short === TWO_BYTES_FOLLOW ? HEAD_BYTES.long : HEAD_BYTES.short;
      if (rest.length < head) return rest;
      const length = short === TWO_BYTES_FOLLOW ? rest.readUInt16BE(2) : short;
      if (rest.length < head + length) return rest;
      const { event_id } = JSON.parse(rest.subarray(head, head + length).toString()) as { event_id: string };
      this.ids.push(event_id);
      rest = rest.subarray(head + length);
    }
  }
}

const FILTER = {
  types: undefined,
  severities: undefined,
  subject: undefined,
  chain: undefined,
  protocol: undefined,
};

function receiverOf(socket: SimulatedSocket, after: string): Receiver {
  const queue = new OutQueue(socket as unknown as OutSocket, after);
  let isClosed = false;
  const isOpen = () => !isClosed && !socket.isCut;
  const close = () => {
    isClosed = true;
    queue.clear();
  };
  return {
    facts: { after },
    get isOpen() {
      return isOpen();
    },
    get isHalfFull() {
      return queue.isHalfFull;
    },
    get lastId() {
      return queue.lastId;
    },
    send(batch: Batch) {
      if (isOpen() && !queue.add(batch)) close();
    },
    room: () => (isOpen() ? queue.room() : Promise.resolve()),
    close,
  };
}
