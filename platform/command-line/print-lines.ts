// Prints lines to a stream whose reader may close it, as in `npm run jobs -- status | head -1`.

import { printable } from '../base/printable.ts';

/** The required part of a Node stream. */
export interface LineStream {
  write(text: string): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
}

/** The output is no longer read, so the command stops printing. */
export class OutputClosedError extends Error {
  override readonly name = 'OutputClosedError';
}

const isClosedPipe = (error: Error): boolean => 'code' in error && error.code === 'EPIPE';

/** Keeps the process alive when the reader of a stream closes it, and calls `onClosed`. Other errors are thrown. */
export function tolerateClosedPipe(stream: LineStream, onClosed: () => void = () => undefined): void {
  stream.on('error', (error) => {
    if (!isClosedPipe(error)) throw error;
    onClosed();
  });
}

/**
 * Returns a function that prints a line. Text from outside cannot move the cursor, colour what follows or forge a line, because control
 * characters are printed as escapes. @throws OutputClosedError from that function once the reader has closed the stream. */
export function linePrinter(stream: LineStream): (line: string) => void {
  let isClosed = false;
  tolerateClosedPipe(stream, () => {
    isClosed = true;
  });
  return (line) => {
    if (isClosed) throw new OutputClosedError('The reader of the output has closed it.');
    stream.write(`${printable(line)}\n`);
  };
}
