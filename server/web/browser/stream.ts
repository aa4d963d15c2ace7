// Follows the event stream and resumes with the last id after an interruption.
import type { RiskEvent } from './api-shapes.ts';
import { randomShare } from './environment.ts';

const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 30_000;
/** Longer than two heartbeats. */
const SILENCE_MS = 75_000;
/** Reconnecting with the same key would fail again. */
const FINAL_CODES = new Set([4001, 4003]);
/** `since_event_id` is older than the window, or invalid: restart without it. */
const WRONG_START = 4004;

export type StreamState = 'connecting' | 'live' | 'waiting' | 'refused';

interface Follower {
  readonly key: string;
  /** Events after this id. */
  readonly since?: string | undefined;
  /** Called with each envelope once, in order. */
  readonly onEvent: (event: RiskEvent) => void;
  readonly onState: (state: StreamState, text: string) => void;
}

interface Frame extends RiskEvent {
  readonly op?: string;
  readonly after_event_id?: string | null;
  readonly last_event_id?: string | null;
  readonly from?: string;
}

/** Returns a function that stops following. */
export function followStream(follower: Follower): () => void {
  const stream = new EventStream(follower);
  stream.connect();
  return () => stream.stop();
}

class EventStream {
  readonly #follower: Follower;
  #last: string | undefined;
  #pauseMs = FIRST_PAUSE_MS;
  #isStopped = false;
  #socket: WebSocket | undefined;
  #timer: number | undefined;
  #silence: number | undefined;

  constructor(follower: Follower) {
    this.#follower = follower;
    this.#last = follower.since;
  }

  connect(): void {
    this.#follower.onState('connecting', 'Connecting…');
    const socket = new WebSocket(addressOf(this.#follower.key, this.#last));
    socket.onmessage = ({ data }: MessageEvent<string>) => this.#receive(JSON.parse(data) as Frame);
    socket.onclose = (event) => this.#closed(event);
    this.#socket = socket;
    this.#expectMore();
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#silence);
    this.#socket?.close();
  }

  #receive(frame: Frame): void {
    if (this.#isStopped) return;
    this.#expectMore();
    if (frame.op === undefined) {
      this.#last = frame.event_id;
      this.#follower.onEvent(frame);
    } else if (frame.op === 'hello') {
      this.#pauseMs = FIRST_PAUSE_MS;
      this.#last ??= frame.after_event_id ?? undefined;
      this.#follower.onState('live', 'Live');
    } else if (frame.op === 'heartbeat') {
      const { last_event_id: newest } = frame;
      if (newest && (this.#last === undefined || newest > this.#last)) this.#last = newest;
    } else if (frame.op === 'gap') {
      this.#follower.onState('live', `Live; events before ${frame.from} are outside the replay window`);
    }
  }

  /** A connection can be lost without a close event. */
  #expectMore(): void {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => {
      if (this.#socket !== undefined) {
        this.#socket.onclose = null;
        this.#socket.onmessage = null;
        this.#socket.close();
      }
      this.#closed({ code: 1006, reason: '' });
    }, SILENCE_MS);
  }

  #closed({ code, reason }: { readonly code: number; readonly reason: string }): void {
    clearTimeout(this.#silence);
    if (this.#isStopped) return;
    if (FINAL_CODES.has(code)) {
      this.#follower.onState('refused', reason || `Refused with ${code}`);
      return;
    }
    if (code === WRONG_START) this.#last = undefined;
    const why = reason === '' ? '' : ` (${reason.split(':', 1)[0]})`;
    this.#follower.onState(
      'waiting',
      `Connection lost${why}; reconnecting in ${Math.round(this.#pauseMs / 1_000)} s`,
    );
    // Spreads the reconnections of clients that were disconnected at the same time.
    this.#timer = setTimeout(() => this.connect(), this.#pauseMs * (0.75 + randomShare() / 2));
    this.#pauseMs = Math.min(2 * this.#pauseMs, MAX_PAUSE_MS);
  }
}

function addressOf(key: string, since: string | undefined): URL {
  const address = new URL('/v2/ws/risk-events', location.href);
  address.protocol = location.protocol === 'https:' ? 'wss:' : 'ws:';
  address.searchParams.set('token', key);
  address.searchParams.set('control', '1');
  if (since !== undefined) address.searchParams.set('since_event_id', since);
  return address;
}
