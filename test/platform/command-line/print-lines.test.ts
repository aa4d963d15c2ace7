import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { linePrinter, OutputClosedError } from '../../../platform/command-line/print-lines.ts';

class Stream extends EventEmitter {
  readonly written: string[] = [];
  write(text: string): void {
    this.written.push(text);
  }
}

const failure = (code: string) => Object.assign(new Error(code), { code });

test('prints lines until the reader goes away, and throws from then on', () => {
  const stream = new Stream();
  const print = linePrinter(stream);
  print('one');
  stream.emit('error', failure('EPIPE'));
  expect(() => print('two')).toThrow(OutputClosedError);
  expect(stream.written).toEqual(['one\n']);
});

test('any other failure of the output is an error', () => {
  const stream = new Stream();
  linePrinter(stream);
  expect(() => stream.emit('error', failure('ENOSPC'))).toThrow('ENOSPC');
});
