// The signatures of a delivery: ours (5.8), the deprecated one without a time, and those of Standard Webhooks (decisions 48, 49). After a
// rotation there is one per secret that is still valid.
import { type BinaryToTextEncoding, hash } from 'node:crypto';
import { DAY_MS } from '../../platform/base/time.ts';

export const SECRET_PREFIX = 'whsec_';
const SECRET_BYTES = 32;
/** How long the deprecated header is still sent after its end was announced. */
const LEGACY_DAYS = 60;

/** A secret as the key of both schemes. */
export interface SigningKey {
  /** The whole text, including `whsec_` (5.8). */
  readonly text: HmacKey;
  /** The 32 decoded bytes of its base64 part (Standard Webhooks). */
  readonly bytes: HmacKey;
}

export interface Message {
  /** Sent as `webhook-id`: the event's id, which is the same for every attempt. */
  readonly id: string;
  readonly body: Uint8Array;
  /** Unix seconds of this attempt. */
  readonly sentSeconds: number;
}

export function makeSecret(random: (bytes: number) => Uint8Array): string {
  return SECRET_PREFIX + Buffer.from(random(SECRET_BYTES)).toString('base64');
}

export function signingKey(secret: string): SigningKey {
  return {
    text: new HmacKey(Buffer.from(secret)),
    bytes: new HmacKey(Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64')),
  };
}

/** The transition from the deprecated header (5.8): `announced` ends 60 days after that day, `open` has no end yet. */
export type LegacySignature =
  | { readonly state: 'off' | 'open' }
  | { readonly state: 'announced'; readonly fromMs: number };

/** The value of the setting `WEBHOOK_LEGACY_SIGNATURE_FROM`: empty, `never`, or a day. */
export const legacySignatureOf = (from: string): LegacySignature =>
  from === '' || from === 'never'
    ? { state: from === '' ? 'open' : 'off' }
    : { state: 'announced', fromMs: Date.parse(from) };

/** Whether the deprecated header is still sent. */
export const isLegacyShown = (legacy: LegacySignature, nowMs: number): boolean =>
  legacy.state === 'announced' ? nowMs < legacy.fromMs + LEGACY_DAYS * DAY_MS : legacy.state === 'open';

/** Name, value, name, value. `keys`: that of the current secret first, then those that are still accepted. */
export function signatureHeaders(message: Message, keys: readonly SigningKey[], isLegacy: boolean): string[] {
  const { id, body, sentSeconds } = message;
  const ours = keys.map(({ text }) => `,v1=${text.digest(`${sentSeconds}.`, body, 'hex')}`);
  const standard = keys.map(({ bytes }) => `v1,${bytes.digest(`${id}.${sentSeconds}.`, body, 'base64')}`);
  const headers = [
    'Service-Signature',
    `t=${sentSeconds}${ours.join('')}`,
    'webhook-id',
    id,
    'webhook-timestamp',
    String(sentSeconds),
    'webhook-signature',
    standard.join(' '),
  ];
  const [current] = keys;
  if (isLegacy && current !== undefined)
    headers.push('X-Service-Signature', current.text.digest('', body, 'hex'));
  return headers;
}

const BLOCK_BYTES = 64;
const DIGEST_BYTES = 32;
const INNER_PAD = 0x36;
const OUTER_PAD = 0x5c;
/** Messages up to this size are assembled in one reused buffer. */
const SCRATCH_BYTES = 16_384;

const scratch = Buffer.alloc(SCRATCH_BYTES);

/**
 * HMAC-SHA256 (RFC 2104) with a prepared key, built from one-shot hashes, because creating an object per message costs several times as much
 * as hashing a delivery.
 */
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
