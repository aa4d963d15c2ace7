// Receivers with every fault a receiver can have, each on its own port, with the expected outcome of an attempt.
import { createServer, type Server, type Socket } from 'node:net';

export interface Fault {
  readonly name: string;
  /** Handles each connection once the request has begun to arrive. */
  readonly act: (socket: Socket) => void;
  readonly status: number | null;
  readonly code: string | null;
  readonly retryAfter?: string;
}

const answer = (head: string, body = '') =>
  `HTTP/1.1 ${head}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
const never = () => undefined;

/** Writes repeatedly until the other side closes. */
function keepWriting(socket: Socket, text: string, everyMs: number): void {
  const timer = setInterval(() => socket.write(text), everyMs);
  socket.once('close', () => clearInterval(timer));
}

function flood(socket: Socket, chunk: Buffer | string): void {
  const more = () => {
    while (!socket.destroyed && socket.write(chunk));
  };
  socket.on('drain', more);
  more();
}

const says = (name: string, head: string, code: string | null = 'http_status'): Fault => ({
  name,
  act: (socket) => socket.write(answer(head)),
  status: Number(head.slice(0, 3)),
  code,
});

const ANSWERS: readonly Fault[] = [
  says('200', '200 OK', null),
  says('201', '201 Created', null),
  { name: '204', act: (socket) => socket.write('HTTP/1.1 204 No Content\r\n\r\n'), status: 204, code: null },
  says('301', '301 Moved Permanently\r\nLocation: http://127.0.0.1:1/'),
  says('307 to the metadata service', '307 Temporary Redirect\r\nLocation: http://169.254.169.254/'),
  says('400', '400 Bad Request'),
  says('410', '410 Gone'),
  { ...says('429 with seconds', '429 Too Many\r\nRetry-After: 120'), retryAfter: '120' },
  {
    ...says('429 with a date', '429 Too Many\r\nRetry-After: Sun, 01 Mar 2026 12:10:00 GMT'),
    retryAfter: 'Sun, 01 Mar 2026 12:10:00 GMT',
  },
  says('500', '500 Internal Server Error'),
  says('503', '503 Service Unavailable'),
  says('999', '999 Enough'),
  {
    name: 'a response before the request was read',
    act: (socket) => socket.end(answer('200 OK')),
    status: 200,
    code: null,
  },
  {
    name: 'more than the length it claims',
    act: (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nab HTTP/1.1 500 Oops\r\n\r\n'),
    status: 200,
    code: null,
  },
  {
    name: '100 Continue that was not requested',
    act: (socket) => socket.write(`HTTP/1.1 100 Continue\r\n\r\n${answer('200 OK')}`),
    status: null,
    code: 'connection_closed',
  },
];

const closes = (name: string, act: Fault['act'], code = 'connection_closed'): Fault => ({
  name,
  act,
  status: null,
  code,
});
const hangs = (name: string, text: string): Fault => ({
  name,
  act: (socket) => socket.write(text),
  status: null,
  code: 'timeout',
});

const BROKEN: readonly Fault[] = [
  closes('reset', (socket) => socket.resetAndDestroy()),
  closes('closed without a response', (socket) => socket.end()),
  closes('closed in the headers', (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-')),
  closes('closed in the body', (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf')),
  closes('another protocol', (socket) => socket.write('SSH-2.0-OpenSSH_9.6\r\n'), 'invalid_answer'),
  closes(
    'two lengths',
    (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'),
    'invalid_answer',
  ),
  closes(
    'a length below zero',
    (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nhello'),
    'invalid_answer',
  ),
  closes(
    'a length and chunks',
    (socket) =>
      socket.write(
        'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n',
      ),
    'invalid_answer',
  ),
  closes(
    'an invalid chunk size',
    (socket) => socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n'),
    'invalid_answer',
  ),
  closes(
    'endless headers',
    (socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      flood(socket, `X-More: ${'a'.repeat(1_000)}\r\n`);
    },
    'answer_too_large',
  ),
];

const SLOW: readonly Fault[] = [
  hangs('hangs before the response', ''),
  hangs('hangs in the status line', 'HTTP/1.1 2'),
  hangs('hangs in the headers', 'HTTP/1.1 200 OK\r\nContent-'),
  hangs('hangs in the body', 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf'),
  {
    name: 'drips headers',
    act: (socket) => keepWriting(socket, 'X: 1\r\n', 50),
    status: null,
    code: 'invalid_answer',
  },
  {
    name: 'drips its body',
    act: (socket) => {
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
      keepWriting(socket, '1\r\nx\r\n', 50);
    },
    status: null,
    code: 'timeout',
  },
  {
    name: 'never stops sending 103',
    act: (socket) => keepWriting(socket, 'HTTP/1.1 103 Early Hints\r\n\r\n', 50),
    status: null,
    code: 'timeout',
  },
];

const LARGE: readonly Fault[] = [
  {
    name: 'answers 200 MB',
    act: (socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 200000000\r\n\r\n');
      flood(socket, Buffer.alloc(65_536, 'x'));
    },
    status: 200,
    code: null,
  },
  {
    name: 'responds without end',
    act: (socket) => {
      socket.write('HTTP/1.1 500 Oops\r\nTransfer-Encoding: chunked\r\n\r\n');
      flood(socket, `10000\r\n${'y'.repeat(65_536)}\r\n`);
    },
    status: 500,
    code: 'http_status',
  },
  {
    name: 'responds with a body that claims to be gzip',
    act: (socket) => socket.write(answer('200 OK\r\nContent-Encoding: gzip', 'not gzip at all')),
    status: 200,
    code: null,
  },
];

export const FAULTS: readonly Fault[] = [...ANSWERS, ...BROKEN, ...SLOW, ...LARGE];

export interface FaultyReceiver {
  readonly url: string;
  stop(): void;
}

export async function startFault(fault: Fault): Promise<FaultyReceiver> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', never);
    socket.once('data', () => fault.act(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
