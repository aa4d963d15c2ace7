// A bare WebSocket client: sends any bytes after the handshake, and reports how the server closed the connection.
import { connect, type Socket } from 'node:net';

export interface Masking {
  /** Bits FIN and RSV1–3 as in the first byte; 0x80 by default. */
  readonly flags?: number;
  readonly isMasked?: boolean;
  /** Length that the header claims instead of the real one, in 2 or 8 bytes. */
  readonly claim?: { readonly bytes: 2 | 8; readonly length: bigint };
}

const MASK = Buffer.from([0x11, 0x22, 0x33, 0x44]);

/** A client frame, valid or not. */
export function clientFrame(
  opcode: number,
  payload: Uint8Array | string = '',
  masking: Masking = {},
): Buffer {
  const { flags = 0x80, isMasked = true, claim } = masking;
  const body = Buffer.from(payload);
  const { length } = body;
  const bytes = claim?.bytes ?? (length < 126 ? 0 : length < 65_536 ? 2 : 8);
  const head = Buffer.alloc(2 + bytes);
  head[0] = flags | opcode;
  head[1] = (isMasked ? 0x80 : 0) | (bytes === 0 ? length : bytes === 2 ? 126 : 127);
  const said = claim?.length ?? BigInt(length);
  if (bytes === 2) head.writeUInt16BE(Number(said), 2);
  if (bytes === 8) head.writeBigUInt64BE(said, 2);
  if (!isMasked) return Buffer.concat([head, body]);
  return Buffer.concat([head, MASK, body.map((byte, index) => byte ^ (MASK[index % 4] ?? 0))]);
}

export interface ServerFrame {
  readonly opcode: number;
  readonly payload: Buffer;
}

/** The complete frames in a server's bytes. Server frames are never masked. */
export function serverFrames(bytes: Buffer): ServerFrame[] {
  const frames: ServerFrame[] = [];
  for (let at = 0; at + 2 <= bytes.length; ) {
    const short = (bytes[at + 1] ?? 0) & 0x7f;
    const head = short < 126 ? 2 : short === 126 ? 4 : 10;
    if (at + head > bytes.length) break;
    const length =
      short < 126
        ? short
        : short === 126
          ? bytes.readUInt16BE(at + 2)
          : Number(bytes.readBigUInt64BE(at + 2));
    if (at + head + length > bytes.length) break;
    frames.push({ opcode: (bytes[at] ?? 0) & 0x0f, payload: bytes.subarray(at + head, at + head + length) });
    at += head + length;
  }
  return frames;
}

export interface RawClient {
  readonly socket: Socket;
  /** Frames so far. */
  frames(): readonly ServerFrame[];
  /** Code of the server's close; 0 when the connection ended without one. */
  readonly closed: Promise<number>;
  /** Resolves when `test` holds for the frames, or when the connection has ended. */
  until(test: (frames: readonly ServerFrame[]) => boolean): Promise<void>;
}

const handshake = (key: string, query: string) =>
  [
    `GET /v2/ws/risk-events${query} HTTP/1.1`,
    'Host: localhost',
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
    `Authorization: Bearer ${key}`,
    '\r\n',
  ].join('\r\n');

export async function openRaw(port: number, key: string, query = ''): Promise<RawClient> {
  const socket = connect(port, '127.0.0.1');
  let bytes = Buffer.alloc(0);
  const looks = new Set<() => void>();
  socket.on('error', () => undefined);
  socket.on('data', (chunk) => {
    bytes = Buffer.concat([bytes, chunk]);
    for (const look of looks) look();
  });
  const gone = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  const headEnd = () => bytes.indexOf('\r\n\r\n');
  const frames = () => (headEnd() === -1 ? [] : serverFrames(bytes.subarray(headEnd() + 4)));
  const until = async (test: (frames: readonly ServerFrame[]) => boolean, isReady = () => true) => {
    const seen = new Promise<void>((resolve) => {
      const look = () => isReady() && test(frames()) && looks.delete(look) && resolve();
      looks.add(look);
      look();
    });
    await Promise.race([seen, gone]);
  };
  const closeOf = () => frames().find(({ opcode }) => opcode === 8);
  const closed = until(() => closeOf() !== undefined).then(() => {
    const payload = closeOf()?.payload;
    socket.end();
    return payload === undefined ? 0 : payload.length < 2 ? 1005 : payload.readUInt16BE(0);
  });
  socket.write(handshake(key, query));
  await until(
    () => true,
    () => headEnd() !== -1,
  );
  return { socket, frames, closed, until: (test) => until(test) };
}
