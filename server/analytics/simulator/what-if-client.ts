// Queries the jobs' what-if process, on its socket in the data folder, for the events that simulated hours would fire.
import { createConnection } from 'node:net';
import { MAX_WHAT_IF_BYTES, type WhatIfQuestion, type WhatIfReply } from '../../../schemas/what-if.ts';

/** Returns the reply, or null if none arrives in time, for example because the process is not running. */
export type AskWhatIf = (question: WhatIfQuestion) => Promise<WhatIfReply | null>;

const DEADLINE_MS = 2_000;

export interface WhatIfClientOptions {
  /** Path of the socket. */
  readonly path: string;
  /** Calls back after that many milliseconds, unless the returned function is called first. */
  readonly after: (ms: number, work: () => void) => () => void;
}

export const whatIfClient =
  ({ path, after }: WhatIfClientOptions): AskWhatIf =>
  (question) =>
    new Promise((resolve) => {
      const socket = createConnection(path);
      const parts: Buffer[] = [];
      let size = 0;
      const finish = (reply: WhatIfReply | null) => {
        cancel();
        socket.destroy();
        resolve(reply);
      };
      const cancel = after(DEADLINE_MS, () => finish(null));
      socket.on('connect', () => socket.write(`${JSON.stringify(question)}\n`));
      socket.on('error', () => finish(null));
      socket.on('close', () => finish(null));
      socket.on('data', (chunk: Buffer) => {
        parts.push(chunk);
        size += chunk.length;
        if (size > MAX_WHAT_IF_BYTES) finish(null);
        else if (chunk.at(-1) === 10) finish(replyIn(Buffer.concat(parts).toString('utf8')));
      });
    });

function replyIn(text: string): WhatIfReply | null {
  try {
    return JSON.parse(text) as WhatIfReply;
  } catch {
    return null;
  }
}
