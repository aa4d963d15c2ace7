// Decides before the upgrade whether a request may open the stream: origin, key, plan, parameters, replay window (4.25, 5.2, decision 52).
import type { IncomingMessage } from 'node:http';
import { STREAM_ACCESS } from '../../schemas/stream.ts';
import { bearerOf } from '../access/authenticate.ts';
import { Failure } from '../define/failure.ts';
import { admitCaller } from '../http/admit-to-endpoint.ts';
import { checkRequest, refuseBody } from '../http/guard.ts';
import type { ReceivedRequest } from '../http/request-gate.ts';
import { readStreamRequest, type StreamRequest, streamParameters } from './stream-request.ts';

const DAY_MS = 86_400_000;

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
export function judge(
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
