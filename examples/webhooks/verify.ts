// Verifies that a delivery comes from the service. The header Service-Signature is `t=<unix seconds>,v1=<hex HMAC-SHA256>[,v1=…]`, over
// `<t>.<raw body>`, keyed with the signing secret. Copy this file: it imports nothing but Node.
import { createHmac, timingSafeEqual } from 'node:crypto';

const TOLERANCE_SECONDS = 300;

export type Verdict = 'good' | 'no signature' | 'too old or too new' | 'wrong signature';

export interface Delivery {
  /** The raw bytes of the request body, neither parsed nor reserialised. */
  readonly body: Uint8Array;
  /** Value of the `Service-Signature` header. */
  readonly signature: string | undefined;
}

const SECRET = /^whsec_([A-Za-z0-9+/]+={0,2})$/;

/**
 * Refuses what is not a signing secret: with an empty one, a forged signature would verify. Call it at start, so that a pasted mistake shows
 * before the first delivery.
 * @throws Error that says what is wrong with it, without the secret
 */
export function checkSecret(secret: string): void {
  if (secret === '') throw new Error('The signing secret is empty.');
  if (secret !== secret.trim())
    throw new Error('The signing secret has spaces or line ends around it: remove them.');
  if (/^["']|["']$/.test(secret)) throw new Error('The signing secret is in quotes: remove them.');
  if (secret === 'v1' || secret.startsWith('v1,'))
    throw new Error(
      'The signing secret begins with "v1,", as a signature does: use only the part from "whsec_" on.',
    );
  const bytes = Buffer.from(SECRET.exec(secret)?.[1] ?? '', 'base64').length;
  if (bytes < 24 || bytes > 64)
    throw new Error('The signing secret is not "whsec_" and the base64 of 24 to 64 bytes: copy it again.');
}

/** `secrets`: the current one and, for a while after a rotation, the previous one. @throws Error for what is not a secret */
export function verify(delivery: Delivery, secrets: readonly string[], nowSeconds: number): Verdict {
  if (secrets.length === 0) throw new Error('There is no signing secret to verify with.');
  secrets.forEach(checkSecret);
  const parts = (delivery.signature ?? '').split(',').map((part) => part.split('=', 2));
  const time = parts.find(([name]) => name === 't')?.[1] ?? '';
  const given = parts.flatMap(([name, value]) => (name === 'v1' && value !== undefined ? [value] : []));
  if (!/^\d+$/.test(time) || given.length === 0) return 'no signature';
  if (Math.abs(nowSeconds - Number(time)) > TOLERANCE_SECONDS) return 'too old or too new';
  const expected = secrets.map((secret) =>
    createHmac('sha256', secret).update(`${time}.`).update(delivery.body).digest(),
  );
  const isGood = given.some((hex) => expected.some((digest) => isEqual(Buffer.from(hex, 'hex'), digest)));
  return isGood ? 'good' : 'wrong signature';
}

/** Compares in constant time, so that the duration reveals nothing. */
const isEqual = (a: Buffer, b: Buffer): boolean => a.length === b.length && timingSafeEqual(a, b);
