// Requests without the help of a client: `raw` adds no headers and decodes nothing, `rawHttp` sends arbitrary bytes.
import { request } from 'node:http';
import { connect } from 'node:net';
import { checkAnswer } from '../../support/checked-fetch.ts';
import type { SeenAnswer } from '../../support/openapi-answers.ts';

export interface RawAnswer {
  readonly status: number;
  readonly headers: { readonly [name: string]: string | undefined };
  readonly body: Buffer;
}

export function raw(
  url: string,
  path: string,
  headers: Record<string, string> = {},
  method = 'GET',
  body?: string,
): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path, method, headers, agent: false }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () => {
        const status = answer.statusCode ?? 0;
        const seen = {
          status,
          headers: answer.headers as RawAnswer['headers'],
          body: Buffer.concat(chunks),
        };
        try {
          checkAnswer(url, { method, target: path, status, ...readable(seen) });
          resolve(seen);
        } catch (error) {
          reject(error);
        }
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

function readable({ headers, body }: RawAnswer): Pick<SeenAnswer, 'header' | 'body'> {
  const isPlain = headers['content-encoding'] === undefined;
  return { header: (name) => headers[name.toLowerCase()], body: isPlain ? body.toString() : undefined };
}

/** Sends the bytes and ends the request. Resolves with what the server sent until it closed or cut the connection. */
export function rawHttpToTheEnd(port: number, bytes: string | Uint8Array): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }, () => socket.end(bytes));
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
    });
    socket.on('end', () => socket.destroy());
    socket.on('error', () => socket.destroy());
    socket.on('close', () => resolve(text));
  });
}

/** Sends the bytes, then reads until the server closes the connection or has sent one response with a length. */
export function rawHttp(port: number, bytes: string | Uint8Array): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      const [head = '', body] = text.split('\r\n\r\n');
      const length = /content-length: (\d+)/i.exec(head)?.[1];
      if (body !== undefined && length !== undefined && body.length >= Number(length)) socket.end();
    });
    socket.on('close', () => resolve(text));
    socket.on('error', reject);
  });
}
