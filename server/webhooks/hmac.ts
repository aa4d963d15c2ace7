// HMAC-SHA256 (RFC 2104) with a prepared key, built from one-shot hashes, because creating an object per message costs several times as
// much as hashing a delivery.
import { type BinaryToTextEncoding, hash } from 'node:crypto';

const BLOCK_BYTES = 64;
const DIGEST_BYTES = 32;
const INNER_PAD = 0x36;
const OUTER_PAD = 0x5c;
/** Messages up to this size are assembled in one reused buffer. */
const SCRATCH_BYTES = 16_384;

const scratch = Buffer.alloc(SCRATCH_BYTES);

export class HmacKey {
  readonly #inner: Buffer;
  readonly #outer: Buffer;

  constructor(key: Uint8Array) {
    const short = key.length > BLOCK_BYTES ? hash('sha256', key, 'buffer') : key;
    this.#inner = padded(short, INNER_PAD, BLOCK_BYTES);
    this.#outer = padded(short, OUTER_PAD, BLOCK_BYTES + DIGEST_BYTES);
  }

  /** Digest of the prefix, which is ASCII, followed by the body. */
  digest(prefix: string, body: Uint8Array, encoding: BinaryToTextEncoding): string {
    const length = BLOCK_BYTES + prefix.length + body.length;
    const message = length <= SCRATCH_BYTES ? scratch : Buffer.allocUnsafe(length);
    this.#inner.copy(message);
    message.write(prefix, BLOCK_BYTES, 'latin1');
    message.set(body, BLOCK_BYTES + prefix.length);
    // As text with one character per byte, because a separate buffer for the hash costs more than hashing the outer block.
    this.#outer.write(hash('sha256', message.subarray(0, length), 'binary'), BLOCK_BYTES, 'latin1');
    return hash('sha256', this.#outer, encoding);
  }
}

function padded(key: Uint8Array, pad: number, bytes: number): Buffer {
  const block = Buffer.alloc(bytes, pad);
  for (const [index, byte] of key.entries()) block[index] = byte ^ pad;
  return block;
}
