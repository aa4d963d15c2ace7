// Follows risk events without missing or repeating any: over the stream, and by replay while the stream is unavailable. Uses the platform's
// own WebSocket.
import type { Event } from './api-types.ts';
import { ApiError, GapError, InvalidAnswerError, RefusedError } from './errors.ts';
import { pause } from './retry.ts';
import { type Frame, framesOf, type OpenSocket } from './stream-frames.ts';

/** What options needs of the client. */
export interface EventLog {
  readonly baseUrl: string;
  readonly key: string | undefined;
  latestEventId(): Promise<string>;
  events(
    query: { readonly since_event_id: string },
    control: { readonly signal: AbortSignal | undefined },
  ): AsyncIterable<Event>;
}

export interface FollowOptions {
  /** Events after this id; default: from now on. Store the id of the last event you have processed. */
  readonly since?: string;
  /** Exact event types; default: all types. */
  readonly types?: readonly string[];
  readonly signal?: AbortSignal;
  /** Milliseconds before the n-th attempt in a row; by default from one second to half a minute. */
  readonly pauseMs?: (failures: number) => number;
  /** Called with changes of the connection, for a log. */
  readonly log?: (line: string) => void;
  /** Called when events are lost because they are no longer kept; without it, the iteration ends with a GapError. */
  readonly onGap?: (gap: GapError) => void;
  readonly openSocket?: OpenSocket;
}

const usualPauseMs = (failures: number) =>
  Math.min(30_000, 1_000 * 2 ** failures) * (0.5 + Math.random() / 2);
const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Every event once, in order. @throws GapError, and RefusedError or ApiError if a retry would not help */
export async function* follow(eventLog: EventLog, options: FollowOptions = {}): AsyncGenerator<Event> {
  const { signal, pauseMs = usualPauseMs, log = () => undefined } = options;
  const position = { last: options.since ?? (await eventLog.latestEventId()) };
  for (let failures = 0; !signal?.aborted; failures++) {
    try {
      for await (const event of streamed(eventLog, options, position)) {
        failures = 0;
        yield event;
      }
      log('The stream ended.');
    } catch (error) {
      if (error instanceof GapError || error instanceof RefusedError) throw error;
      log(`No stream: ${textOf(error)}`);
    }
    if (signal?.aborted) return;
    try {
      yield* missed(eventLog, options, position);
    } catch (error) {
      if (signal?.aborted) return;
      if (error instanceof InvalidAnswerError || isLasting(error, options)) throw error;
      log(`No replay: ${textOf(error)}`);
    }
    await pause(pauseMs(failures), signal);
  }
}

/** Whether replay would be refused again: the key, the plan or the parameters are wrong. The stream reports a gap, and goes on behind it. */
function isLasting(error: unknown, { onGap }: FollowOptions): boolean {
  if (!(error instanceof ApiError) || error.status >= 500 || error.status === 429) return false;
  return error.code !== 'REPLAY_WINDOW_EXPIRED' || onGap === undefined;
}

const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** The smallest event id at a time. Ids start with the time of appending. */
export function firstIdAt(unixMs: number): string {
  let digits = '';
  for (let rest = unixMs; digits.length < 10; rest = Math.floor(rest / 32))
    digits = DIGITS[rest % 32] + digits;
  return digits + '0'.repeat(16);
}

interface Position {
  last: string;
}

async function* streamed(
  eventLog: EventLog,
  options: FollowOptions,
  position: Position,
): AsyncGenerator<Event> {
  const { types = [], signal, log = () => undefined, openSocket } = options;
  const query = new URLSearchParams({ control: '1', since_event_id: position.last });
  if (types.length > 0) query.set('types', types.join(','));
  const address = `${eventLog.baseUrl.replace(/^http/, 'ws')}/v2/ws/risk-events?${query}`;
  for await (const frame of framesOf({ address, key: eventLog.key, signal, openSocket })) {
    if ('op' in frame) control(frame, options, position, log);
    else if (frame.event_id > position.last) {
      position.last = frame.event_id;
      yield frame;
    }
  }
}

function control(
  frame: Extract<Frame, { readonly op: string }>,
  { onGap }: FollowOptions,
  position: Position,
  log: (line: string) => void,
): void {
  if (frame.op === 'hello') log('Connected to the stream.');
  // A heartbeat names a later event than the last one sent if the filter excluded events in between.
  else if (frame.op === 'heartbeat' && frame.last_event_id !== null && frame.last_event_id > position.last)
    position.last = frame.last_event_id;
  else if (frame.op === 'gap') reportGap(new GapError(position.last, frame.from), onGap);
  else if (frame.op !== 'heartbeat') log(JSON.stringify(frame));
}

function reportGap(gap: GapError, onGap: FollowOptions['onGap']): void {
  if (onGap === undefined) throw gap;
  onGap(gap);
}

/** Events from replay after the last one. Replay filters by at most one type, so several types are filtered here. */
async function* missed(
  eventLog: EventLog,
  options: FollowOptions,
  position: Position,
): AsyncGenerator<Event> {
  const { types = [], signal } = options;
  for await (const event of eventLog.events({ since_event_id: position.last }, { signal })) {
    if (event.event_id <= position.last) continue;
    position.last = event.event_id;
    if (types.length === 0 || types.includes(event.type)) yield event;
  }
}
