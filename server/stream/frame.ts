// WebSocket frames as a server sends them (RFC 6455, 5.2): unfragmented, unmasked, uncompressed. Built once for all receivers. A batch is a
// group of frames that are sent together.

export interface Frame {
  /** Id of the event; undefined for a control frame. */
  readonly id: string | undefined;
  readonly bytes: Buffer;
}

export interface Batch {
  readonly frames: readonly Frame[];
  /** All frames, concatenated. */
  readonly bytes: Buffer;
  /** Id of the last event among them; undefined if there is none. */
  readonly lastId: string | undefined;
}

const FINAL_TEXT = 0x81;
const FINAL_PING = 0x89;
const FINAL_PONG = 0x8a;
const MAX_IN_SEVEN_BITS = 125;
const TWO_BYTES_FOLLOW = 126;
const EIGHT_BYTES_FOLLOW = 127;

/** `payload`: UTF-8. */
export function textFrame(payload: Uint8Array): Buffer {
  const { length } = payload;
  const frame = Buffer.allocUnsafe(headLength(length) + length);
  frame[0] = FINAL_TEXT;
  if (length <= MAX_IN_SEVEN_BITS) frame[1] = length;
  else if (length < 2 ** 16) {
    frame[1] = TWO_BYTES_FOLLOW;
    frame.writeUInt16BE(length, 2);
  } else {
    frame[1] = EIGHT_BYTES_FOLLOW;
    frame.writeBigUInt64BE(BigInt(length), 2);
  }
  frame.set(payload, headLength(length));
  return frame;
}

/** `payload`: at most 125 bytes, as the protocol allows. */
export const pingFrame = (payload: Uint8Array): Buffer =>
  Buffer.concat([Buffer.of(FINAL_PING, payload.length), payload]);

/** `payload`: the payload of the ping, at most 125 bytes. */
export const pongFrame = (payload: Uint8Array): Buffer =>
  Buffer.concat([Buffer.of(FINAL_PONG, payload.length), payload]);

/** A single frame is not copied. */
export function batchOf(frames: readonly Frame[]): Batch {
  const [only] = frames;
  const isAlone = only !== undefined && frames.length === 1;
  const bytes = isAlone ? only.bytes : Buffer.concat(frames.map((frame) => frame.bytes));
  return { frames, bytes, lastId: lastIdOf(frames) };
}

export const lastIdOf = (frames: readonly Frame[]): string | undefined =>
  frames.findLast(({ id }) => id !== undefined)?.id;

const headLength = (length: number) => (length <= MAX_IN_SEVEN_BITS ? 2 : length < 2 ** 16 ? 4 : 10);
