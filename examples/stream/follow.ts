// Follows risk events without missing or repeating any: over the stream, and by replay while the stream is unavailable.
// `npm run follow -- --base-url http://127.0.0.1:8080 --key rk_live_…`
import { setTimeout as waitMs } from 'node:timers/promises';
import { encodeTime } from 'ulid';
import { connect, events } from '../../packages/client/src/client.ts';
import { ApiError, bodyOf } from '../../packages/client/src/pages.ts';
import { readOptions } from '../read-options.ts';
import { type Event, type Frame, frames, RefusedError, type StreamAccess } from './stream.ts';

export interface Following extends StreamAccess {
  /** Events after this id. Store the id of the last event you have processed. */
  readonly since: string;
  readonly signal?: AbortSignal;
  /** Milliseconds before the n-th attempt in a row; by default from one second to half a minute. */
  readonly pauseMs?: (failures: number) => number;
  /** Called with changes of the connection, for a log. */
  readonly say?: (line: string) => void;
}

const usualPauseMs = (failures: number) =>
  Math.min(30_000, 1_000 * 2 ** failures) * (0.5 + Math.random() / 2);

/** Every event once, in order. @throws RefusedError, and ApiError from replay, if a retry would not help. */
export async function* follow(following: Following): AsyncGenerator<Event> {
  const { signal, pauseMs = usualPauseMs, say = () => undefined } = following;
  let last = following.since;
  for (let failures = 0; !signal?.aborted; failures++) {
    try {
      for await (const frame of frames(following, last, signal)) {
        failures = 0;
        last = lastIdAfter(frame, last);
        if (isEvent(frame)) yield frame;
        else if (frame.op === 'hello') say('connected to the stream');
        else if (frame.op !== 'heartbeat') say(JSON.stringify(frame));
      }
      say('the stream ended');
    } catch (error) {
      if (error instanceof RefusedError) throw error;
      say(`no stream: ${error instanceof Error ? error.message : error}`);
    }
    if (signal?.aborted) return;
    try {
      for await (const event of missed(following, last)) {
        last = event.event_id;
        yield event;
      }
    } catch (error) {
      if (error instanceof ApiError && error.status < 500) throw error;
      say(`no replay: ${error instanceof Error ? error.message : error}`);
    }
    await waitMs(pauseMs(failures), undefined, { ...(signal && { signal }) }).catch(() => undefined);
  }
}

/** The position of "from now on": the id of the newest published event. Ids start with the time of appending. @throws ApiError */
export async function latestId({ baseUrl, key }: StreamAccess): Promise<string> {
  const { events, as_of } = await bodyOf(connect({ baseUrl, key }).GET('/v1/status'));
  return events.last_event_id ?? encodeTime(as_of === null ? 0 : Date.parse(as_of)) + '0'.repeat(16);
}

const isEvent = (frame: Frame): frame is Event => !('op' in frame);

/** A heartbeat names a later event than the last one sent if the filter excluded events in between. */
function lastIdAfter(frame: Frame, last: string): string {
  if (isEvent(frame)) return frame.event_id;
  const id = frame.op === 'heartbeat' ? frame.last_event_id : null;
  return id !== null && id > last ? id : last;
}

/** Events from replay after an id. Replay filters by at most one type, so several types are filtered here. */
async function* missed({ baseUrl, key, types = [] }: StreamAccess, since: string): AsyncGenerator<Event> {
  for await (const event of events(connect({ baseUrl, key }), {}, since))
    if (types.length === 0 || types.includes(event.type)) yield event;
}

async function main(): Promise<void> {
  const { values } = readOptions(
    'npm run follow -- --key KEY [--base-url URL] [--since EVENT_ID] [--types TYPE,…]',
    {
      options: {
        'base-url': { type: 'string', default: 'http://127.0.0.1:8080' },
        key: { type: 'string' },
        since: { type: 'string' },
        types: { type: 'string' },
      },
    },
  );
  const { 'base-url': baseUrl, key, types } = values;
  if (key === undefined) throw new Error('A key is required: --key rk_live_…');
  const since = values.since ?? (await latestId({ baseUrl, key }));
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort());
  const say = (line: string) => console.error(line);
  const following = { baseUrl, key, since, say, signal: stop.signal, types: types?.split(',') ?? [] };
  for await (const event of follow(following))
    console.info(
      `${event.ts} ${event.severity ?? ''} ${event.type} ${event.subject_id} ${event.event_id}${event.retracts_event_id === undefined ? '' : ` retracts ${event.retracts_event_id}`}`,
    );
}

if (import.meta.main) {
  await main().catch((error: Error) => {
    console.error(error.message);
    process.exitCode = 1;
  });
}
