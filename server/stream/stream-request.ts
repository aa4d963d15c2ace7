// What a client asks of the stream in its address, checked (4.25, decision 51). The errors of `types` and `since_event_id` are those
// that replay has for them.
import { EVENT_TYPES, SEVERITIES } from '../../schemas/events.ts';
import { STREAM_PARAMETERS, type StreamParameter } from '../../schemas/stream.ts';
import { Failure, fieldFailure } from '../define-failure.ts';
import { firstWordsOfMs, msOfWords, textOfWords, wordsOf } from '../replay/ulid-words.ts';
import { type EventFilter, listed } from './event-filter.ts';

export interface StreamRequest {
  readonly filter: EventFilter;
  /** Events after this id; undefined: those that come. */
  readonly after: string | undefined;
  readonly isControl: boolean;
  /** What was asked for and is not there any more. */
  readonly gap: { readonly since_event_id: string; readonly fromMs: number } | undefined;
}

export interface ReplayWindow {
  readonly days: number;
  /** Unix milliseconds of its start. */
  readonly fromMs: number;
}

type Parameters = { readonly [name in StreamParameter]?: string };

const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;
const KNOWN_TYPES: ReadonlySet<string> = new Set(EVENT_TYPES);
const KNOWN_SEVERITIES: ReadonlySet<string> = new Set(SEVERITIES);

/** What is not declared is passed over, as everywhere; what comes twice is refused. @throws Failure `validation_failed` */
export function streamParameters(target: string): Parameters {
  const question = target.indexOf('?');
  const given = new URLSearchParams(question === -1 ? '' : target.slice(question + 1));
  const found: Record<string, string> = {};
  for (const name of Object.keys(STREAM_PARAMETERS)) {
    const values = given.getAll(name);
    if (values.length > 1) throw fieldFailure(name, 'is given more than once');
    if (values[0] === '') throw fieldFailure(name, 'is empty');
    if (values[0] !== undefined) found[name] = values[0];
  }
  return found;
}

/** @throws Failure `validation_failed`, `INVALID_EVENT_TYPE`, `INVALID_CURSOR`, `REPLAY_WINDOW_EXPIRED`, `REPLAY_NOT_AVAILABLE` */
export function readStreamRequest(parameters: Parameters, window: ReplayWindow): StreamRequest {
  const { control, subject_id, chain, protocol } = parameters;
  if (control !== undefined && control !== '0' && control !== '1')
    throw fieldFailure('control', 'must be 0 or 1');
  const isControl = control === '1';
  const filter = {
    types: typesOf(parameters.types),
    severities: severitiesOf(parameters.severity),
    subject: subject_id,
    chain,
    protocol,
  };
  return { filter, isControl, ...startOf(parameters.since_event_id, window, isControl) };
}

function typesOf(text: string | undefined): ReadonlySet<string> | undefined {
  const types = listed('types', text);
  for (const type of types ?? []) {
    if (!KNOWN_TYPES.has(type))
      throw new Failure('INVALID_EVENT_TYPE', `"${shortened(type)}" is not an event type.`);
  }
  return types;
}

function severitiesOf(text: string | undefined): ReadonlySet<string> | undefined {
  const severities = listed('severity', text);
  for (const severity of severities ?? []) {
    if (!KNOWN_SEVERITIES.has(severity))
      throw fieldFailure('severity', `must be a comma list of ${SEVERITIES.join(', ')}`);
  }
  return severities;
}

type Start = Pick<StreamRequest, 'after' | 'gap'>;

function startOf(since: string | undefined, { days, fromMs }: ReplayWindow, isControl: boolean): Start {
  if (since === undefined) return { after: undefined, gap: undefined };
  if (!ULID.test(since)) throw new Failure('INVALID_CURSOR');
  if (days === 0) throw new Failure('REPLAY_NOT_AVAILABLE');
  if (msOfWords(wordsOf(since)) >= fromMs) return { after: since, gap: undefined };
  if (!isControl) throw new Failure('REPLAY_WINDOW_EXPIRED', undefined, { details: { window_days: days } });
  return { after: textOfWords(firstWordsOfMs(fromMs)), gap: { since_event_id: since, fromMs } };
}

const shortened = (text: string) => (text.length > 64 ? `${text.slice(0, 64)}…` : text);
