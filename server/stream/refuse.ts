// Reports to a client why it may not open the stream. A program reads the status and body of the response. A browser exposes neither to
// its page, so a request with an `Origin` is upgraded and closed at once with the matching close code.
import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { ERRORS } from '../../schemas/errors.ts';
import { CLOSE_CODE_OF_STATUS, type CloseCode } from '../../schemas/stream.ts';
import type { Failure } from '../define/failure.ts';

export const isBrowser = ({ headers }: IncomingMessage): boolean => headers.origin !== undefined;

export const closeCodeOf = ({ code }: Failure): CloseCode => CLOSE_CODE_OF_STATUS[ERRORS[code].http] ?? 1011;

export const closeWords = ({ code, message }: Failure): string => `${code}: ${message}`;

/** Responds to an upgrade request as to any other: `send` writes the response, which ends the connection. */
export function respondInstead(
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
