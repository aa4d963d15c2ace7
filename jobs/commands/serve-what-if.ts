// `what-if`: answers the server's questions over a local socket, one at a time. Each question and each reply is one line of JSON.
import { chmodSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { serialQueue } from '../../platform/base/tasks.ts';
import { errorsOf } from '../../schemas/validator.ts';
import {
  MAX_WHAT_IF_BYTES,
  type WhatIfEvent,
  type WhatIfQuestion,
  WhatIfQuestionShape,
  type WhatIfReply,
} from '../../schemas/what-if.ts';
import { openSocketPath } from '../../platform/storage/socket-path.ts';
import { causeAmong, EngineError } from '../engine/errors.ts';
import type { Reporter } from '../pipeline/run/report.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';

export interface WhatIfService {
  /** Path of the socket; a leftover socket is replaced. */
  readonly path: string;
  answer(question: WhatIfQuestion): Promise<readonly WhatIfEvent[]>;
  readonly reporter: Pick<Reporter, 'step' | 'warn'>;
  readonly stopped: Promise<unknown>;
}

/** Questions being answered or waiting; further ones are refused immediately. */
const MAX_WAITING = 8;

/** Runs until `stopped` and until the question being answered then has its answer, so that the engine may be closed. @throws when the socket cannot be opened */
export async function serveWhatIf({ path, answer, reporter, stopped }: WhatIfService): Promise<ExitCode> {
  const turns = new QuestionQueue(answer);
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
    // The server disconnects after its deadline and no longer needs the reply.
    socket.on('error', () => socket.destroy());
    readLines(socket, (line) => turns.take(line, () => !socket.destroyed));
  });
  rmSync(path, { force: true });
  const bound = openSocketPath(path);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(bound.path, resolve);
  });
  chmodSync(path, 0o600);
  reporter.step('ready for what-if questions', { socket: path });
  await stopped;
  for (const socket of open) socket.destroy();
  await Promise.all([new Promise((resolve) => server.close(resolve)), turns.ended()]);
  bound.release();
  return EXIT.done;
}

/** Passes each line to `reply` and writes the result. A line that is too long closes the connection. */
function readLines(socket: Socket, reply: (line: string) => Promise<WhatIfReply>): void {
  let parts: Buffer[] = [];
  let size = 0;
  socket.on('data', (chunk: Buffer) => {
    let rest = chunk;
    for (let end = rest.indexOf(10); end !== -1; end = rest.indexOf(10)) {
      const line = Buffer.concat([...parts, rest.subarray(0, end)]).toString('utf8');
      [parts, size, rest] = [[], 0, rest.subarray(end + 1)];
      void reply(line).then((answer) => {
        if (socket.writable) socket.write(`${JSON.stringify(answer)}\n`);
      });
    }
    parts.push(rest);
    size += rest.length;
    if (size > MAX_WHAT_IF_BYTES) socket.destroy();
  });
}

/** Queues questions, because the engine answers one at a time. */
class QuestionQueue {
  readonly #answer: WhatIfService['answer'];
  readonly #inTurn = serialQueue();
  #waiting = 0;

  constructor(answer: WhatIfService['answer']) {
    this.#answer = answer;
  }

  /** `isWanted`: whether its reply is still waited for when its turn comes. */
  async take(line: string, isWanted: () => boolean): Promise<WhatIfReply> {
    if (this.#waiting >= MAX_WAITING) return { error: 'too many questions are waiting' };
    this.#waiting++;
    const reply = async () => (isWanted() ? await this.#reply(line) : { error: 'its connection is closed' });
    return this.#inTurn(reply).finally(() => this.#waiting--);
  }

  /** Resolves when the questions that were taken so far have their replies. */
  ended(): Promise<void> {
    return this.#inTurn(async () => undefined);
  }

  async #reply(line: string): Promise<WhatIfReply> {
    try {
      const question: unknown = JSON.parse(line);
      const [wrong] = errorsOf(WhatIfQuestionShape, question);
      if (wrong !== undefined) return { error: `${wrong.instancePath} ${wrong.message}` };
      return { events: await this.#answer(question as WhatIfQuestion) };
    } catch (error) {
      return { error: error instanceof Error ? error.message : String(error) };
    }
  }
}

/** The engine of what-if questions as long as it is of use. */
export interface Engine {
  answer(question: WhatIfQuestion): Promise<readonly WhatIfEvent[]>;
  close(): Promise<void>;
}

/**
 * Opened with the first question, because an installation that simulates nothing pays no memory for it, and again with the question after a
 * fault, because a database with a fatal error answers nothing any more. Takes one question at a time.
 */
export function lazyEngine(open: () => Promise<Engine>): Engine {
  let engine: Engine | undefined;
  const close = async () => {
    const last = engine;
    engine = undefined;
    await last?.close();
  };
  return {
    async answer(question) {
      engine ??= await open();
      try {
        return await engine.answer(question);
      } catch (error) {
        if (causeAmong(error, [EngineError]) !== null) await close();
        throw error;
      }
    },
    close,
  };
}
