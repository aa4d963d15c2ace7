// The parameters of a stream request, validated (4.25, decision 51). `types` and `since_event_id` cause the same errors as in replay.

import { SEVERITIES } from '../../schemas/event.ts';
import { EVENT_TYPES } from '../../schemas/events.ts';
import { STREAM_PARAMETERS, type StreamParameter } from '../../schemas/stream.ts';
import { Failure, parameterFailure } from '../define/failure.ts';
import { foldAddresses } from '../../platform/base/fold-addresses.ts';
import { readParameters } from '../http/query.ts';
import { firstPartsOfMs, msOfParts, textOfParts, partsOf } from '../../platform/base/ulid-parts.ts';
import { type EventFilter, parseList } from './event-filter.ts';

export interface StreamRequest {
  readonly filter: EventFilter;
  /** Events after this id; undefined for new events only. */
  readonly after: string | undefined;
  readonly isControl: boolean;
  /** Set if the requested start is no longer available. */
  readonly gap: { readonly since_event_id: string; readonly fromMs: number } | undefined;
}

export interface ReplayWindow {
  readonly days: number;
  /** Unix milliseconds of the window's start. */
  readonly fromMs: number;
}

type Parameters = { readonly [name in StreamParameter]?: string };

const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;
const NAMES = Object.keys(STREAM_PARAMETERS);
const KNOWN_TYPES: ReadonlySet<string> = new Set(EVENT_TYPES);
const KNOWN_SEVERITIES: ReadonlySet<string> = new Set(SEVERITIES);

/** Refuses parameters that are undeclared, empty or repeated. @throws Failure `validation_failed` */
export function streamParameters(target: string): Parameters {
  const question = target.indexOf('?');
  const parameters = readParameters(question === -1 ? '' : target.slice(question + 1), NAMES);
  for (const [name, value] of parameters) if (value === '') throw parameterFailure(name, 'is empty');
  return Object.fromEntries(parameters);
}

/** @throws Failure `validation_failed`, `INVALID_EVENT_TYPE`, `INVALID_CURSOR`, `REPLAY_WINDOW_EXPIRED`, `REPLAY_NOT_AVAILABLE` */
export function readStreamRequest(parameters: Parameters, window: ReplayWindow): StreamRequest {
  const { control, subject_id, chain, protocol, since_event_id } = parameters;
  if (control !== undefined && control !== '0' && control !== '1')
    throw parameterFailure('control', 'must be 0 or 1');
  const isControl = control === '1';
  const filter = {
    types: typesOf(parameters.types),
    severities: severitiesOf(parameters.severity),
    subject: subject_id === undefined ? undefined : foldAddresses(subject_id),
    chain: chain?.toLowerCase(),
    protocol: protocol?.toLowerCase(),
  };
  return { filter, isControl, ...startOf(since_event_id?.toUpperCase(), window, isControl) };
}

function typesOf(text: string | undefined): ReadonlySet<string> | undefined {
  const types = parseList('types', text);
  for (const type of types ?? []) {
    if (!KNOWN_TYPES.has(type))
      throw new Failure('INVALID_EVENT_TYPE', `"${shortened(type)}" is not an event type.`);
  }
  return types;
}

function severitiesOf(text: string | undefined): ReadonlySet<string> | undefined {
  const severities = parseList('severity', text);
  for (const severity of severities ?? []) {
    if (!KNOWN_SEVERITIES.has(severity))
      throw parameterFailure('severity', `must be a comma-separated list of ${SEVERITIES.join(', ')}`);
  }
  return severities;
}

type Start = Pick<StreamRequest, 'after' | 'gap'>;

function startOf(since: string | undefined, { days, fromMs }: ReplayWindow, isControl: boolean): Start {
  if (since === undefined) return { after: undefined, gap: undefined };
  if (!ULID.test(since)) throw new Failure('INVALID_CURSOR');
  if (days === 0) throw new Failure('REPLAY_NOT_AVAILABLE');
  if (msOfParts(partsOf(since)) >= fromMs) return { after: since, gap: undefined };
  if (!isControl) throw new Failure('REPLAY_WINDOW_EXPIRED', undefined, { details: { window_days: days } });
  return { after: textOfParts(firstPartsOfMs(fromMs)), gap: { since_event_id: since, fromMs } };
}

const shortened = (text: string) => (text.length > 64 ? `${text.slice(0, 64)}…` : text);
