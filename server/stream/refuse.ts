// How a client learns why it may not open the stream. A program reads the status and body of the answer; a browser shows its page
// neither, so that what carries an `Origin` is let in and closed at once with the code that says it.
import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { ERRORS } from '../../schemas/errors.ts';
import { CLOSE_CODE_OF_STATUS, type CloseCode } from '../../schemas/stream.ts';
import type { Failure } from '../define/failure.ts';

export const isBrowser = ({ headers }: IncomingMessage): boolean => headers.origin !== undefined;

export const closeCodeOf = ({ code }: Failure): CloseCode => CLOSE_CODE_OF_STATUS[ERRORS[code].http] ?? 1011;

export const closeWords = ({ code, message }: Failure): string => `${code}: ${message}`;

/** Answers a request that asked for an upgrade as any other: `send` writes the answer. The connection ends with it. */
export function answerInstead(
  request: IncomingMessage,
  socket: Duplex,
  send: (response: ServerResponse) => void,
): void {
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  // What is written to is a network socket whenever it comes from an HTTP server.
  response.assignSocket(socket as Parameters<ServerResponse['assignSocket']>[0]);
  response.once('finish', () => socket.end(() => socket.destroy()));
  send(response);
}
