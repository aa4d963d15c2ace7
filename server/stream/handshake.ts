// Decides before the upgrade whether a request may open the stream: origin, key, plan, parameters, replay window (4.25, 5.2, decision 52);
// and reports a refusal.
import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { DAY_MS } from '../../platform/base/time.ts';
import { ERRORS } from '../../schemas/errors.ts';
import { CLOSE_CODE_OF_STATUS, type CloseCode, STREAM_ACCESS } from '../../schemas/stream.ts';
import { bearerOf } from '../access/authenticate.ts';
import { Failure } from '../define/failure.ts';
import { admitCaller } from '../http/admit-to-endpoint.ts';
import { checkRequest, refuseBody } from '../http/guard.ts';
import type { ReceivedRequest } from '../http/request-gate.ts';
import { readStreamRequest, type StreamRequest, streamParameters } from './stream-request.ts';

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
  if (deps.isStopping()) throw new Failure('unavailable', 'The server is stopping.');
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
