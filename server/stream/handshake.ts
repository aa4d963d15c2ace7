// Decides before the upgrade whether a request may open the stream: origin, key, plan, parameters, replay window (4.25, 5.2, decision 52);
// and reports a refusal.
import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { foldAddresses } from '../../platform/base/fold-addresses.ts';
import { DAY_MS } from '../../platform/base/time.ts';
import { firstPartsOfMs, msOfParts, partsOf, textOfParts } from '../../platform/base/ulid.ts';
import { ERRORS } from '../../schemas/errors.ts';
import { SEVERITIES } from '../../schemas/event.ts';
import { EVENT_TYPES } from '../../schemas/events.ts';
import {
  CLOSE_CODE_OF_STATUS,
  type CloseCode,
  STREAM_ACCESS,
  STREAM_PARAMETERS,
  type StreamParameter,
} from '../../schemas/stream.ts';
import { bearerOf } from '../access/authenticate.ts';
import { Failure, parameterFailure } from '../define/failure.ts';
import { isSubject, refuseOthers, SUBJECT_KINDS } from '../define/filter-values.ts';
import { admitCaller } from '../http/admit-to-endpoint.ts';
import { checkRequest, refuseBody } from '../http/guard.ts';
import { readParameters } from '../http/query.ts';
import type { ReceivedRequest } from '../http/request-gate.ts';
import { type EventFilter, parseList } from './event-filter.ts';

export interface HandshakeDeps {
  readonly upgradeUrl: () => string;
  /** Origins that may open the stream in addition to this host; undefined for any. */
  readonly origins: ReadonlySet<string> | undefined;
  readonly isStopping: () => boolean;
  /** Logical time of the newest events; undefined before the log is read. */
  readonly asOfMs: () => number | undefined;
}

/** The key of a request, from the header or else from the URL (5.2). */
export function tokenOf(request: IncomingMessage): string | undefined {
  const question = (request.url ?? '').indexOf('?');
  const inAddress = new URLSearchParams((request.url ?? '').slice(question + 1)).get('token');
  return bearerOf(request.headers.authorization) ?? (question === -1 ? undefined : (inAddress ?? undefined));
}

export const stopping = (): Failure => new Failure('unavailable', 'The server is stopping.');

/** Returns the stream request if it is allowed. @throws Failure */
export function checkUpgrade(
  request: IncomingMessage,
  received: ReceivedRequest,
  deps: HandshakeDeps,
): StreamRequest {
  checkRequest(request);
  const caller = admitCaller(STREAM_ACCESS, received, deps.upgradeUrl);
  checkOrigin(request, deps.origins);
  refuseBody(request);
  if (deps.isStopping()) throw stopping();
  const asOfMs = deps.asOfMs();
  if (asOfMs === undefined) throw new Failure('unavailable', 'The event log has not been read yet.');
  const days = caller.limits.replay_window_days;
  return readStreamRequest(streamParameters(request.url ?? ''), { days, fromMs: asOfMs - days * DAY_MS });
}

/** Pages of this host are always allowed. @throws Failure `forbidden` */
function checkOrigin({ headers }: IncomingMessage, origins: ReadonlySet<string> | undefined): void {
  const { origin, host } = headers;
  if (origin === undefined || origins === undefined || origins.has(origin)) return;
  if (origin.replace(/^https?:\/\//, '') === host) return;
  throw new Failure('forbidden', 'Pages of this origin may not open the stream.');
}

// How a refusal reaches the client. A program reads the status and body of the response. A browser exposes neither to its page, so a request
// with an `Origin` is upgraded and closed at once with the matching close code.

export const isBrowser = ({ headers }: IncomingMessage): boolean => headers.origin !== undefined;

export const closeCodeOf = ({ code }: Failure): CloseCode => CLOSE_CODE_OF_STATUS[ERRORS[code].http] ?? 1011;

export const closeReasonOf = ({ code, message }: Failure): string => `${code}: ${message}`;

/** Responds to an upgrade request as to any other: `send` writes the response, which ends the connection. */
export function respondToUpgrade(
  request: IncomingMessage,
  socket: Duplex,
  send: (response: ServerResponse) => void,
): void {
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  // Upgrade requests to an HTTP server always come over a network socket.
  response.assignSocket(socket as Parameters<ServerResponse['assignSocket']>[0]);
  response.once('finish', () => socket.end(() => socket.destroy()));
  send(response);
}

/** The parameters of a stream request, validated (4.25, decision 51). `types` and `since_event_id` cause the same errors as in replay. */
export interface StreamRequest {
  readonly filter: EventFilter;
  /** Events after this id; undefined for new events only. */
  readonly after: string | undefined;
  readonly isControl: boolean;
  /** Set if the requested start is no longer available. */
  readonly gap: { readonly since_event_id: string; readonly fromMs: number } | undefined;
}

interface ReplayWindow {
  readonly days: number;
  /** Unix milliseconds of the window's start. */
  readonly fromMs: number;
}

type ParameterValues = { readonly [name in StreamParameter]?: string };

const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;
const NAMES = Object.keys(STREAM_PARAMETERS);
const KNOWN_TYPES: ReadonlySet<string> = new Set(EVENT_TYPES);

/** Refuses parameters that are undeclared, empty or repeated. @throws Failure `validation_failed` */
export function streamParameters(target: string): ParameterValues {
  const question = target.indexOf('?');
  const parameters = readParameters(question === -1 ? '' : target.slice(question + 1), NAMES);
  for (const [name, value] of parameters) if (value === '') throw parameterFailure(name, 'is empty');
  return Object.fromEntries(parameters);
}

/** @throws Failure `validation_failed`, `INVALID_EVENT_TYPE`, `INVALID_CURSOR`, `REPLAY_WINDOW_EXPIRED`, `REPLAY_NOT_AVAILABLE` */
export function readStreamRequest(parameters: ParameterValues, window: ReplayWindow): StreamRequest {
  const { control, subject_id, chain, protocol, since_event_id } = parameters;
  if (control !== undefined && control !== '0' && control !== '1')
    throw parameterFailure('control', 'must be 0 or 1');
  if (subject_id !== undefined && !isSubject(subject_id))
    throw parameterFailure('subject_id', `begins with none of ${SUBJECT_KINDS.join(', ')}, and a colon`);
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
  refuseOthers('severity', severities, SEVERITIES);
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
