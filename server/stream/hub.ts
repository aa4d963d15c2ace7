// Sends every event of the log to every connection that wants it, once and in order. A new client first receives its backlog from the log,
// and joins the live group in the same turn of the event loop in which it has caught up, so there is no gap and no duplicate.
import { LastFault, Semaphore, SingleFlight } from '../../platform/base/tasks.ts';
import type { LoggedEnvelope, ReplayLog } from '../replay/replay-log.ts';
import type { Connection, ConnectionFacts } from './connection.ts';
import { type EventFacts, type EventFilter, filterKey, passes } from './event-filter.ts';
import { type Batch, batchOf, type Frame, textFrame } from './frame.ts';

/** A quarter of a client's queue limit. */
const MAX_EVENTS_AT_ONCE = 250;
const BACKLOG_EVENTS_AT_ONCE = 100;
/** Backlogs read concurrently, each of which holds a page in memory. */
const MAX_READING = 8;
/** Sends per turn of the event loop: about ten milliseconds, after which requests are handled. */
const SENDS_A_TURN = 1_024;
/** During a burst, sending pauses at most this often, and this long, for clients whose queue is half full. */
const SLOW_CLIENT_WAIT = { times: 10, ms: 25 };

export interface HubDeps {
  readonly events: Pick<ReplayLog, 'asOfMs' | 'lastId' | 'envelopes' | 'stretch'>;
  readonly wait: (ms: number) => Promise<void>;
  readonly log: { warn(facts: object, message: string): void };
}

/** A connection as the hub sees it. */
export interface Receiver
  extends Pick<Connection, 'isOpen' | 'isHalfFull' | 'lastId' | 'send' | 'room' | 'close'> {
  readonly facts: Pick<ConnectionFacts, 'after'>;
}

interface Group {
  readonly filter: EventFilter;
  readonly members: Set<Receiver>;
  /** The members as an array, built on demand after a change. */
  list: readonly Receiver[] | undefined;
}

interface LiveEvent extends Frame {
  readonly id: string;
  readonly facts: EventFacts;
}

export class Hub {
  readonly #deps: HubDeps;
  readonly #groups = new Map<string, Group>();
  readonly #groupOf = new Map<Receiver, Group>();
  /** Clients that have seen later events than this process has read, until it catches up. */
  readonly #ahead = new Map<Receiver, () => void>();
  readonly #readers = new Semaphore(MAX_READING);
  /** Last event sent or being sent; undefined before the log is read. */
  #head: string | undefined;
  /** Last event that was sent to all live clients. */
  #settled = '';
  readonly #broadcasting = new SingleFlight(() => this.#broadcastNew());
  readonly #fault = new LastFault();
  #sent = 0;

  constructor(deps: HubDeps) {
    this.#deps = deps;
  }

  /** Id of the last event before new ones, empty if there is none; undefined before the log is read. */
  get head(): string | undefined {
    return this.#head;
  }

  /** Event frames sent since the start. */
  get sent(): number {
    return this.#sent;
  }

  /** Reports that there may be new events. Resolves when all known events have been sent. */
  wake(): Promise<void> {
    return this.#broadcasting.wake();
  }

  /** Sends a client the events that pass its filter, starting after `connection.facts.after`. Resolves when it is live. */
  async follow(connection: Receiver, filter: EventFilter): Promise<void> {
    try {
      let { after } = connection.facts;
      while (connection.isOpen && this.#head !== undefined && after !== this.#head) {
        if (after > this.#head) await this.#waitForNewEvents(connection);
        else after = await this.#catchUp(connection, filter, after);
      }
      if (connection.isOpen) this.#join(connection, filter);
    } catch (error) {
      this.#deps.log.warn({ err: error }, 'the backlog of a stream cannot be read');
      connection.close(1013, 'unavailable: the event log cannot be read now');
    }
  }

  leave(connection: Receiver): void {
    const group = this.#groupOf.get(connection);
    this.#groupOf.delete(connection);
    if (group !== undefined) this.#leaveGroup(connection, group);
    this.#ahead.get(connection)?.();
    this.#ahead.delete(connection);
  }

  /** All events up to this one that the client wants have been sent to it or are in its queue. */
  reachedBy(connection: Receiver): string {
    const { lastId } = connection;
    return this.#groupOf.has(connection) && this.#settled > lastId ? this.#settled : lastId;
  }

  #join(connection: Receiver, filter: EventFilter): void {
    const key = filterKey(filter);
    const group = this.#groups.get(key) ?? { filter, members: new Set(), list: undefined };
    group.members.add(connection);
    group.list = undefined;
    this.#groups.set(key, group);
    this.#groupOf.set(connection, group);
  }

  #leaveGroup(connection: Receiver, group: Group): void {
    group.members.delete(connection);
    group.list = undefined;
    if (group.members.size === 0) this.#groups.delete(filterKey(group.filter));
  }

  async #waitForNewEvents(connection: Receiver): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#ahead.set(connection, resolve);
    });
  }

  async #catchUp(connection: Receiver, filter: EventFilter, after: string): Promise<string> {
    await connection.room();
    return this.#readers.run(async () => {
      const { types, subject } = filter;
      const query = { after, upTo: this.#head ?? after, types, subject, limit: BACKLOG_EVENTS_AT_ONCE };
      const { events, end } = await this.#deps.events.stretch(query);
      const frames = framesFor(filter, events.map(liveEvent));
      if (frames.length > 0) this.#send([connection], batchOf(frames));
      await nextTurn();
      return end;
    });
  }

  async #broadcastNew(): Promise<void> {
    try {
      await this.#broadcastAll();
      this.#fault.clear();
    } catch (error) {
      if (this.#fault.note(error) !== undefined)
        this.#deps.log.warn({ err: error }, 'new events cannot be read for the stream');
    }
  }

  async #broadcastAll(): Promise<void> {
    const { events } = this.#deps;
    if (events.asOfMs === undefined) return;
    this.#head ??= this.#settled = events.lastId ?? '';
    while ((events.lastId ?? '') > this.#head) {
      const page = await events.envelopes(this.#head || undefined, MAX_EVENTS_AT_ONCE);
      if (page.length === 0) return;
      const recipients = await this.#broadcast(page.map(liveEvent));
      if ((events.lastId ?? '') > this.#head) await this.#waitForSlowClients(recipients);
    }
  }

  async #broadcast(events: readonly LiveEvent[]): Promise<readonly Recipients[]> {
    // Clients that join from here on receive these events from the log.
    const recipients = [...this.#groups.values()].map((group) => ({
      filter: group.filter,
      members: membersOf(group),
    }));
    this.#head = events.at(-1)?.id ?? this.#head;
    for (const resume of this.#ahead.values()) resume();
    this.#ahead.clear();
    let steps = 0;
    for (const { filter, members } of recipients) {
      const frames = framesFor(filter, events);
      if (frames.length === 0) continue;
      const batch = batchOf(frames);
      for (let first = 0; first < members.length; first += SENDS_A_TURN) {
        const some = members.slice(first, first + SENDS_A_TURN);
        this.#send(some, batch);
        steps += some.length;
        if (steps < SENDS_A_TURN) continue;
        steps = 0;
        await nextTurn();
      }
    }
    this.#settled = this.#head ?? '';
    return recipients;
  }

  async #waitForSlowClients(recipients: readonly Recipients[]): Promise<void> {
    const isBehind = () => recipients.some(({ members }) => members.some((member) => member.isHalfFull));
    for (let times = 0; times < SLOW_CLIENT_WAIT.times && isBehind(); times++)
      await this.#deps.wait(SLOW_CLIENT_WAIT.ms);
  }

  #send(members: readonly Receiver[], batch: Batch): void {
    for (const member of members) member.send(batch);
    this.#sent += batch.frames.length * members.length;
  }
}

interface Recipients {
  readonly filter: EventFilter;
  readonly members: readonly Receiver[];
}

const membersOf = (group: Group): readonly Receiver[] => {
  group.list ??= [...group.members];
  return group.list;
};

const framesFor = (filter: EventFilter, events: readonly LiveEvent[]): readonly Frame[] =>
  events.filter(({ facts }) => passes(filter, facts));

function liveEvent({ id, bytes }: LoggedEnvelope): LiveEvent {
  return { id, bytes: textFrame(bytes), facts: JSON.parse(bytes.toString()) as EventFacts };
}

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));
