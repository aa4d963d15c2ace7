import { once } from 'node:events';
import { createConnection, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { serveWhatIf } from '../../../jobs/commands/serve-what-if.ts';
import type { WhatIfQuestion } from '../../../schemas/what-if.ts';
import { removeFolder, temporaryFolder } from '../../support/temporary-folder.ts';

const lineOf = (start: number) =>
  `${JSON.stringify({ start, from: 0, to: 1, types: ['oracle.stale'], rows: {} })}\n`;

let dir: string;
/** Starts of the questions that the engine got, and what ends its current one. */
let asked: number[];
let finish: () => void;
let stop: () => void;
let done: Promise<unknown>;

beforeEach(async () => {
  dir = temporaryFolder('what-if');
  asked = [];
  const ready = Promise.withResolvers<void>();
  const stopping = Promise.withResolvers<void>();
  stop = stopping.resolve;
  const answer = async ({ start }: WhatIfQuestion) => {
    asked.push(start);
    await new Promise<void>((resolve) => {
      finish = resolve;
    });
    return [];
  };
  const reporter = { step: () => ready.resolve(), warn: () => undefined };
  done = serveWhatIf({ path: join(dir, 'a.sock'), answer, reporter, stopped: stopping.promise });
  await ready.promise;
});
afterEach(() => removeFolder(dir));

async function ask(start: number): Promise<Socket> {
  const socket = createConnection(join(dir, 'a.sock'));
  await once(socket, 'connect');
  socket.write(lineOf(start));
  return socket;
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** Long enough for a line to arrive. */
const arrived = () => new Promise((resolve) => setTimeout(resolve, 50));

test('a question whose asker has gone is not answered', async () => {
  const first = await ask(1);
  await until(() => asked.length === 1);
  const gone = await ask(2);
  await arrived();
  gone.destroy();
  const third = await ask(3);
  await arrived();
  finish();
  await until(() => asked.length === 2);
  expect(asked).toEqual([1, 3]);
  finish();
  expect(String((await once(third, 'data'))[0])).toBe('{"events":[]}\n');
  first.destroy();
  third.destroy();
  stop();
  await done;
});

test('it stops when the question that it is answering has its answer, and begins no other', async () => {
  const sockets = [await ask(1), await ask(2)];
  await until(() => asked.length === 1);
  await arrived();
  let hasStopped = false;
  void done.then(() => {
    hasStopped = true;
  });
  stop();
  await Promise.all(sockets.map((socket) => once(socket, 'close')));
  await arrived();
  expect(hasStopped).toBe(false);
  finish();
  await done;
  expect(asked).toEqual([1]);
});
