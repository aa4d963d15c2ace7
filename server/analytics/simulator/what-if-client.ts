// Queries the jobs' what-if process, on its socket in the data folder, for the events that simulated hours would fire. A run without them
// would differ from the same run with them, so a process that does not reply refuses the run for now.
import { createConnection, type Socket } from 'node:net';
import { openSocketPath } from '../../../platform/storage/socket-path.ts';
import {
  MAX_WHAT_IF_BYTES,
  type WhatIfEvent,
  type WhatIfQuestion,
  type WhatIfReply,
} from '../../../schemas/what-if.ts';
import { Failure } from '../../define/failure.ts';
import { type DeadlineTools, deadline } from '../deadline.ts';

/**
 * Returns the events, or null for a question or a reply that is too large, which it always is.
 * @throws Failure `unavailable` if the process does not run, or does not reply in time
 */
export type AskWhatIf = (question: WhatIfQuestion) => Promise<readonly WhatIfEvent[] | null>;

/** While the process is connected; it answers one question at a time. */
const DEADLINE_MS = 20_000;
const RETRY_SECONDS = 5;

export interface WhatIfClientOptions extends DeadlineTools {
  /** Path of the socket. */
  readonly path: string;
}

export const whatIfClient =
  ({ path, ...tools }: WhatIfClientOptions): AskWhatIf =>
  async (question) => {
    const line = `${JSON.stringify(question)}\n`;
    if (Buffer.byteLength(line) > MAX_WHAT_IF_BYTES) return null;
    const text = await exchange({ path, line, ...tools });
    if (text === null) return null;
    const reply = replyIn(text);
    if ('error' in reply) throw refusal(`The detectors cannot answer now: ${reply.error}.`);
    return reply.events;
  };

const NOT_RUNNING =
  'The detectors do not run: `npm start` starts them a few seconds after everything is published; without it, start the command `what-if` of the jobs on the same data folder, or set SIMULATOR_EVENTS to false.';

const refusal = (message: string, cause?: unknown): Failure =>
  new Failure('unavailable', message, {
    headers: ['Retry-After', String(RETRY_SECONDS)],
    ...(cause === undefined ? {} : { cause }),
  });

/** Sends a line and reads one. Null for a reply that is too large. @throws Failure `unavailable` */
async function exchange({
  path,
  line,
  ...tools
}: WhatIfClientOptions & { readonly line: string }): Promise<string | null> {
  const { socket, release } = connectTo(path);
  let cancel = () => {};
  try {
    return await new Promise<string | null>((resolve, reject) => {
      cancel = deadline(tools, DEADLINE_MS, () => reject(refusal('The detectors did not answer in time.')));
      socket.on('connect', () => socket.write(line));
      socket.on('error', (error) => reject(refusal(NOT_RUNNING, error)));
      socket.on('close', () => reject(refusal('The detectors stopped before they answered.')));
      readLine(socket, resolve);
    });
  } finally {
    cancel();
    socket.destroy();
    release();
  }
}

function connectTo(path: string): { readonly socket: Socket; readonly release: () => void } {
  try {
    const opened = openSocketPath(path);
    return { socket: createConnection(opened.path), release: opened.release };
  } catch (error) {
    throw refusal(NOT_RUNNING, error);
  }
}

function readLine(socket: Socket, done: (line: string | null) => void): void {
  const parts: Buffer[] = [];
  let size = 0;
  socket.on('data', (chunk: Buffer) => {
    parts.push(chunk);
    size += chunk.length;
    if (size > MAX_WHAT_IF_BYTES) done(null);
    else if (chunk.at(-1) === 10) done(Buffer.concat(parts).toString('utf8'));
  });
}

function replyIn(text: string): WhatIfReply {
  try {
    return JSON.parse(text) as WhatIfReply;
  } catch (error) {
    throw refusal('The detectors sent a reply that cannot be read.', error);
  }
}
